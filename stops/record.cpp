#include "stops/record.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "base/files.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "harness/payload.hpp"
#include "stops/local_judge.hpp"
#include "stops/log.hpp"
#include "stops/own_judges.hpp"
#include "stops/policy_lookup.hpp"
#include "stops/redact.hpp"
#include "stops/sessions.hpp"
#include "stops/settings.hpp"
#include "stops/tail.hpp"
#include "stops/turn_end.hpp"

namespace robot_council::stops {
namespace {

// Left of the hard deadline for the line, when a judge had all the time there was.
constexpr base::Milliseconds kForTheLine{500};

base::Milliseconds since(base::SteadyTime begin, base::SteadyTime now) {
  return std::chrono::duration_cast<base::Milliseconds>(now - begin);
}

// When the recorder began. Taken before the payload is read: a client may take seconds to write it,
// and the turn had ended by then.
struct Began {
  std::int64_t ts_ms;
  base::SteadyTime steady;
};

class Recorder {
 public:
  Recorder(const RecordOptions& options, const base::Context& context, const Began& began,
           const harness::Payload& payload, TurnEnd turn)
      : options_(options),
        context_(context),
        payload_(payload),
        turn_(std::move(turn)),
        files_(stop_files(context.environment)),
        begin_(began.steady) {
    line_.ts_ms = began.ts_ms;
  }

  void run() {
    const std::string folder =
        turn_.cwd ? *turn_.cwd : base::working_directory().value_or(std::string());
    const std::string root = repository_root(folder);
    found_ = find_policy(folder, root, context_.environment);
    if (!found_ || (found_->policy.ok() && !found_->policy->enabled)) {
      return;
    }
    mark_ = find_session(read_sessions(files_), turn_.session_id);
    before_ = mark_;
    fill_line(folder, root);
    if (!found_->policy.ok()) {
      broken_policy();
      return;
    }
    if (const std::string_view reason = skip_reason(); !reason.empty()) {
      line_.outcome = Outcome::skipped;
      line_.skip = reason;
    } else {
      judge();
    }
    append(folder);
  }

 private:
  void fill_line(const std::string& folder, const std::string& root) {
    line_.host = turn_.host;
    line_.session_id = turn_.session_id;
    line_.prompt_id = turn_.prompt_id;
    line_.turn_id = turn_.turn_id;
    line_.transcript_path = turn_.transcript_path;
    line_.cwd = turn_.cwd;
    line_.permission_mode = turn_.permission_mode;
    line_.stop_hook_active = turn_.stop_hook_active;
    const std::string& project = root.empty() ? folder : root;
    if (!project.empty() && project.size() <= kMaxPathBytes) {
      line_.project = project;
    }
    line_.policy = LogLine::PolicyName{found_->path, {}, {}, {}};
    if (found_->policy.ok()) {
      const Policy& policy = *found_->policy;
      line_.policy->file = policy.fingerprints.file;
      line_.policy->questions = policy.fingerprints.questions;
      line_.policy->rules = policy.fingerprints.rules;
      line_.judge = judge_text(found_->judge);
      read_background(payload_, policy.ignore_background, turn_);
      line_.background = turn_.background;
    }
  }

  void broken_policy() {
    context_.log.warning("the stop policy " + found_->path +
                         " is broken: " + found_->policy.error().what);
    if (mark_.policy_error) {
      return;
    }
    line_.outcome = Outcome::policy_error;
    fail("policy", found_->policy.error().what);
    mark_.policy_error = true;
    append(turn_.cwd.value_or(""));
  }

  void fail(std::string_view kind, std::string_view message) {
    line_.error = LogLine::Failure{
        std::string(kind),
        std::string(base::prefix_code_points(
            base::without_controls(redact(message).text, base::Keep::nothing), kMaxErrorChars))};
  }

  [[nodiscard]] std::string_view skip_reason() const {
    const Policy& policy = *found_->policy;
    const auto& modes = policy.skip_permission_modes;
    if (turn_.permission_mode &&
        std::find(modes.begin(), modes.end(), *turn_.permission_mode) != modes.end()) {
      return "permission_mode";
    }
    if (!policy.judge_unattended &&
        context_.environment.get_or_empty("CLAUDE_CODE_SESSION_ATTENDED") == "0") {
      return "unattended";
    }
    if (turn_.tasks_block) {
      return "background_tasks";
    }
    if (turn_.crons_block) {
      return "session_crons";
    }
    if (base::is_blank(turn_.message)) {
      return "no_message";
    }
    return sends(found_->judge) && mark_.breaker_open() ? "breaker_open" : "";
  }

  void judge() {
    const Policy& policy = *found_->policy;
    Redacted clean = redact(end_of_message(turn_.message));
    Tail tail = cut_tail(clean.text, policy.tail_chars);
    // Its start is missing too where what was kept of it is short once it is redacted.
    tail.cut = tail.cut || turn_.message.size() > kMaxRedactedBytes;
    line_.message_chars = static_cast<std::int64_t>(base::count_code_points(turn_.message));
    line_.sent_chars = static_cast<std::int64_t>(tail.chars);
    line_.truncated = tail.cut;
    line_.redacted_kinds = std::move(clean.kinds);
    const Request request{policy.questions, state_json(tail)};
    const JudgeResult result = ask(request);
    if (const auto* error = std::get_if<JudgeError>(&result)) {
      line_.outcome = Outcome::error;
      fail(judge_error_name(error->kind), error->message);
      return;
    }
    const auto& reply = std::get<Reply>(result);
    const Decision decision = rescore(reply.answers, policy);
    line_.outcome = Outcome::judged;
    line_.verdict = decision.verdict;
    line_.reason = decision.reason;
    line_.answers = reply.answers;
    line_.p_kind = reply.p_kind;
    line_.model = std::string(base::prefix_bytes(reply.model, kMaxIdBytes));
    line_.state = request.state;
  }

  JudgeResult ask(const Request& request) {
    if (found_->judge_error) {
      return JudgeError{JudgeErrorKind::invalid_request, *found_->judge_error};
    }
    std::variant<UsableJudge, JudgeError> usable =
        usable_judge(found_->judge, context_.environment);
    JudgeResult result = JudgeError{};
    base::Milliseconds took{0};
    if (const auto* error = std::get_if<JudgeError>(&usable)) {
      result = *error;
    } else {
      const base::SteadyTime asked = context_.clock.steady();
      result = ask_usable(std::get<UsableJudge>(usable), request);
      took = since(asked, context_.clock.steady());
      line_.latency_judge_ms = took.count();
    }
    if (sends(found_->judge)) {
      const bool failed = std::holds_alternative<JudgeError>(result);
      mark_.failures = failed ? mark_.failures + 1 : 0;
      mark_.slow = took > found_->policy->timeout / 2 ? mark_.slow + 1 : 0;
    }
    return result;
  }

  JudgeResult ask_usable(const UsableJudge& usable, const Request& request) {
    if (!usable.endpoint.empty()) {
      line_.endpoint = usable.endpoint;
    }
    if (found_->judge == JudgeName::local) {
      return ask_local(request);
    }
    const base::Milliseconds time = found_->policy->timeout;
    if (options_.arm) {
      options_.arm(time + kAfterJudge);
    }
    const base::SteadyTime deadline =
        std::min(base::deadline_in(time), options_.deadline - kForTheLine);
    if (found_->judge == JudgeName::mock) {
      return ask_mock(request, context_.environment, deadline);
    }
    std::atomic<pid_t> unwatched{0};
    const ChildPlace place{context_.environment, deadline,
                           options_.child_group != nullptr ? *options_.child_group : unwatched};
    return found_->judge == JudgeName::command
               ? ask_command(usable.settings, request, place)
               : ask_net(options_.net_program, usable.settings, request, place);
  }

  void append(const std::string& folder) {
    const SeatLook look = look_at_seat(options_.seat, context_.environment, turn_.host, folder,
                                       turn_.session_id, line_.ts_ms);
    line_.seat = look.seat;
    line_.waiting = look.waiting;
    line_.latency_total_ms = since(begin_, context_.clock.steady()).count();
    std::optional<SessionMark> mark;
    if (mark_ != before_) {
      mark_.seen_ms = line_.ts_ms;
      mark = mark_;
    }
    if (const base::Status written = append_line(files_, line_, mark, kLogLockWait); !written) {
      context_.log.warning("the stop could not be logged: " + written.error().what);
    } else {
      context_.log.info("stop logged: " + std::string(outcome_name(line_.outcome)));
    }
  }

  const RecordOptions& options_;
  const base::Context& context_;
  const harness::Payload& payload_;
  TurnEnd turn_;
  StopFiles files_;
  base::SteadyTime begin_;
  LogLine line_;
  std::optional<FoundPolicy> found_;
  SessionMark mark_;
  SessionMark before_;
};

}  // namespace

void record(const RecordOptions& options, const base::Context& context, int stdin_fd) {
  if (context.environment.nonblank("ROBOT_COUNCIL_IN_JUDGE")) {
    return;  // the turn of an agent that a judge asks
  }
  const Began began{context.clock.wall_ms(), context.clock.steady()};
  const base::Result<std::string> bytes = harness::read_payload(stdin_fd, options.limits);
  const base::Result<harness::Payload> payload =
      bytes.ok() ? harness::parse_payload(*bytes) : base::Result<harness::Payload>(bytes.error());
  if (!payload.ok()) {
    context.log.info("no payload: " + payload.error().what);
    return;
  }
  std::optional<TurnEnd> turn = read_turn_end(*payload);
  if (!turn) {
    context.log.info("no turn end to record");
    return;
  }
  Recorder(options, context, began, *payload, *std::move(turn)).run();
}

}  // namespace robot_council::stops
