#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/environment.hpp"
#include "base/json_value.hpp"
#include "base/log.hpp"
#include "base/time_text.hpp"
#include "stops/files.hpp"
#include "stops/log_line.hpp"
#include "stops/report_command.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::test {

// A home with a stop log and transcripts, made turn by turn.
class ReportHome {
 public:
  static constexpr std::int64_t kStart = 1795996800000;  // 2026-11-30T00:00:00Z
  static constexpr const char* kSession = "5e55c0de-0000-4000-8000-00000000aaaa";

  ReportHome() {
    environment.set("HOME", dir.path());
    environment.set("XDG_STATE_HOME", dir / "state");
    clock.set_wall(kStart + std::int64_t{20} * 86400000);
  }
  [[nodiscard]] std::map<std::string, std::string> variables() const {
    return {{"HOME", dir.path()}, {"XDG_STATE_HOME", dir / "state"}};
  }
  [[nodiscard]] std::string log_path() const { return stops::stop_files(environment).log(); }
  [[nodiscard]] std::string transcript_path(const std::string& session = kSession) const {
    return dir / (".claude/projects/-w/" + session + ".jsonl");
  }

  // A judged line as the recorder writes it.
  [[nodiscard]] stops::LogLine line(std::int64_t ts_ms, bool carry_on = true) const {
    stops::LogLine line;
    line.ts_ms = ts_ms;
    line.host = "claude";
    line.session_id = kSession;
    line.transcript_path = transcript_path();
    line.cwd = "/w";
    line.project = "/w";
    line.outcome = stops::Outcome::judged;
    line.verdict = carry_on ? stops::Verdict::carry_on : stops::Verdict::leave;
    line.reason = stops::Reason{stops::Reason::Kind::rule, 4, "asks_approval", 1.0, {}};
    line.answers = {{"asks_approval", carry_on ? 1 : 0}, {"needs_input", 0}, {"hard_to_undo", 0}};
    line.p_kind = stops::PKind::phrase;
    line.state = R"({"closing_message":"Shall I?","cut":false})";
    line.judge = "local";
    line.model = "phrases-1";
    line.policy = stops::LogLine::PolicyName{"/w/.robot-council.stop.yaml", "9f3c9f3c9f3c9f3c",
                                             "1c0e1c0e1c0e1c0e", "77ab77ab77ab77ab"};
    return line;
  }
  void add(const stops::LogLine& line) { log_ += stops::to_json(line) + "\n"; }
  void add_raw(const std::string& text) { log_ += text + "\n"; }
  // What a person typed, with a prompt id of its own.
  void type(std::int64_t at_ms, const std::string& text, const std::string& session = kSession) {
    transcripts_[session] +=
        R"({"type":"user","message":{"role":"user","content":)" + base::quote_json(text) +
        R"(},"promptId":"p)" + std::to_string(++prompts_) +
        R"(","origin":{"kind":"human"},"promptSource":"typed","turnOrigin":"human","timestamp":")" +
        base::iso_zulu_ms(at_ms) + "\"}\n";
  }
  // One stop and the reply to it, `gap` later; turns are a minute apart.
  void turn(bool carry_on, const std::string& reply, std::int64_t gap_ms = 12000) {
    const std::int64_t at = kStart + 1000 + turns_++ * 60000;
    if (turns_ == 1) {
      type(at - 1000, "begin");
    }
    add(line(at, carry_on));
    type(at + gap_ms, reply);
  }
  void turns(int count, bool carry_on, const std::string& reply) {
    for (int i = 0; i < count; ++i) {
      turn(carry_on, reply);
    }
  }
  // The sample of the manual: 41 + 6 and 22 + 198.
  void sample() {
    turns(41, true, "go ahead");
    turns(6, true, "no, the other branch");
    turns(22, false, "Yes please!");
    turns(198, false, "rename it to parse_tabs");
  }

  void save() {
    write_text(log_path(), log_);
    for (const auto& [session, text] : transcripts_) {
      write_text(transcript_path(session), text);
    }
  }
  // `robot-council stops` in this process; a failure's text after "failed: ".
  std::string report(const stops::ReportFlags& flags = {}) {
    save();
    auto answer = stops::run_report(flags, {clock, environment, log});
    return answer ? *answer : "failed: " + answer.error().what;
  }
  base::Json json(stops::ReportFlags flags = {}) {
    flags.shape = stops::ReportFlags::Shape::json;
    const std::string text = report(flags);
    auto parsed = base::parse_bounded(text, std::size_t{64} << 20U);
    return parsed ? *parsed : base::Json(text);
  }

  TempDir dir{TempDir::Place::memory};
  base::MapEnvironment environment;
  FakeClock clock;
  base::MemoryLog log;

 private:
  std::string log_;
  std::map<std::string, std::string> transcripts_;
  std::int64_t turns_ = 0;
  std::int64_t prompts_ = 0;
};

}  // namespace robot_council::test
