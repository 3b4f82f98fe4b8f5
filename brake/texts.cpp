#include "brake/texts.hpp"

#include <cstddef>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "brake/limits.hpp"

namespace robot_council::brake {
namespace {

constexpr std::string_view kTail =
    " -- do not retry or work around this; only a person can lift it";

// C1 controls are C2 80 to C2 9F in UTF-8.
bool is_c1(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size() || static_cast<unsigned char>(text[at]) != 0xC2) {
    return false;
  }
  const auto second = static_cast<unsigned char>(text[at + 1]);
  return second >= 0x80 && second <= 0x9F;
}

}  // namespace

std::string clean_line(std::string_view text) {
  const std::string valid = base::to_utf8(text);
  std::string clean;
  clean.reserve(valid.size());
  for (std::size_t at = 0; at < valid.size(); ++at) {
    const auto byte = static_cast<unsigned char>(valid[at]);
    if (byte < 0x20 || byte == 0x7F) {
      clean += ' ';
    } else if (is_c1(valid, at)) {
      clean += ' ';
      ++at;
    } else {
      clean += valid[at];
    }
  }
  return std::string(base::trim(clean));
}

std::string clean_reason(std::string_view reason) {
  // A reason is cut before it is cleaned as well, so that a huge one costs nothing; each kept byte
  // may shrink, not grow into another character, and U+FFFD (3 bytes) stands for at least one.
  const std::string line = clean_line(reason.substr(0, std::size_t{64} * 1024));
  const std::string_view cut = base::trim(base::prefix_bytes(line, kMaxReasonBytes));
  return cut.empty() ? std::string("stopped by a person") : std::string(cut);
}

std::string stopped_text(std::string_view reason) {
  return std::string("stopped: ").append(clean_reason(reason)).append(kTail);
}

std::string unreadable_text(std::string_view path) {
  return std::string("stopped: a stop file could not be read (")
      .append(clean_line(path))
      .append("); a person must run resume")
      .append(kTail);
}

std::string cannot_run_text() {
  return std::string("stopped: the stop check could not run; a person must look").append(kTail);
}

}  // namespace robot_council::brake
