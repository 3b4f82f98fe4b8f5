#include "wiring/online/doctor_part.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <utility>

#include "base/json_value.hpp"
#include "brake/status.hpp"
#include "harness/names.hpp"
#include "wiring/online/doctor_brake.hpp"
#include "wiring/online/doctor_local.hpp"
#include "wiring/online/doctor_online.hpp"
#include "wiring/online/doctor_proof.hpp"
#include "wiring/online/doctor_stops.hpp"
#include "wiring/online/doctor_wake.hpp"
#include "wiring/online/limits.hpp"

namespace robot_council::wiring::online {

namespace {

// The local checks between those of the service and the proof, in their order.
struct LocalCheck {
  const char* id;
  Check (*look)(const LocalChecks&);
};
constexpr std::array<LocalCheck, 3> kBefore = {
    {{"binary", check_binary}, {"version", check_version}, {"script", check_script}}};
constexpr std::array<LocalCheck, 11> kBetween = {{
    {"state-dir", check_state_dir},
    {"file-system", check_file_system},
    {"sqlite", check_sqlite},
    {"seat-key", check_seat_key},
    {"bridge", check_bridge},
    {"second-bridge", check_second_bridge},
    {"feed", check_feed},
    {"hook-scan", check_hook_scan},
    {"hook-ran", check_hook_ran},
    {"stops", check_stops},
    {"wake-path", check_wake_path},
}};
// What looks into the folder of the sinks, or needs what is there.
constexpr std::array<std::string_view, 10> kOfState = {
    "state-dir",     "file-system", "sqlite",   "seat-key", "bridge",
    "second-bridge", "feed",        "hook-ran", "proof",    "wake"};

base::OrderedJson as_json(const Check& check) {
  base::OrderedJson object = base::OrderedJson::object();
  object["id"] = check.id;
  object["status"] = to_text(check.state);
  object["text"] = check.text;
  object["remedy"] = check.remedy;
  return object;
}

class Part {
 public:
  Part(const base::Context& context, const DoctorPart& part, const account::Output& out)
      : context_(context),
        part_(part),
        out_(out),
        deadline_(base::deadline_in(part.left)),
        past_(part.after.empty()) {}

  int run() {
    if (fresh("brake")) {
      begin("brake");
      look_at_brake();
    }
    for (const std::string& harness : doctor_harnesses(part_.query)) {
      look_at_harness(harness);
    }
    write("end", true);
    return written_ ? account::kExitOk : account::kExitFailed;
  }

 private:
  // A step that is still to be done. The one that was the last to be over ends what is skipped.
  bool fresh(const std::string& step) {
    if (past_) {
      return true;
    }
    past_ = step == part_.after;
    return false;
  }

  [[nodiscard]] bool hung(const std::string& step) const {
    return std::find(part_.hung.begin(), part_.hung.end(), step) != part_.hung.end();
  }

  // Who watches has gone when this fails: nothing more is looked at.
  void write(const char* name, base::OrderedJson value) {
    if (written_) {
      base::OrderedJson line = base::OrderedJson::object();
      line[name] = std::move(value);
      written_ = out_(base::dump_safe(line) + "\n").ok();
    }
  }
  void begin(const std::string& step) { write("begin", step); }
  void tell(const Check& check) { write("check", as_json(check)); }

  [[nodiscard]] base::SteadyTime end_of(base::Milliseconds time) const {
    return std::min(deadline_, base::deadline_in(time));
  }

  void look_at_brake() {
    const auto status = brake::brake_status(context_, part_.query.folder);
    base::OrderedJson told = base::OrderedJson::object();
    told["lines"] = status.lines;
    told["json"] = status.json;
    told["checks"] = base::OrderedJson::array();
    for (const Check& check : check_brake(context_, part_.query.folder)) {
      told["checks"].push_back(as_json(check));
    }
    write("brake", std::move(told));
  }

  void look_at_harness(const std::string& harness) {
    const std::string head = harness + " ";
    const bool was_begun = !past_ && part_.after.compare(0, head.size(), head) == 0;
    if (!written_ || (!past_ && !was_begun)) {
      return;
    }
    if (hung(head + "settings")) {
      past_ = true;
      return;
    }
    begin(head + "settings");
    DoctorSeat seat = look_at_settings(context_, part_.query, harness);
    if (harness::reduce_name(part_.query.harness).empty() && !seat.entry) {
      past_ = true;
      return;  // not wired here
    }
    if (!hung(head + "state")) {
      begin(head + "state");
      look_at_state(context_, seat);
    }
    base::OrderedJson told = base::OrderedJson::object();
    told["harness"] = seat.harness;
    told["service"] = seat.service;
    told["key"] = seat.seat ? seat.seat->files.key : "";
    write("seat", std::move(told));
    if (part_.after == head + "settings" || part_.after == head + "state") {
      past_ = true;
    }
    examine(seat, head);
    past_ = true;
  }

  void examine(const DoctorSeat& seat, const std::string& head) {
    const auto local = [&](const LocalCheck& check) {
      add(head, check.id, [&] {
        return check.look({context_, seat, part_.program, end_of(part_.one)});
      });
    };
    std::for_each(std::begin(kBefore), std::end(kBefore), local);
    ask_online(seat, head);
    std::for_each(std::begin(kBetween), std::end(kBetween), local);
    add(head, "proof", [&] { return prove_delivery(context_, seat, end_of(part_.proof)); });
    if (part_.wake == Wake::yes) {
      add(head, "wake", [&] { return check_wake(context_, seat, end_of(kWakeTime)); });
    }
  }

  void ask_online(const DoctorSeat& seat, const std::string& head) {
    if (!past_) {
      for (const std::string& id : online_ids()) {
        (void)fresh(head + id);  // they are told together, or not at all
      }
      return;
    }
    if (base::time_left(deadline_).count() == 0) {
      for (const std::string& id : online_ids()) {
        tell(too_late(id));
      }
      return;
    }
    check_online(
        context_, seat, part_.one, deadline_,
        {[&](const char* id) { begin(head + id); }, [&](const Check& check) { tell(check); }});
  }

  static Check too_late(const std::string& id) {
    return check_unknown(id, "not looked at: the time of all checks together was over",
                         "Name one harness with --harness.");
  }

  // None hides another: what there was no time for is said.
  void add(const std::string& head, const char* id, const std::function<Check()>& look) {
    if (!fresh(head + id) || !written_) {
      return;
    }
    const bool of_state =
        std::find(std::begin(kOfState), std::end(kOfState), id) != std::end(kOfState);
    if (of_state && hung(head + "state")) {
      tell(without_state(id));
      return;
    }
    if (base::time_left(deadline_).count() == 0) {
      tell(too_late(id));
      return;
    }
    begin(head + id);
    tell(look());
  }

  static Check without_state(const char* id) {
    return std::string_view(id) == "state-dir"
               ? check_failed(id, "the folder of the sinks does not answer",
                              "Mend the file system that it is on, or set XDG_STATE_HOME to a "
                              "local folder.")
               : check_unknown(id, "the folder of the sinks does not answer", "See state-dir.");
  }

  const base::Context& context_;
  const DoctorPart& part_;
  const account::Output& out_;
  base::SteadyTime deadline_;
  bool past_;  // all that is skipped lies behind
  bool written_ = true;
};

}  // namespace

const std::vector<std::string>& online_ids() {
  static const std::vector<std::string> ids = {"service", "clock", "credential", "expiry",
                                               "coordinator"};
  return ids;
}

std::vector<std::string> doctor_ids(Wake wake) {
  std::vector<std::string> ids;
  const auto add = [&ids](const LocalCheck& check) { ids.emplace_back(check.id); };
  std::for_each(std::begin(kBefore), std::end(kBefore), add);
  ids.insert(ids.end(), online_ids().begin(), online_ids().end());
  std::for_each(std::begin(kBetween), std::end(kBetween), add);
  ids.emplace_back("proof");
  if (wake == Wake::yes) {
    ids.emplace_back("wake");
  }
  return ids;
}

std::vector<std::string> doctor_harnesses(const DoctorQuery& query) {
  const std::string named = harness::reduce_name(query.harness);
  return named.empty() ? stop_hook::scanned_harnesses() : std::vector<std::string>{named};
}

int doctor_part(const base::Context& context, const DoctorPart& part, const account::Output& out) {
  return Part(context, part, out).run();
}

}  // namespace robot_council::wiring::online
