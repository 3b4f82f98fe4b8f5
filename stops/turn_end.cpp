#include "stops/turn_end.hpp"

#include <algorithm>
#include <string_view>

#include "base/json_scan.hpp"
#include "base/text.hpp"
#include "stops/limits.hpp"

namespace robot_council::stops {
namespace {

constexpr std::size_t kMaxTypeBytes = 32;

std::optional<std::string> bounded(std::string_view text, std::size_t most) {
  return text.empty() || text.size() > most ? std::nullopt
                                            : std::optional<std::string>(std::string(text));
}

bool is_recorded(harness::PayloadKind kind) {
  return kind == harness::PayloadKind::claude || kind == harness::PayloadKind::codex ||
         kind == harness::PayloadKind::gemini;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A task's type as it may stand in the log: a short word, else "other". It is the client's text.
std::string type_word(std::string_view type) {
  const bool word = !type.empty() && type.size() <= kMaxTypeBytes &&
                    std::all_of(type.begin(), type.end(), [](char c) {
                      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                             (c >= '0' && c <= '9') || c == '_' || c == '-';
                    });
  return word ? std::string(type) : "other";
}

// Absent, null and [] are nothing.
bool is_nothing(const harness::PayloadMember* member) {
  return member == nullptr || member->kind == base::JsonKind::null ||
         (member->kind == base::JsonKind::array && base::json_elements(member->text).empty());
}

std::int64_t entries(const harness::PayloadMember& member) {
  return member.kind == base::JsonKind::array
             ? static_cast<std::int64_t>(base::json_elements(member.text).size())
             : 1;
}

}  // namespace

std::optional<TurnEnd> read_turn_end(const harness::Payload& payload) {
  if (!is_recorded(payload.kind) || !payload.stop_event || !payload.agent_id.empty() ||
      base::is_blank(payload.session) || payload.session.size() > kMaxIdBytes) {
    return std::nullopt;
  }
  TurnEnd turn;
  turn.host = harness::kind_name(payload.kind);
  turn.session_id = payload.session;
  turn.prompt_id = bounded(payload.text("prompt_id"), kMaxIdBytes);
  turn.turn_id = bounded(payload.text("turn_id"), kMaxIdBytes);
  turn.transcript_path = bounded(payload.transcript, kMaxPathBytes);
  turn.cwd = bounded(payload.cwd, kMaxPathBytes);
  turn.permission_mode = bounded(payload.text("permission_mode"), kMaxIdBytes);
  turn.stop_hook_active = payload.continuation;
  turn.message = payload.kind == harness::PayloadKind::gemini
                     ? std::string(payload.text("prompt_response"))
                     : std::string(payload.text("last_assistant_message"));
  return turn;
}

void read_background(const harness::Payload& payload, const std::vector<std::string>& ignored,
                     TurnEnd& turn) {
  const harness::PayloadMember* tasks = payload.member("background_tasks");
  if (!is_nothing(tasks)) {
    turn.background.tasks = entries(*tasks);
    turn.tasks_block = tasks->kind != base::JsonKind::array;
    for (const std::string_view task : base::json_elements(tasks->text)) {
      const std::string type = base::json_unescape(base::json_member(task, "type"));
      turn.tasks_block = turn.tasks_block || type.empty() || !contains(ignored, type);
      const std::string word = type_word(type);
      if (turn.background.types.size() < kMaxBackgroundTypes &&
          !contains(turn.background.types, word)) {
        turn.background.types.push_back(word);
      }
    }
  }
  const harness::PayloadMember* crons = payload.member("session_crons");
  if (!is_nothing(crons)) {
    turn.background.crons = entries(*crons);
    turn.crons_block = crons->kind != base::JsonKind::array || !contains(ignored, "cron");
  }
}

}  // namespace robot_council::stops
