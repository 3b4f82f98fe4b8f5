#include "account/store.hpp"

#include <algorithm>
#include <string>

#include "account/limits.hpp"

namespace robot_council::account {

std::string store_name(StoreKind kind) {
  switch (kind) {
    case StoreKind::keychain:
      return "keychain";
    case StoreKind::secret_service:
      return "secret-service";
    case StoreKind::file:
      break;
  }
  return "file";
}

std::optional<StoreKind> store_kind(const std::string& name) {
  for (const StoreKind kind : {StoreKind::keychain, StoreKind::secret_service, StoreKind::file}) {
    if (store_name(kind) == name) {
      return kind;
    }
  }
  return std::nullopt;
}

base::Status check_key(const std::string& key) {
  constexpr unsigned char kFirstPrintable = 0x20;
  constexpr unsigned char kDelete = 0x7f;
  const bool bad = key.empty() || std::any_of(key.begin(), key.end(), [](char c) {
                     const auto byte = static_cast<unsigned char>(c);
                     return byte < kFirstPrintable || byte == kDelete || c == '"' || c == '\\';
                   });
  if (bad) {
    return base::Error{
        base::Errc::invalid,
        "A service URL with a quote, a backslash or a control character cannot name a credential."};
  }
  return {};
}

base::Status check_entry(const std::string& key, const std::string& token) {
  if (auto ok = check_key(key); !ok) {
    return ok;
  }
  if (token.empty() || token.size() > kMaxToken ||
      token.find_first_of("\r\n") != std::string::npos) {
    return base::Error{base::Errc::invalid,
                       "The service's credential is empty, longer than " +
                           std::to_string(kMaxToken) +
                           " bytes or has a line break, so it was not stored."};
  }
  return {};
}

}  // namespace robot_council::account
