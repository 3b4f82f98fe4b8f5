#include "wiring/online/demo.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "account/device_flow.hpp"
#include "base/files.hpp"
#include "base/json_value.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "brake/homes.hpp"
#include "brake/survey.hpp"
#include "stop-hook/script.hpp"
#include "wiring/online/demo_world.hpp"
#include "wiring/online/limits.hpp"

namespace robot_council::wiring::online {

namespace {

constexpr const char* kFirst = "Rebase your branch before you go on.";
constexpr const char* kSecond = "Leave the file README.md to session 2.";
constexpr const char* kThird = "The release waits for your tests.";

// What a step expected and what came, when they differ.
struct Outcome {
  bool proven = false;
  std::string text;      // shown on the step's line, or what came
  std::string expected;  // of a failed step
  std::string shown;     // lines printed below the step's line
  std::string child;     // whose stderr belongs to a failure
};

Outcome proven(const std::string& text) {
  return Outcome{true, text, "", "", ""};
}

Outcome differs(const std::string& expected, const std::string& came,
                const std::string& child = "") {
  return Outcome{false, came.empty() ? "nothing" : came, expected, "", child};
}

// A step whose work tells its own success.
Outcome told(const base::Result<std::string>& result, const std::string& expected,
             const std::string& child = "") {
  return result ? proven(*result) : differs(expected, result.error().what, child);
}

std::string describe(const HookRun& run) {
  return "exit " + std::to_string(run.code) + ", stdout " +
         (run.out.empty() ? "empty" : base::for_display(run.out)) +
         (run.err.empty() ? "" : ", stderr " + base::for_display(run.err));
}

// The reason of the one JSON object that Claude Code takes, "" if the output is anything else.
std::string reason_of(const HookRun& run) {
  const auto answer = base::parse_bounded(run.out, kDemoMaxText);
  if (run.code != 0 || !answer || base::get_string(*answer, "decision") != "block") {
    return "";
  }
  return base::get_string(*answer, "reason").value_or("");
}

class Demo {
 public:
  Demo(const base::Context& context, const account::Output& out, DemoWorld& world,
       const std::function<bool()>& interrupted, const account::Pause& pause)
      : context_(context), out_(out), world_(world), interrupted_(interrupted), pause_(pause) {}

  // True if every step was proven.
  bool run() {
    struct Step {
      const char* text;
      std::function<Outcome()> work;
    };
    const std::vector<Step> steps = {
        {"the service runs",
         [this] {
           return told(world_.start_service(), "its line \"listening on http://...\"", "serve");
         }},
        {"this machine is enrolled",
         [this] { return told(world_.enrol(), "enroll exits 0", "serve"); }},
        {"a session joins through the bridge",
         [this] { return told(world_.join(), "the answer of `join`", "mcp"); }},
        {"the operator posts a directive",
         [this] { return told(world_.post_directive(kFirst), "HTTP 201", "serve"); }},
        {"it is in the sink",
         [this] {
           return told(world_.wait_for_row("waiting", kFirst, ""), "one row waiting", "mcp");
         }},
        {"a turn ends, and the agent is handed",
         [this] { return handed_over(world_.turn("000000000001", Continued::no), kFirst, false); }},
        {"the next turn end is quiet",
         [this] { return quiet(world_.turn("000000000001", Continued::yes)); }},
        {"a hook is killed while it prints", [this] { return killed(); }},
        {"the next turn end prints it, marked",
         [this] { return handed_over(world_.turn("000000000003", Continued::no), kSecond, true); }},
        {"a person stops this checkout", [this] { return stopped(); }},
        {"the stop is lifted, and it is printed", [this] { return lifted(); }},
        {"everything ends by itself", [this] { return ended(); }},
    };
    int number = 0;
    for (const auto& step : steps) {
      ++number;
      const base::SteadyTime begin = context_.clock.steady();
      const Outcome outcome = step.work();
      const auto took =
          std::chrono::duration_cast<base::Milliseconds>(context_.clock.steady() - begin);
      if (!report(number, step.text, outcome, took)) {
        return false;
      }
    }
    return true;
  }

 private:
  bool report(int number, const std::string& text, const Outcome& outcome,
              base::Milliseconds took) {
    // Ctrl-C reaches the children as well: one may end before this process has seen the signal.
    if (!outcome.proven && (interrupted_() || !pause_(base::deadline_in(kDemoSignalTime)))) {
      (void)out_("Interrupted in step " + std::to_string(number) + " (" + text +
                 "); nothing is left.\n");
      return false;
    }
    std::string line = (number < 10 ? " " : "") + std::to_string(number) + "  " + text;
    if (outcome.proven && !outcome.text.empty()) {
      line += ": " + outcome.text;
    }
    line +=
        "  " + std::to_string(took.count()) + " ms  " + (outcome.proven ? "ok" : "FAILED") + "\n";
    if (!outcome.shown.empty()) {
      line += outcome.shown + "\n";
    }
    if (!outcome.proven) {
      line += "    expected: " + outcome.expected +
              "\n    came:     " + base::replace_all(outcome.text, "\n", "\n              ") + "\n";
      const std::string errors = outcome.child.empty() ? "" : world_.last_errors(outcome.child);
      if (!errors.empty()) {
        line += "    the last lines of `robot-council " + outcome.child + "` on stderr:\n      " +
                base::replace_all(base::without_controls(errors, base::Keep::line_breaks_and_tabs),
                                  "\n", "\n      ") +
                "\n";
      }
    }
    if (auto written = out_(line); !written) {
      context_.log.error("cannot write the answer to stdout: " + written.error().what);
      return false;
    }
    return outcome.proven;
  }

  // A turn end that must give exactly one answer with the directive in it.
  Outcome handed_over(const StopTurn& turn, const std::string& text, bool repeat) {
    const auto run = world_.turn_end(turn);
    if (!run) {
      return differs("one JSON object for the agent", run.error().what, "mcp");
    }
    const std::string reason = reason_of(*run);
    const bool marked = reason.find("[repeat] ") != std::string::npos;
    if (reason.find(text) == std::string::npos || marked != repeat) {
      return differs(std::string(R"({"decision":"block"} with the directive, )") +
                         (repeat ? "marked [repeat]" : "not marked"),
                     describe(*run), "mcp");
    }
    Outcome outcome = proven("");
    outcome.shown = "      " + run->out;
    return outcome;
  }

  Outcome quiet(const StopTurn& turn) {
    const auto run = world_.turn_end(turn);
    if (!run) {
      return differs("no output, exit 0", run.error().what, "mcp");
    }
    return run->out.empty() && run->code == 0 ? proven("nothing printed")
                                              : differs("no output, exit 0", describe(*run), "mcp");
  }

  // Posts a directive and waits until it is in the sink; nothing if both went well.
  std::optional<Outcome> stored(const std::string& text) {
    const auto posted = world_.post_directive(text);
    if (!posted) {
      return differs("HTTP 201 for the directive", posted.error().what, "serve");
    }
    const auto waiting = world_.wait_for_row("waiting", text, "");
    if (!waiting) {
      return differs("the directive in the sink", waiting.error().what, "mcp");
    }
    return std::nullopt;
  }

  Outcome killed() {
    if (auto failed = stored(kSecond)) {
      return *failed;
    }
    return told(world_.killed_turn_end(world_.turn("000000000002", Continued::no), kSecond),
                "a hook that still prints when it is killed", "mcp");
  }

  Outcome stopped() {
    const auto put = world_.put_stop_file();
    if (!put) {
      return differs("the checkout's stop file", put.error().what);
    }
    if (auto failed = stored(kThird)) {
      return *failed;
    }
    // The continuation of step 9: it also proves that the second directive was taken in, so that
    // one event is left.
    Outcome outcome = quiet(world_.turn("000000000003", Continued::yes));
    if (!outcome.proven) {
      return outcome;
    }
    const auto status =
        world_.run({"status", "--json", "--service", world_.service(), "--harness", "claude"});
    if (!status) {
      return differs("`status` shows the stop", status.error().what);
    }
    const auto shown = base::parse_bounded(status->out, kDemoMaxText);
    const base::Json* brake = shown ? base::get_object(*shown, "brake") : nullptr;
    const base::Json* seats = shown ? base::get_array(*shown, "seats") : nullptr;
    const base::Json* events = seats == nullptr || seats->size() != 1
                                   ? nullptr
                                   : base::get_object(seats->front(), "events");
    const auto waiting = events == nullptr ? std::nullopt : base::get_integer(*events, "waiting");
    if (brake == nullptr || waiting != 1) {
      return differs("`status` shows the stop and 1 waiting event", describe(*status));
    }
    return proven("nothing printed, `status` shows the stop and 1 waiting");
  }

  Outcome lifted() {
    const auto removed = world_.remove_stop_file();
    if (!removed) {
      return differs("the stop file gone", removed.error().what);
    }
    return handed_over(world_.turn("000000000004", Continued::no), kThird, false);
  }

  Outcome ended() {
    const auto bridge = world_.end_bridge();
    if (!bridge) {
      return differs("the bridge ends when its stdin closes", bridge.error().what, "mcp");
    }
    return told(world_.end_service(), "the service ends on SIGTERM", "serve");
  }

  const base::Context& context_;
  const account::Output& out_;
  DemoWorld& world_;
  const std::function<bool()>& interrupted_;
  const account::Pause& pause_;
};

// The machine's stop file reaches the demo's agent too: the bridge and the hook look into the real
// home folder.
std::string stopped_everywhere(const base::Context& context) {
  std::vector<brake::Copy> copies;
  brake::survey_everywhere(brake::find_homes(context.environment), copies);
  return copies.empty() ? "" : copies.front().path;
}

}  // namespace

std::string find_stop_hook_script(const std::string& program) {
  constexpr int kFoldersUp = 4;
  const auto real = base::real_path(program);
  std::string folder = base::parent_path(real ? *real : program);
  const std::string name = "/" + std::string(stop_hook::kScriptName);
  std::string installed = base::parent_path(folder) + "/share/robot-council/stop-hook" + name;
  if (base::exists(installed)) {
    return installed;
  }
  for (int up = 0; up < kFoldersUp && folder != "/"; ++up) {
    std::string in_tree = folder;
    in_tree += "/resources/stop-hook";
    in_tree += name;
    if (base::exists(in_tree)) {
      return in_tree;
    }
    folder = base::parent_path(folder);
  }
  return "";
}

int demo(const base::Context& context, const DemoOptions& options, const account::Output& out,
         const std::function<bool()>& interrupted, const account::Pause& pause) {
  const std::string stop = stopped_everywhere(context);
  if (!stop.empty()) {
    context.log.error("this machine is stopped (" + stop +
                      "), so the demo's agent would be too; run `robot-council resume "
                      "--everywhere` first");
    return account::kExitFailed;
  }
  const std::string script =
      options.script.empty() ? find_stop_hook_script(options.program) : options.script;
  if (script.empty() || !base::exists(script)) {
    context.log.error("the stop-hook script was not found" +
                      (script.empty() ? "" : " at " + script) +
                      "; name it with --script, or reinstall robot-council");
    return account::kExitFailed;
  }
  auto world = DemoWorld::create({context, options.program, script, interrupted, pause});
  if (!world) {
    context.log.error("the demo's folder could not be prepared: " + world.error().what);
    return account::kExitFailed;
  }
  const base::SteadyTime begin = context.clock.steady();
  const bool all = Demo(context, out, **world, interrupted, pause).run();
  world->reset();
  if (interrupted()) {
    return account::kExitInterrupted;
  }
  if (!all) {
    return account::kExitFailed;
  }
  const auto took = std::chrono::duration_cast<base::Milliseconds>(context.clock.steady() - begin);
  const auto written = out("Every step was proven, in " + std::to_string(took.count()) +
                           " ms. Nothing was installed, nothing is left.\n");
  return written ? account::kExitOk : account::kExitFailed;
}

int demo(const base::Context& context, const DemoOptions& options) {
  auto interrupt = account::Interrupt::open();
  if (!interrupt) {
    context.log.error("cannot watch for signals: " + interrupt.error().what);
    return account::kExitFailed;
  }
  account::Interrupt& signals = **interrupt;
  return demo(
      context, options, account::write_stdout, [&signals] { return signals.requested(); },
      [&signals](base::SteadyTime until) { return signals.pause_until(until); });
}

}  // namespace robot_council::wiring::online
