#include "wiring/online/doctor_proof.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/child.hpp"
#include "base/files.hpp"
#include "base/json_value.hpp"
#include "base/paths.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "base/utf8.hpp"
#include "brake/decision.hpp"
#include "sink/store.hpp"
#include "wiring/online/demo_world.hpp"
#include "wiring/online/hook_payload.hpp"
#include "wiring/online/limits.hpp"

namespace robot_council::wiring::online {

namespace {

constexpr const char* kId = "proof";
constexpr std::size_t kCanaryBytes = 16;  // 32 hex digits

class Proof {
 public:
  Proof(const base::Context& context, const DoctorSeat& seat, ScratchFolder folder,
        base::SteadyTime deadline)
      : context_(context),
        seat_(seat),
        folder_(std::move(folder)),
        home_(base::home_directory(context.environment)),
        deadline_(deadline) {}

  Check run() {
    std::vector<std::string> directories = {seat_.folder};
    if (seat_.harness == "claude") {
      const std::string below = plain_sub_directory(seat_.folder);
      if (!below.empty()) {
        directories.push_back(below);  // its hook follows the agent's `cd`
      }
    }
    for (const auto& directory : directories) {
      const std::string wrong = round(directory);
      if (!wrong.empty()) {
        return check_failed(kId, wrong,
                            "Run the entry's command by hand with a payload on stdin, or "
                            "`robot-council hooks scan --harness " +
                                seat_.harness + "`.");
      }
    }
    return check_ok(kId, "a test event went through `" + base::for_display(seat_.entry->command) +
                             "`" + (directories.size() > 1 ? ", from a sub-directory too" : "") +
                             ", was printed once and confirmed");
  }

 private:
  // One canary through the hook, started in `directory`. "" if it was proven, else what came.
  std::string round(const std::string& directory) {
    ++rounds_;
    canary_ = base::random_hex(kCanaryBytes);
    if (auto stored = store(); !stored) {
      return "the test event could not be stored: " + stored.error().what;
    }
    const std::string number = std::to_string(rounds_);
    StopTurn turn{"doctor-" + canary_.substr(0, 8), "doctor-turn-" + number + "a", seat_.folder,
                  Continued::no};
    const auto first = hook(turn, directory);
    if (!first) {
      return "the hook " + first.error().what;
    }
    if (std::string wrong = wrong_answer(*first); !wrong.empty()) {
      return wrong;
    }
    turn.continued = Continued::yes;
    if (std::string wrong = not_quiet(hook(turn, directory), "the turn end after it");
        !wrong.empty()) {
      return wrong;
    }
    turn.continued = Continued::no;
    turn.turn = "doctor-turn-" + number + "b";
    if (std::string wrong = not_quiet(hook(turn, directory), "the next turn's end");
        !wrong.empty()) {
      return wrong;
    }
    return confirmed() ? "" : "the test event was printed, but no later turn end confirmed it";
  }

  base::Status store() {
    const base::MapEnvironment private_state({{"HOME", home_}, {"XDG_STATE_HOME", folder_.path()}});
    auto seat = sink::resolve_seat(seat_.seat->names, seat_.folder, private_state);
    if (!seat) {
      return seat.error();
    }
    files_ = seat->files;
    // A key that a running bridge recorded is the one the hook would use, but only with the real
    // state folder.
    sink::JoinInfo join;
    join.bridge = sink::own_process();
    join.client = sink::parent_process();
    base::MemoryLog quiet;
    auto opened = sink::BridgeStore::open(
        files_, join, base::Context{context_.clock, context_.environment, quiet});
    if (!opened) {
      return opened.error();
    }
    base::OrderedJson event = base::OrderedJson::object();
    event["id"] = rounds_;
    event["type"] = "doctor.canary";
    event["body"] = "A test event of robot-council doctor: " + canary_;
    event["created_at"] = base::iso_offset(context_.clock.wall_ms());
    sink::Page page;
    page.events.push_back(sink::FeedEvent::from_json(base::dump_safe(event)));
    auto added = opened->append(page);
    return added ? base::Status() : base::Status(added.error());
  }

  // The entry's own command, started as the harness does.
  base::Result<base::Finished> hook(const StopTurn& turn, const std::string& directory) const {
    const HookStart start =
        hook_start(seat_.harness, turn, home_, context_.environment.get_or_empty("SHELL"));
    base::ChildOptions options;
    options.argv = start.shell;
    options.argv.push_back(seat_.entry->command);
    options.environment = start.variables;
    options.environment.push_back("HOME=" + home_);
    options.environment.push_back("PATH=" + hook_path(seat_).value);
    options.environment.push_back("XDG_STATE_HOME=" + folder_.path());
    options.environment.push_back("ROBOT_COUNCIL_PROOF_STATE=" + folder_.path());
    options.directory = start.directory == turn.folder ? directory : start.directory;
    if (!base::exists(*options.directory)) {
      options.directory = directory;
    }
    options.standard_err = base::Stdio::pipe;
    const base::Milliseconds own(std::max<std::int64_t>(seat_.entry->timeout_ms, 1));
    auto ran = base::run_child(std::move(options), stop_payload(seat_.harness, turn),
                               std::min(deadline_, base::deadline_in(own)), kMaxHookOutput);
    if (!ran && ran.error().code == base::Errc::timeout) {
      return base::Error{base::Errc::timeout, "did not end within its timeout of " +
                                                  std::to_string(own.count()) + " ms"};
    }
    return ran;
  }

  static std::string shown(const base::Finished& ran) {
    return "exit " + std::to_string(ran.status.code) + ", stdout " +
           (ran.out.empty() ? "empty" : base::for_display(ran.out)) +
           (ran.err.empty() ? "" : ", stderr " + base::for_display(ran.err));
  }

  [[nodiscard]] std::string wrong_answer(const base::Finished& ran) const {
    const auto answer = base::parse_bounded(ran.out, kMaxHookOutput);
    if (!answer || !answer->is_object()) {
      return "the hook's output is not one JSON object: " + shown(ran);
    }
    std::string text;
    if (seat_.harness == "cursor") {
      text = base::get_string(*answer, "followup_message").value_or("");
    } else {
      const std::string decision = base::get_string(*answer, "decision").value_or("");
      if (decision == "block" || (decision == "deny" && seat_.harness == "gemini")) {
        text = base::get_string(*answer, "reason").value_or("");
      }
    }
    if (text.empty()) {
      return "the hook's answer has not the shape that " + seat_.harness + " takes: " + shown(ran);
    }
    return text.find(canary_) == std::string::npos
               ? "the hook's answer does not hold the test event: " + shown(ran)
               : "";
  }

  static std::string not_quiet(const base::Result<base::Finished>& ran, const std::string& when) {
    if (!ran) {
      return "at " + when + " the hook " + ran.error().what;
    }
    return ran->out.empty() ? "" : "at " + when + " the hook printed again: " + shown(*ran);
  }

  bool confirmed() {
    auto store = sink::DeliveryStore::open(files_, sink::Access::read_only, sink::WaitBudget());
    if (!store || !store->has_value()) {
      return false;
    }
    const auto history = (*store)->history(kMaxProofRows);
    return history &&
           std::any_of(history->begin(), history->end(), [this](const sink::HistoryRow& row) {
             return row.why == sink::why_text(sink::Why::confirmed) &&
                    row.json.find(canary_) != std::string::npos;
           });
  }

  const base::Context& context_;
  const DoctorSeat& seat_;
  ScratchFolder folder_;
  std::string home_;
  base::SteadyTime deadline_;
  std::string canary_;
  sink::SeatFiles files_;
  int rounds_ = 0;
};

}  // namespace

Check prove_delivery(const base::Context& context, const DoctorSeat& seat,
                     base::SteadyTime deadline) {
  if (!seat.entry) {
    return check_failed(
        kId, "no entry of " + seat.harness + " hands events over, so nothing could be proven",
        "Run `robot-council setup " + seat.harness + "`.");
  }
  if (!seat.seat) {
    return check_unknown(kId, "the fleet's service is not known, so the sink is not either",
                         "Pass --service, or set ROBOT_COUNCIL_SERVICE in the script.");
  }
  if (brake::decide_for_seat(context.environment, seat.harness, {seat.folder}).refused()) {
    return check_unknown(kId, "a stop is on, and the hook hands nothing over while it is",
                         "Lift it with robot-council resume.");
  }
  auto folder = ScratchFolder::create(context.environment, "robot-council-doctor");
  if (!folder) {
    return check_unknown(kId, folder.error().what, "Free the temporary folder.");
  }
  return Proof(context, seat, std::move(*folder), deadline).run();
}

}  // namespace robot_council::wiring::online
