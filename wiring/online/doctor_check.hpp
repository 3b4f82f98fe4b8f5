#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace robot_council::wiring::online {

enum class CheckState : std::uint8_t {
  ok,
  warning,  // works, but less well
  failed,   // events do not arrive, or will stop to
  unknown,  // it cannot be told
};
[[nodiscard]] std::string_view to_text(CheckState state);
[[nodiscard]] CheckState check_state(std::string_view text);  // unknown: no such word

// One check of doctor: an id of wiki/Doctor.md, one sentence, and unless ok what to do.
struct Check {
  std::string id;
  CheckState state = CheckState::unknown;
  std::string text;
  std::string remedy;
};

[[nodiscard]] Check check_ok(std::string id, std::string text);
[[nodiscard]] Check check_warning(std::string id, std::string text, std::string remedy);
[[nodiscard]] Check check_failed(std::string id, std::string text, std::string remedy);
[[nodiscard]] Check check_unknown(std::string id, std::string text, std::string remedy);

}  // namespace robot_council::wiring::online
