#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stop-hook/scan.hpp"

// What `hooks scan` prints.
namespace robot_council::stop_hook {

enum class ScanFormat : std::uint8_t { text, json };

struct ScanReport {
  std::string out;      // stdout, whole lines
  std::string message;  // for stderr, "" = none
  int status = 1;  // 0: every harness's result is `runs`; else 1, also when no harness has a file
};

// Scans one harness (a name of scanned_harnesses(), or another: its result is unknown), or with ""
// each that has a file. Text: per finding `<error|warning|info> <file>[:<line>] <id>: <sentence>
// <remedy>`, then `<harness>: <result>`. JSON: one line,
// [{"harness","result","findings":[{"file","line"|null,"rule","severity","text","remedy"}]}].
[[nodiscard]] ScanReport report_scan(const ScanWorld& world, const std::string& harness,
                                     ScanFormat format, const ScanSeat& seat = {});

// The lines of one finding's place and sentence, as in the text form.
[[nodiscard]] std::string describe_finding(const ScanFinding& finding);

}  // namespace robot_council::stop_hook
