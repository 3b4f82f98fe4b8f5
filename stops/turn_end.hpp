#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/payload.hpp"
#include "stops/log_line.hpp"

namespace robot_council::stops {

// What the recorder takes from a payload.
struct TurnEnd {
  std::string host;  // claude, codex, gemini
  std::string session_id;
  std::optional<std::string> prompt_id;  // ids over kMaxIdBytes, paths over kMaxPathBytes: nothing
  std::optional<std::string> turn_id;
  std::optional<std::string> transcript_path;
  std::optional<std::string> cwd;
  std::optional<std::string> permission_mode;
  bool stop_hook_active = false;
  std::string message;  // the closing text; "" where there is none
  LogLine::Background background;
  bool tasks_block = false;  // background_tasks is something else than absent, null or []
  bool crons_block = false;  // session_crons likewise
};

// The turn end of a main agent of a recorded host; nothing for any other payload. A subagent's, and
// one without a usable session id, is none. `ignored`: task types, or cron, that do not block.
[[nodiscard]] std::optional<TurnEnd> read_turn_end(const harness::Payload& payload);
void read_background(const harness::Payload& payload, const std::vector<std::string>& ignored,
                     TurnEnd& turn);

}  // namespace robot_council::stops
