#include "wiring/online/doctor.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/json_value.hpp"
#include "base/utf8.hpp"
#include "brake/status.hpp"
#include "harness/names.hpp"
#include "wiring/online/doctor_check.hpp"
#include "wiring/online/doctor_local.hpp"
#include "wiring/online/doctor_online.hpp"
#include "wiring/online/doctor_proof.hpp"
#include "wiring/online/doctor_stops.hpp"

namespace robot_council::wiring::online {

namespace {

struct Examined {
  DoctorSeat seat;
  std::vector<Check> checks;
};

std::vector<Check> examine(const base::Context& context, const DoctorOptions& options,
                           const DoctorSeat& seat) {
  const LocalChecks on{context, seat, options.program};
  std::vector<Check> all = {check_binary(on), check_version(on), check_script(on)};
  const auto online = check_online(context, seat);
  all.insert(all.end(), online.begin(), online.end());
  for (const auto check : {check_state_dir, check_file_system, check_sqlite, check_seat_key,
                           check_bridge, check_second_bridge, check_feed, check_hook_scan,
                           check_hook_ran, check_stops, check_wake_path}) {
    all.push_back(check(on));
  }
  all.push_back(prove_delivery(context, seat));
  return all;
}

std::string as_text(const brake::BrakeStatus& brake, const std::vector<Examined>& seats) {
  constexpr std::size_t kStateWidth = 9;
  std::string text;
  for (const auto& line : brake.lines) {
    text += line + "\n";
  }
  for (const auto& one : seats) {
    text +=
        (text.empty() ? "" : "\n") + one.seat.harness + " at " +
        (one.seat.service.empty() ? "an unknown service" : base::for_display(one.seat.service)) +
        "\n";
    for (const auto& check : one.checks) {
      std::string state(to_text(check.state));
      state.resize(kStateWidth, ' ');
      text += "  " + state + check.id + ": " +
              base::without_controls(check.text, base::Keep::nothing) + "\n";
      if (!check.remedy.empty()) {
        text += std::string(kStateWidth + 4, ' ') +
                base::without_controls(check.remedy, base::Keep::nothing) + "\n";
      }
    }
  }
  if (seats.empty()) {
    text +=
        "No harness is wired for this checkout. Name one with --harness, and see wiki/Wiring.md.\n";
  }
  return text;
}

std::string as_json(const brake::BrakeStatus& brake, const std::vector<Examined>& seats, bool ok) {
  base::OrderedJson list = base::OrderedJson::array();
  for (const auto& one : seats) {
    base::OrderedJson checks = base::OrderedJson::array();
    for (const auto& check : one.checks) {
      base::OrderedJson object = base::OrderedJson::object();
      object["id"] = check.id;
      object["status"] = to_text(check.state);
      object["text"] = check.text;
      object["remedy"] =
          check.remedy.empty() ? base::OrderedJson() : base::OrderedJson(check.remedy);
      checks.push_back(std::move(object));
    }
    base::OrderedJson seat = base::OrderedJson::object();
    seat["harness"] = one.seat.harness;
    seat["service"] =
        one.seat.service.empty() ? base::OrderedJson() : base::OrderedJson(one.seat.service);
    seat["key"] = one.seat.seat ? base::OrderedJson(one.seat.seat->files.key) : base::OrderedJson();
    seat["checks"] = std::move(checks);
    list.push_back(std::move(seat));
  }
  return std::string(R"({"version":1,"ok":)") + (ok ? "true" : "false") + R"(,"brake":)" +
         brake.json + R"(,"seats":)" + base::dump_safe(list) + "}\n";
}

}  // namespace

int doctor(const base::Context& context, const DoctorOptions& options, const account::Output& out) {
  const auto brake = brake::brake_status(context, options.query.folder);
  std::vector<std::string> names;
  const std::string named = harness::reduce_name(options.query.harness);
  if (!named.empty()) {
    names.push_back(named);
  } else {
    names = stop_hook::scanned_harnesses();
  }
  std::vector<Examined> seats;
  bool ok = true;
  for (const auto& name : names) {
    DoctorSeat seat = look_at_seat(context, options.query, name);
    if (named.empty() && !seat.entry) {
      continue;  // not wired here
    }
    auto checks = examine(context, options, seat);
    ok = ok && std::none_of(checks.begin(), checks.end(),
                            [](const Check& check) { return check.state == CheckState::failed; });
    seats.push_back({std::move(seat), std::move(checks)});
  }
  const std::string text =
      options.shape == Shape::json ? as_json(brake, seats, ok) : as_text(brake, seats);
  if (auto written = out(text); !written) {
    context.log.error("cannot write the answer to stdout: " + written.error().what);
    return account::kExitFailed;
  }
  return ok ? account::kExitOk : account::kExitFailed;
}

}  // namespace robot_council::wiring::online
