#include "sink/seat_key.hpp"

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "sink/limits.hpp"

namespace robot_council::sink {
namespace {

constexpr std::string_view kSeparator("\0", 1);

std::string name_of(const std::string& text) {
  return base::sha256_hex(text).substr(0, kKeyDigits);
}

}  // namespace

std::string reduce_service(std::string_view service) {
  return base::without_trailing(service, '/');
}

std::string service_from(std::string_view option, const base::Environment& environment) {
  return reduce_service(option.empty() ? environment.get_or_empty("ROBOT_COUNCIL_SERVICE")
                                       : std::string(option));
}

KeyKind key_kind(std::string_view harness, std::string_view project) {
  if (!project.empty()) {
    return KeyKind::project;
  }
  return harness == "cursor" ? KeyKind::cursor : KeyKind::checkout;
}

std::string seat_key(const KeyParts& parts) {
  std::string text = parts.service;
  text.append(kSeparator).append(parts.harness).append(kSeparator).append(parts.project);
  if (key_kind(parts.harness, parts.project) == KeyKind::checkout) {
    // Four parts even when the checkout is empty: three parts were shared by all folders once.
    text.append(kSeparator).append(parts.checkout);
  }
  return name_of(text);
}

std::string record_name(std::string_view service, std::string_view harness,
                        std::string_view real_folder) {
  std::string text(service);
  text.append(kSeparator)
      .append(harness)
      .append(kSeparator)
      .append("recorded-key")
      .append(kSeparator)
      .append(real_folder);
  return name_of(text);
}

}  // namespace robot_council::sink
