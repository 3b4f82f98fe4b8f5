#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/environment.hpp"
#include "base/result.hpp"
#include "net/url.hpp"

namespace robot_council::account {

// A fleet's address, checked. `text` is what keys are made of: as given, without its trailing "/".
struct Service {
  std::string text;
  net::Url url;
  [[nodiscard]] std::string target(
      std::string_view path) const;  // url.path + path; paths: service-api/paths.hpp
};

// Non-empty `flag` (an option's value), else ROBOT_COUNCIL_SERVICE; every trailing "/" removed,
// nothing else. "" if neither.
[[nodiscard]] std::string service_text(std::string_view flag, const base::Environment& environment);
// Before any credential is read. Errors are whole sentences for a person (account contract, section
// 2): not_found: none given; invalid: no usable URL; refused: plain http to another machine.
[[nodiscard]] base::Result<Service> check_service(const std::string& text);

// What tells two machines apart. `id`: /etc/machine-id, macOS the host UUID; "" if there is none.
struct Machine {
  std::string host_name;
  std::string id;
};
[[nodiscard]] Machine this_machine();

// One final ".local" removed, [A-Za-z0-9._-] kept, cut to 64; nothing left: "unknown-machine".
[[nodiscard]] std::string reduce_label(std::string_view text);
// Given: reduced, nothing added. Else the host name's, cut to 55, and "-" + 8 hex digits of
// SHA-256(machine id): equal labels of one developer revoke each other, and many machines are
// called "localhost".
[[nodiscard]] std::string machine_label(std::string_view given, const Machine& machine);

}  // namespace robot_council::account
