#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stops/interval.hpp"
#include "stops/report.hpp"

namespace robot_council::stops::html {

// Parts of the page. Drawings are shapes that are stretched to their box; words stand beside them.

// Text for HTML content and attributes: & < > " ' escaped, control characters left out, bad UTF-8
// replaced.
[[nodiscard]] std::string escape(std::string_view text);

// A share with its interval on a line from 0 to 100 %.
[[nodiscard]] std::string strip(const Share& interval, std::string_view words);

// Parts of a whole, beside each other.
struct Part {
  std::string_view css;
  std::int64_t count = 0;
};
[[nodiscard]] std::string bar(const std::vector<Part>& parts, std::int64_t whole,
                              std::string_view css, std::string_view words);

// The four cells by their area: columns by the reply, rows by the verdict.
[[nodiscard]] std::string mosaic(const Cells& cells);

// Pairs a week as columns, precision and share of go-aheads as lines; weeks of fewer than kFewPairs
// are gaps.
[[nodiscard]] std::string trend(const std::vector<NamedCells>& weeks);

// A small square of a colour, for a legend.
[[nodiscard]] std::string swatch(std::string_view css);

}  // namespace robot_council::stops::html
