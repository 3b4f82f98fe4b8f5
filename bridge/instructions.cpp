#include "bridge/instructions.hpp"

namespace robot_council::bridge {

namespace {

constexpr const char* kUnjoined =
    "This server connects the session to a Robot Council fleet: agent sessions that share tasks, "
    "locks and one feed of events. It joins "
    "only when asked to, and until then `join` is its only tool. Call `join` when the operator "
    "asks for it, or when your own "
    "instructions say that this checkout works with the fleet; otherwise leave it alone.";

constexpr const char* kHook =
    "A channel notice of this server only says that fleet events wait; it never holds them. The "
    "stop hook delivers them when your turn "
    "ends. If you are idle, end the turn at once and they arrive; in the middle of a task, carry "
    "on, they come at its end.";

constexpr const char* kNoHook =
    "A channel notice of this server only says that fleet events wait, and no stop hook was found, "
    "so nothing delivers them. Read "
    "them yourself: call `events_read` with the `cursor` of your last read (without one at first), "
    "and act on what concerns this "
    "session. Tasks that were placed with you are in `task_list` under `claimed` and "
    "`in_progress`. Then end the turn. In the middle "
    "of a task, finish the step you are at first.";

constexpr const char* kKeepWarm =
    " A notice whose meta has `keep_warm` has nothing behind it: end that turn at once, without a "
    "tool call; in the middle of a task, "
    "ignore it.";

void add_block(std::string& text, const std::string& block) {
  if (!block.empty()) {
    text.append(text.empty() ? "" : "\n\n").append(block);
  }
}

}  // namespace

std::string instructions(const InstructionFacts& facts) {
  std::string text = facts.joined ? facts.fleet : std::string(kUnjoined);
  if (facts.channel) {
    std::string block = facts.hook == HookState::found ? kHook : kNoHook;
    if (facts.keep_warm) {
      block.append(kKeepWarm);
    }
    add_block(text, block);
  }
  if (!facts.seat_held.empty()) {
    add_block(text, "Tell your operator: " + facts.seat_held);
  }
  add_block(text, facts.cursor);
  return text;
}

}  // namespace robot_council::bridge
