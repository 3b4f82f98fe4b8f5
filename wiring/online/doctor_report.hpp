#pragma once

#include <string>
#include <vector>

#include "wiring/online/doctor_check.hpp"

namespace robot_council::wiring::online {

// What doctor found, as it is shown.
struct DoctorReport {
  struct Seat {
    std::string harness;
    std::string service;  // "" = not known, as the key
    std::string key;
    std::vector<Check> checks;
  };
  std::vector<std::string> brake_lines;  // empty: no stop is on
  std::string brake_json = "null";
  std::vector<Check> brake_checks;
  std::vector<Seat> seats;
  bool complete = true;  // no harness was left out
};

[[nodiscard]] bool none_failed(const DoctorReport& report);
[[nodiscard]] std::string report_text(const DoctorReport& report);
[[nodiscard]] std::string report_json(const DoctorReport& report);

}  // namespace robot_council::wiring::online
