#include "tests/crash/agent.hpp"

#include <fstream>

#include "base/json.hpp"
#include "base/json_scan.hpp"
#include "base/text.hpp"

namespace robot_council::crash {
namespace {

constexpr int kPersonStops = 7;  // one answer of so many is not taken in: Esc, or a new prompt

std::string text_member(const std::string& name, const std::string& value) {
  return base::quote_json(name) + ":" + base::quote_json(value);
}

}  // namespace

Agent::Agent(Harness harness, int number, const std::string& folder)
    : harness_(harness), name_("session-" + std::to_string(number)) {
  if (harness == Harness::claude || (harness == Harness::copilot && number % 2 == 0)) {
    transcript_ = folder + "/" + name_ + ".jsonl";
    const std::ofstream made(transcript_);
  }
}

std::string Agent::turn_end() {
  ++stops_;
  const std::string turn = name_ + "-turn-" + std::to_string(turn_);
  const std::string said =
      text_member("last_assistant_message", "answer " + std::to_string(stops_));
  const std::string active =
      std::string(R"("stop_hook_active":)") + (continuing_ ? "true" : "false");
  switch (harness_) {
    case Harness::claude:
      return "{" + text_member("session_id", name_) + "," +
             text_member("transcript_path", transcript_) + "," + text_member("prompt_id", turn) +
             R"(,"hook_event_name":"Stop",)" + active + "," + said + "}\n";
    case Harness::codex:
      return "{" + text_member("session_id", name_) + "," + text_member("turn_id", turn) +
             R"(,"transcript_path":null,"hook_event_name":"Stop",)" + active + "," + said + "}";
    case Harness::cursor:
      return "{" + text_member("conversation_id", name_) + "," +
             text_member("generation_id", turn + std::to_string(stops_)) +
             R"(,"status":"completed","hook_event_name":"stop","cursor_version":"3.17.1","loop_count":)" +
             std::to_string(loops_) + "}";
    case Harness::gemini:
      return "{" + text_member("session_id", name_) + R"(,"hook_event_name":"AfterAgent",)" +
             text_member("prompt_response", "answer " + std::to_string(stops_)) + "," + active +
             "}";
    case Harness::copilot:
      return "{" + text_member("sessionId", name_) + R"(,"timestamp":)" + std::to_string(stops_) +
             "," + text_member("transcriptPath", transcript_) + R"(,"stopReason":"end_turn",)" +
             active + "}";
    case Harness::goose:
      return R"({"event":"Stop",)" + text_member("session_id", name_) + R"(,"n":)" +
             std::to_string(stops_) + "}";
  }
  return {};
}

void Agent::heard(const std::optional<std::string>& text, Random& random) {
  const bool taken = text && pick(random, kPersonStops) != 0;
  if (!taken) {
    begin_turn();
    return;
  }
  continuing_ = true;
  ++loops_;
  if (!transcript_.empty()) {
    std::ofstream(transcript_, std::ios::app)
        << R"({"type":"user","message":{"role":"user","content":)"
        << base::quote_json("Stop hook feedback:\n" + *text) << "}}\n";
  }
}

void Agent::begin_turn() {
  ++turn_;
  loops_ = 0;
  continuing_ = false;
}

std::optional<std::string> answer_text(const std::string& bytes) {
  if (bytes.empty() || !base::validate_json(bytes, 10)) {
    return std::nullopt;
  }
  const std::string_view reason = base::json_member(bytes, "reason");
  const std::string_view follow = base::json_member(bytes, "followup_message");
  if (reason.empty() && follow.empty()) {
    return std::nullopt;  // {}
  }
  return base::json_unescape(reason.empty() ? follow : reason);
}

std::vector<Print> prints_in(const std::string& text) {
  static const std::string kLabel = "[directive] event ";
  std::vector<Print> prints;
  for (const std::string& line : base::split(text, '\n')) {
    const std::size_t at = line.find(kLabel);
    const bool whole =
        line.find(" at 2026-") != std::string::npos || line.find("... (cut, ") != std::string::npos;
    if (at != std::string::npos && whole) {
      prints.push_back(
          {std::stoll(line.substr(at + kLabel.size())), line.compare(0, 9, "[repeat] ") == 0});
    }
  }
  return prints;
}

}  // namespace robot_council::crash
