#pragma once

#include <optional>
#include <string>

#include "stops/report.hpp"

namespace robot_council::stops {

// The report as a person reads it in a terminal. Foreign names are shown without control
// characters.
[[nodiscard]] std::string report_text(const Report& report, std::optional<By> by);

// One JSON object and a line break; its shape: wiki/Stops-report.md. next.text only with
// KeepText::yes, redacted.
[[nodiscard]] std::string report_json(const Report& report, KeepText text);

// Every entry of one cell ("continue/goahead"), of "waiting", or of a reason to be left out, one
// line each. Nothing: there is no such cell and no such reason.
[[nodiscard]] std::optional<std::string> list_text(const Report& report, const std::string& cell,
                                                   KeepText text);

// The page: one file, no script, no URL, every text escaped.
[[nodiscard]] std::string report_html(const Report& report, std::int64_t now_ms);

}  // namespace robot_council::stops
