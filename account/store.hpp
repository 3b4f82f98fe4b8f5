#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace robot_council::account {

enum class StoreKind : std::uint8_t { keychain, secret_service, file };

// "keychain", "secret-service", "file": the words of options and of enrolments.json.
[[nodiscard]] std::string store_name(StoreKind kind);
[[nodiscard]] std::optional<StoreKind> store_kind(const std::string& name);

// One place that keeps tokens by key (account contract, section 3). Errors' `what` are whole
// sentences for a person and hold no token. Every call ends by its deadline. Threads: one call at a
// time; safe between processes.
class CredentialStore {
 public:
  CredentialStore() = default;
  CredentialStore(const CredentialStore&) = delete;
  CredentialStore& operator=(const CredentialStore&) = delete;
  CredentialStore(CredentialStore&&) = delete;
  CredentialStore& operator=(CredentialStore&&) = delete;
  virtual ~CredentialStore() = default;

  [[nodiscard]] virtual StoreKind kind() const = 0;
  // "the macOS Keychain, under the service `robot-council`": where a person finds it.
  [[nodiscard]] virtual std::string description() const = 0;
  // Replaces the entry; ok only if reading it back gave the same token. invalid: a token or key no
  // store takes.
  [[nodiscard]] virtual base::Status write(const std::string& key, const std::string& token,
                                           base::SteadyTime deadline) = 0;
  // Nothing: there is no such entry, and that is certain. unsupported: there is no such service on
  // this machine at all.
  [[nodiscard]] virtual base::Result<std::optional<std::string>> read(
      const std::string& key, base::SteadyTime deadline) = 0;
  // Ok when there is no such entry afterwards as far as the tool says; the caller reads to be sure.
  [[nodiscard]] virtual base::Status remove(const std::string& key, base::SteadyTime deadline) = 0;
};

// What every store refuses before it does anything: an empty token or one with CR or LF, over
// kMaxToken bytes; a key with a quote, a backslash or a control character (a tool's input line
// could not hold it).
[[nodiscard]] base::Status check_entry(const std::string& key, const std::string& token);
[[nodiscard]] base::Status check_key(const std::string& key);

}  // namespace robot_council::account
