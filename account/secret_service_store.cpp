#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "account/limits.hpp"
#include "account/tool_stores.hpp"
#include "base/child.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace robot_council::account {

namespace {

constexpr const char* kAttribute = "robot-council";
constexpr const char* kBusVariable = "DBUS_SESSION_BUS_ADDRESS";

bool own_socket(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode) && info.st_uid == ::geteuid();
}

// GLib's words (LC_ALL=C) when there is no session bus to ask: not a failing store, but none.
bool says_no_bus(const std::string& text) {
  return text.find("Cannot autolaunch D-Bus") != std::string::npos ||
         text.find("Could not connect: No such file or directory") != std::string::npos;
}

void set_variable(std::vector<std::string>& environment, const std::string& name,
                  const std::string& value) {
  const std::string head = name + "=";
  environment.erase(std::remove_if(environment.begin(), environment.end(),
                                   [&head](const std::string& entry) {
                                     return entry.compare(0, head.size(), head) == 0;
                                   }),
                    environment.end());
  environment.push_back(head + value);
}

class SecretServiceStore final : public CredentialStore {
 public:
  SecretServiceStore(const base::Context& context, std::string program, std::string run_folder)
      : context_(context), program_(std::move(program)), run_folder_(std::move(run_folder)) {}

  [[nodiscard]] StoreKind kind() const override { return StoreKind::secret_service; }
  [[nodiscard]] std::string description() const override {
    return "the Secret Service, under the attribute `robot-council`";
  }

  [[nodiscard]] base::Status write(const std::string& key, const std::string& token,
                                   base::SteadyTime deadline) override {
    if (auto ok = check_entry(key, token); !ok) {
      return ok;
    }
    const auto ran = run({program_, "store", std::string("--label=") + kAttribute, kAttribute, key},
                         token, deadline);
    if (ran && ran->status.success()) {
      const auto back = read(key, deadline);
      if (back && *back == token) {
        return {};
      }
    }
    const std::string said = ran ? std::string(base::trim(ran->err)) : ran.error().what;
    return base::Error{base::Errc::io, "The credential could not be stored in the Secret Service." +
                                           (said.empty() ? "" : " " + base::for_display(said))};
  }

  [[nodiscard]] base::Result<std::optional<std::string>> read(const std::string& key,
                                                              base::SteadyTime deadline) override {
    if (auto ok = check_key(key); !ok) {
      return ok.error();
    }
    const auto ran = run({program_, "lookup", kAttribute, key}, {}, deadline);
    if (!ran) {
      return base::Error{ran.error().code,
                         "The Secret Service could not be read: " + ran.error().what + "."};
    }
    if (ran->status.success()) {
      return ran->out.empty() ? std::optional<std::string>() : ran->out;
    }
    if (auto failed = failure(*ran, "could not be read"); !failed) {
      return failed.error();
    }
    return std::optional<std::string>();
  }

  [[nodiscard]] base::Status remove(const std::string& key, base::SteadyTime deadline) override {
    if (auto ok = check_key(key); !ok) {
      return ok;
    }
    const auto ran = run({program_, "clear", kAttribute, key}, {}, deadline);
    if (!ran) {
      return base::Error{ran.error().code,
                         "The Secret Service could not be changed: " + ran.error().what + "."};
    }
    return ran->status.success() ? base::Status() : failure(*ran, "could not be changed");
  }

 private:
  // secret-tool exits 1 without a word when there is no such entry, and with one when it could not
  // ask.
  [[nodiscard]] static base::Status failure(const base::Finished& ran, const std::string& what) {
    if (base::is_blank(ran.err) && ran.status.signal == 0) {
      return {};
    }
    return base::Error{says_no_bus(ran.err) ? base::Errc::unsupported : base::Errc::io,
                       "The Secret Service " + what + ": `secret-tool` exited " +
                           std::to_string(ran.status.code) + ". " + base::for_display(ran.err)};
  }

  [[nodiscard]] base::Result<base::Finished> run(std::vector<std::string> argv,
                                                 const std::string& input,
                                                 base::SteadyTime deadline) const {
    base::ChildOptions options;
    options.argv = std::move(argv);
    options.environment = context_.environment.all();
    set_variable(options.environment, "LC_ALL", "C");
    const std::string bus = base::join_path(run_folder_, "bus");
    if (!context_.environment.nonblank(kBusVariable) && own_socket(bus)) {
      set_variable(options.environment, kBusVariable, "unix:path=" + bus);
    }
    options.standard_err = base::Stdio::pipe;
    options.group = base::Group::session;
    return base::run_child(std::move(options), input, deadline, kMaxToolOutput);
  }

  base::Context context_;
  std::string program_;
  std::string run_folder_;
};

}  // namespace

std::unique_ptr<CredentialStore> make_secret_service_store(const base::Context& context,
                                                           std::string program,
                                                           std::string run_folder) {
  return std::make_unique<SecretServiceStore>(context, std::move(program), std::move(run_folder));
}

}  // namespace robot_council::account
