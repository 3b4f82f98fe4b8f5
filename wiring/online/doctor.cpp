#include "wiring/online/doctor.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/json_value.hpp"
#include "base/utf8.hpp"
#include "brake/status.hpp"
#include "harness/names.hpp"
#include "wiring/online/doctor_brake.hpp"
#include "wiring/online/doctor_check.hpp"
#include "wiring/online/doctor_local.hpp"
#include "wiring/online/doctor_online.hpp"
#include "wiring/online/doctor_proof.hpp"
#include "wiring/online/doctor_stops.hpp"
#include "wiring/online/doctor_wake.hpp"
#include "wiring/online/limits.hpp"

namespace robot_council::wiring::online {

namespace {

constexpr std::int64_t kMsInSecond = 1000;

struct Examined {
  DoctorSeat seat;
  std::vector<Check> checks;
};

// The local checks between those of the service and the proof, in their order.
struct LocalCheck {
  const char* id;
  Check (*look)(const LocalChecks&);
};
constexpr LocalCheck kBefore[] = {
    {"binary", check_binary}, {"version", check_version}, {"script", check_script}};
constexpr LocalCheck kBetween[] = {
    {"state-dir", check_state_dir}, {"file-system", check_file_system},
    {"sqlite", check_sqlite},       {"seat-key", check_seat_key},
    {"bridge", check_bridge},       {"second-bridge", check_second_bridge},
    {"feed", check_feed},           {"hook-scan", check_hook_scan},
    {"hook-ran", check_hook_ran},   {"stops", check_stops},
    {"wake-path", check_wake_path},
};

class Examination {
 public:
  Examination(const base::Context& context, const DoctorOptions& options, const DoctorSeat& seat,
              base::SteadyTime deadline)
      : context_(context), options_(options), seat_(seat), deadline_(deadline) {}

  std::vector<Check> run() {
    for (const LocalCheck& check : kBefore) {
      local(check);
    }
    for (auto& check : check_online(context_, seat_, deadline_)) {
      all_.push_back(std::move(check));
    }
    for (const LocalCheck& check : kBetween) {
      local(check);
    }
    add("proof", [this] { return prove_delivery(context_, seat_, end_of(kProofTime)); });
    if (options_.wake == Wake::yes) {
      add("wake", [this] { return check_wake(context_, seat_, deadline_); });
    }
    lead_with_wake();
    return std::move(all_);
  }

 private:
  [[nodiscard]] base::SteadyTime end_of(base::Milliseconds time) const {
    return std::min(deadline_, base::deadline_in(time));
  }

  void local(const LocalCheck& check) {
    add(check.id, [&] {
      return check.look({context_, seat_, options_.program, end_of(kDoctorCheckTime)});
    });
  }

  // A wake entry that runs in the foreground holds each prompt for a day: nothing else matters
  // until that is mended.
  void lead_with_wake() {
    const auto found = std::find_if(all_.begin(), all_.end(), [](const Check& check) {
      return check.id == "wake-path" && check.state == CheckState::failed;
    });
    if (found != all_.end()) {
      std::rotate(all_.begin(), found, found + 1);
    }
  }

  // None hides another: what there was no time for is said.
  void add(const char* id, const std::function<Check()>& look) {
    all_.push_back(base::time_left(deadline_).count() > 0
                       ? look()
                       : check_unknown(id,
                                       "not looked at: the " +
                                           std::to_string(kDoctorTime.count() / kMsInSecond) +
                                           " s of all checks were over",
                                       "Name one harness with --harness."));
  }

  const base::Context& context_;
  const DoctorOptions& options_;
  const DoctorSeat& seat_;
  base::SteadyTime deadline_;
  std::vector<Check> all_;
};

std::string check_lines(const std::vector<Check>& checks) {
  constexpr std::size_t kStateWidth = 9;
  std::string text;
  for (const auto& check : checks) {
    std::string state(to_text(check.state));
    state.resize(kStateWidth, ' ');
    text += "  " + state + check.id + ": " +
            base::without_controls(check.text, base::Keep::nothing) + "\n";
    if (!check.remedy.empty()) {
      text += std::string(kStateWidth + 4, ' ') +
              base::without_controls(check.remedy, base::Keep::nothing) + "\n";
    }
  }
  return text;
}

base::OrderedJson checks_json(const std::vector<Check>& all) {
  base::OrderedJson checks = base::OrderedJson::array();
  for (const auto& check : all) {
    base::OrderedJson object = base::OrderedJson::object();
    object["id"] = check.id;
    object["status"] = to_text(check.state);
    object["text"] = check.text;
    object["remedy"] = check.remedy.empty() ? base::OrderedJson() : base::OrderedJson(check.remedy);
    checks.push_back(std::move(object));
  }
  return checks;
}

bool none_failed(const std::vector<Check>& checks) {
  return std::none_of(checks.begin(), checks.end(),
                      [](const Check& check) { return check.state == CheckState::failed; });
}

std::string as_text(const brake::BrakeStatus& brake, const std::vector<Check>& brake_checks,
                    const std::vector<Examined>& seats) {
  std::string text;
  for (const auto& line : brake.lines) {
    text += line + "\n";
  }
  text += (text.empty() ? "" : "\n") + std::string("the brake\n") + check_lines(brake_checks);
  for (const auto& one : seats) {
    text +=
        "\n" + one.seat.harness + " at " +
        (one.seat.service.empty() ? "an unknown service" : base::for_display(one.seat.service)) +
        "\n" + check_lines(one.checks);
  }
  if (seats.empty()) {
    text +=
        "\nNo harness is wired for this checkout. Wire one with robot-council setup, or name one "
        "with --harness.\n";
  }
  return text;
}

std::string as_json(const brake::BrakeStatus& brake, const std::vector<Check>& brake_checks,
                    const std::vector<Examined>& seats, bool ok) {
  base::OrderedJson list = base::OrderedJson::array();
  for (const auto& one : seats) {
    base::OrderedJson seat = base::OrderedJson::object();
    seat["harness"] = one.seat.harness;
    seat["service"] =
        one.seat.service.empty() ? base::OrderedJson() : base::OrderedJson(one.seat.service);
    seat["key"] = one.seat.seat ? base::OrderedJson(one.seat.seat->files.key) : base::OrderedJson();
    seat["checks"] = checks_json(one.checks);
    list.push_back(std::move(seat));
  }
  return std::string(R"({"version":1,"ok":)") + (ok ? "true" : "false") + R"(,"brake":)" +
         brake.json + R"(,"brake_checks":)" + base::dump_safe(checks_json(brake_checks)) +
         R"(,"seats":)" + base::dump_safe(list) + "}\n";
}

}  // namespace

int doctor(const base::Context& context, const DoctorOptions& options, const account::Output& out) {
  const base::SteadyTime deadline = base::deadline_in(kDoctorTime);
  const auto brake = brake::brake_status(context, options.query.folder);
  const auto brake_checks = check_brake(context, options.query.folder);
  std::vector<std::string> names;
  const std::string named = harness::reduce_name(options.query.harness);
  if (!named.empty()) {
    names.push_back(named);
  } else {
    names = stop_hook::scanned_harnesses();
  }
  std::vector<Examined> seats;
  bool ok = none_failed(brake_checks);
  for (const auto& name : names) {
    DoctorSeat seat = look_at_seat(context, options.query, name);
    if (named.empty() && !seat.entry) {
      continue;  // not wired here
    }
    auto checks = Examination(context, options, seat, deadline).run();
    ok = none_failed(checks) && ok;
    seats.push_back({std::move(seat), std::move(checks)});
  }
  const std::string text = options.shape == Shape::json ? as_json(brake, brake_checks, seats, ok)
                                                        : as_text(brake, brake_checks, seats);
  if (auto written = out(text); !written) {
    context.log.error("cannot write the answer to stdout: " + written.error().what);
    return account::kExitFailed;
  }
  return ok ? account::kExitOk : account::kExitFailed;
}

}  // namespace robot_council::wiring::online
