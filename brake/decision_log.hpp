#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/environment.hpp"
#include "brake/stop_file.hpp"

namespace robot_council::brake {

// Where a call was refused.
enum class Surface : std::uint8_t { pre_tool_use, git_hook, gateway, bridge };

// One refused call. Never a command, a path of a tool, or content.
struct RefusedCall {
  Surface surface = Surface::pre_tool_use;
  std::string actor;       // client id, harness name, or the marker's name (git_hook)
  std::string session_id;  // "" if not told
  std::string
      target;  // the tool's name; "commit" or "push" (git_hook); "mcp:<tool>" (gateway, bridge)
  std::string repository;  // main checkout, "" if none
};

enum class Command : std::uint8_t { stop, resume };

// A person's stop or resume, or an agent's that was refused.
struct CommandRecord {
  Command command = Command::stop;
  Stop stop;  // repo "" = not written
  bool everywhere = false;
  std::string refused_agent;  // the marker or ancestor seen; "" = it was done
};

// Append one line to <state home>/robot-council/decisions.jsonl (0600, one O_APPEND write, no link
// followed). Over kMaxDecisionLogBytes the file first becomes decisions.1.jsonl, under a lock that
// is tried once. A failure is silent: the log never changes a verdict.
void log_refused(const base::Environment& environment, const base::Clock& clock,
                 const RefusedCall& call) noexcept;
void log_command(const base::Environment& environment, const base::Clock& clock,
                 const CommandRecord& record) noexcept;

// The log's path.
[[nodiscard]] std::string decision_log_path(const base::Environment& environment);

}  // namespace robot_council::brake
