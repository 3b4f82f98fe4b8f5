#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "account/enrolments.hpp"
#include "account/limits.hpp"
#include "account/store.hpp"
#include "base/context.hpp"

namespace robot_council::account {

// Where the system's stores are looked for; tests name their own.
struct StorePlaces {
  std::optional<std::string> security;     // /usr/bin/security on macOS
  std::optional<std::string> secret_tool;  // first on PATH on Linux
  std::string run_folder;                  // /run/user/<uid>
  std::string file;                        // CONF/credentials.json
};
[[nodiscard]] StorePlaces store_places(const base::Context& context);

// The stores of this machine together (account contract, section 3): one key is in one store.
// Threads: one at a time.
class CredentialStores {
 public:
  // tool_time: for each call of a system store's tool; `end`: for all of them together.
  CredentialStores(const base::Context& context, const StorePlaces& places,
                   base::Milliseconds tool_time = kToolTime,
                   base::SteadyTime end = base::SteadyTime::max());

  // The store for a new credential, proven with a test entry within 3 s each. No name: keychain,
  // secret-service, file, the first that passes; each failure is said. unsupported: the named one
  // is not usable (whole sentence). Leaves no test entry behind.
  [[nodiscard]] base::Result<CredentialStore*> choose(std::optional<StoreKind> name);

  struct Found {
    std::string token;
    CredentialStore* store = nullptr;
  };
  // The recorded store is asked first (a file costs nothing and comes before a system store else).
  // Nothing: no store has it and none failed. Errors: no store has it and one failed; that store's
  // sentence. A Secret Service without a session bus counts as failed only if `recorded` names it:
  // on a machine without a desktop nothing was ever stored there. `end`: of this search, if it
  // comes before that of all.
  [[nodiscard]] base::Result<std::optional<Found>> find(
      const std::string& key, std::optional<StoreKind> recorded,
      base::SteadyTime end = base::SteadyTime::max());

  // Writes it there, then removes the key from the other stores; a removal that failed is said, no
  // error.
  [[nodiscard]] base::Status put(CredentialStore& store, const std::string& key,
                                 const std::string& token);
  // From every store. The first failure.
  [[nodiscard]] base::Status remove(const std::string& key);

 private:
  [[nodiscard]] base::Status probe(CredentialStore& store) const;
  void remove_elsewhere(const CredentialStore& store, const std::string& key);
  base::Context context_;
  [[nodiscard]] base::SteadyTime one_call() const;
  base::Milliseconds tool_time_;
  base::SteadyTime end_;
  std::vector<std::unique_ptr<CredentialStore>> stores_;  // in the order of `auto`
};

}  // namespace robot_council::account
