#include "account/file_store.hpp"

#include <string>
#include <utility>

#include "account/private_json.hpp"
#include "base/json_value.hpp"

namespace robot_council::account {

namespace {

class FileStore final : public CredentialStore {
 public:
  FileStore(const base::Context& context, std::string path)
      : context_(context), file_(std::move(path)) {}

  [[nodiscard]] StoreKind kind() const override { return StoreKind::file; }
  [[nodiscard]] std::string description() const override {
    return "`" + file_.path() + "`, readable only by you";
  }

  [[nodiscard]] base::Status write(const std::string& key, const std::string& token,
                                   base::SteadyTime deadline) override {
    if (auto ok = check_entry(key, token); !ok) {
      return ok;
    }
    auto stored =
        file_.edit(context_.clock, context_.log, [&](base::Json& object) { object[key] = token; });
    if (!stored) {
      return stored;
    }
    const auto back = read(key, deadline);
    if (!back || *back != token) {
      return base::Error{base::Errc::io,
                         "The credential could not be stored in `" + file_.path() + "`."};
    }
    return {};
  }

  [[nodiscard]] base::Result<std::optional<std::string>> read(
      const std::string& key, base::SteadyTime /*deadline*/) override {
    const auto object = file_.read();
    if (!object) {
      return object.error();
    }
    if (!object->has_value()) {
      return std::optional<std::string>();
    }
    auto token = base::get_string(**object, key);
    if (!token || token->empty()) {
      return std::optional<std::string>();
    }
    return token;
  }

  [[nodiscard]] base::Status remove(const std::string& key, base::SteadyTime deadline) override {
    const auto there = read(key, deadline);
    if (!there) {
      return there.error();
    }
    if (!there->has_value()) {
      return {};  // an edit would make the folder and the lock file for nothing
    }
    return file_.edit(context_.clock, context_.log, [&](base::Json& object) { object.erase(key); });
  }

 private:
  base::Context context_;
  PrivateJson file_;
};

}  // namespace

std::unique_ptr<CredentialStore> make_file_store(const base::Context& context, std::string path) {
  return std::make_unique<FileStore>(context, std::move(path));
}

}  // namespace robot_council::account
