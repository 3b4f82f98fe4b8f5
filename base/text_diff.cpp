#include "base/text_diff.hpp"

#include <algorithm>
#include <vector>

namespace robot_council::base {

namespace {

// Lines with their line ends; the last one may have none.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

void add_lines(std::string& out, char mark, const std::vector<std::string>& lines,
               std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    out += mark + lines[i];
    if (lines[i].back() != '\n') {
      out += "\n\\ No newline at end of file\n";
    }
  }
}

std::string range(std::size_t begin, std::size_t count) {
  return std::to_string(count == 0 ? begin : begin + 1) + "," + std::to_string(count);
}

}  // namespace

std::string unified_diff(const std::string& path, const std::optional<std::string>& before,
                         const std::optional<std::string>& after) {
  if (before == after) {
    return {};
  }
  constexpr std::size_t kAround = 3;
  const std::vector<std::string> old_lines = lines_of(before.value_or(""));
  const std::vector<std::string> new_lines = lines_of(after.value_or(""));
  const std::size_t shorter = std::min(old_lines.size(), new_lines.size());
  std::size_t same = 0;
  while (same < shorter && old_lines[same] == new_lines[same]) {
    ++same;
  }
  std::size_t tail = 0;
  while (tail < shorter - same &&
         old_lines[old_lines.size() - 1 - tail] == new_lines[new_lines.size() - 1 - tail]) {
    ++tail;
  }
  const std::size_t begin = same - std::min(same, kAround);
  const std::size_t kept = std::min(tail, kAround);
  const std::size_t old_end = old_lines.size() - tail;
  const std::size_t new_end = new_lines.size() - tail;
  std::string out = "--- " + (before ? path : std::string("/dev/null")) + "\n+++ " +
                    (after ? path : std::string("/dev/null")) + "\n@@ -" +
                    range(begin, old_end + kept - begin) + " +" +
                    range(begin, new_end + kept - begin) + " @@\n";
  add_lines(out, ' ', old_lines, begin, same);
  add_lines(out, '-', old_lines, same, old_end);
  add_lines(out, '+', new_lines, same, new_end);
  add_lines(out, ' ', old_lines, old_end, old_end + kept);
  return out;
}

}  // namespace robot_council::base
