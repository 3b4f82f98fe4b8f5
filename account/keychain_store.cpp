#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "account/limits.hpp"
#include "account/tool_stores.hpp"
#include "base/child.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace robot_council::account {

namespace {

constexpr const char* kItem = "robot-council";  // the keychain service of every entry
constexpr int kNoSuchItem = 44;                 // exit status of `security`: errSecItemNotFound

int hex_value(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  const char lower = static_cast<char>(static_cast<unsigned char>(c) | 0x20U);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::optional<std::string> from_hex(std::string_view digits) {
  constexpr int kBase = 16;
  if (digits.empty() || digits.size() % 2 != 0) {
    return std::nullopt;
  }
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const int high = hex_value(digits[i]);
    const int low = hex_value(digits[i + 1]);
    if (high < 0 || low < 0) {
      return std::nullopt;
    }
    bytes.push_back(static_cast<char>(high * kBase + low));
  }
  return bytes;
}

class KeychainStore final : public CredentialStore {
 public:
  KeychainStore(const base::Context& context, std::string program)
      : context_(context), program_(std::move(program)) {}

  [[nodiscard]] StoreKind kind() const override { return StoreKind::keychain; }
  [[nodiscard]] std::string description() const override {
    return "the macOS Keychain, under the service `robot-council`";
  }

  [[nodiscard]] base::Status write(const std::string& key, const std::string& token,
                                   base::SteadyTime deadline) override {
    if (auto ok = check_entry(key, token); !ok) {
      return ok;
    }
    // `-i` reads commands: nothing secret is in argv, which every user can see.
    const std::string command = "add-generic-password -a \"" + key + "\" -s \"" + kItem +
                                "\" -U -X " + base::to_hex(token) + "\n";
    (void)run({program_, "-i"}, command,
              deadline);  // its status says nothing: reading back decides
    const auto back = read(key, deadline);
    if (!back || *back != token) {
      return base::Error{base::Errc::io,
                         "The credential could not be stored in the macOS Keychain."};
    }
    return {};
  }

  [[nodiscard]] base::Result<std::optional<std::string>> read(const std::string& key,
                                                              base::SteadyTime deadline) override {
    if (auto ok = check_key(key); !ok) {
      return ok.error();
    }
    const auto ran =
        run({program_, "find-generic-password", "-a", key, "-s", kItem, "-g"}, {}, deadline);
    if (!ran) {
      return base::Error{ran.error().code,
                         "The macOS Keychain could not be read: " + ran.error().what + "."};
    }
    if (ran->status.code == kNoSuchItem) {
      return std::optional<std::string>();
    }
    if (!ran->status.success()) {
      return base::Error{base::Errc::io,
                         "The macOS Keychain could not be read: `security` exited " +
                             std::to_string(ran->status.code) + ". " + base::for_display(ran->err)};
    }
    auto token = keychain_password(ran->err);
    if (!token) {
      return base::Error{base::Errc::io,
                         "The macOS Keychain could not be read: `security` showed no password."};
    }
    return token->empty() ? std::optional<std::string>() : token;
  }

  [[nodiscard]] base::Status remove(const std::string& key, base::SteadyTime deadline) override {
    if (auto ok = check_key(key); !ok) {
      return ok;
    }
    const auto ran =
        run({program_, "delete-generic-password", "-a", key, "-s", kItem}, {}, deadline);
    return ran ? base::Status() : base::Status(ran.error());
  }

 private:
  [[nodiscard]] base::Result<base::Finished> run(std::vector<std::string> argv,
                                                 const std::string& input,
                                                 base::SteadyTime deadline) const {
    base::ChildOptions options;
    options.argv = std::move(argv);
    options.environment = context_.environment.all();
    options.standard_err = base::Stdio::pipe;
    options.group =
        base::Group::session;  // the keychain would ask for its password on the terminal
    return base::run_child(std::move(options), input, deadline, kMaxToolOutput);
  }

  base::Context context_;
  std::string program_;
};

}  // namespace

std::optional<std::string> keychain_password(std::string_view tool_stderr) {
  constexpr std::string_view kHead = "password: ";
  for (const std::string& line : base::split(tool_stderr, '\n')) {
    if (line.compare(0, kHead.size(), kHead) != 0) {
      continue;
    }
    const std::string_view value = std::string_view(line).substr(kHead.size());
    if (value.size() >= 2 && value.substr(0, 2) == "0x") {
      return from_hex(value.substr(2, value.find(' ') == std::string_view::npos
                                          ? std::string_view::npos
                                          : value.find(' ') - 2));
    }
    if (value.size() >= 2 && value.front() == '"') {
      return std::string(value.substr(1, value.size() - 2));
    }
    return std::nullopt;
  }
  return std::nullopt;
}

std::unique_ptr<CredentialStore> make_keychain_store(const base::Context& context,
                                                     std::string program) {
  return std::make_unique<KeychainStore>(context, std::move(program));
}

}  // namespace robot_council::account
