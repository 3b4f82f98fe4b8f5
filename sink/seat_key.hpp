#pragma once

#include <string>
#include <string_view>

#include "base/environment.hpp"

namespace robot_council::sink {

// The names a seat key is made of. The harness comes from harness/names.hpp, reduced. Source:
// delivery contract, 1.

// Every trailing "/" removed, nothing else changed: upper case, ports and paths stay, since the
// text is hashed.
[[nodiscard]] std::string reduce_service(std::string_view service);
// Non-empty option, else non-empty ROBOT_COUNCIL_SERVICE, reduced; "" if neither is given.
[[nodiscard]] std::string service_from(std::string_view option,
                                       const base::Environment& environment);
enum class KeyKind : unsigned char {
  project,   // a project was named: service, harness, project
  cursor,    // harness exactly `cursor`, no project: one sink a service
  checkout,  // service, harness, empty, checkout
};
[[nodiscard]] KeyKind key_kind(std::string_view harness, std::string_view project);

struct KeyParts {
  std::string service;   // reduced
  std::string harness;   // reduced
  std::string project;   // "" = none
  std::string checkout;  // used by KeyKind::checkout only, may be empty
};
// First 32 lower-case hex digits of SHA-256 over the parts joined by one NUL.
[[nodiscard]] std::string seat_key(const KeyParts& parts);
// Name (32 hex digits) of the record of a folder's key: service NUL harness NUL `recorded-key` NUL
// folder.
[[nodiscard]] std::string record_name(std::string_view service, std::string_view harness,
                                      std::string_view real_folder);

}  // namespace robot_council::sink
