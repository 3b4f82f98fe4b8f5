#include "wiring/online/doctor_report.hpp"

#include <algorithm>
#include <utility>

#include "base/json_value.hpp"
#include "base/utf8.hpp"

namespace robot_council::wiring::online {

namespace {

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

base::OrderedJson or_null(const std::string& text) {
  return text.empty() ? base::OrderedJson() : base::OrderedJson(text);
}

}  // namespace

bool none_failed(const DoctorReport& report) {
  return none_failed(report.brake_checks) &&
         std::all_of(report.seats.begin(), report.seats.end(),
                     [](const auto& seat) { return none_failed(seat.checks); });
}

std::string report_text(const DoctorReport& report) {
  std::string text;
  for (const auto& line : report.brake_lines) {
    text += line + "\n";
  }
  text +=
      (text.empty() ? "" : "\n") + std::string("the brake\n") + check_lines(report.brake_checks);
  for (const auto& seat : report.seats) {
    text += "\n" + seat.harness + " at " +
            (seat.service.empty() ? "an unknown service" : base::for_display(seat.service)) + "\n" +
            check_lines(seat.checks);
  }
  if (!report.complete) {
    text += "\nNot every harness was looked at.\n";
  } else if (report.seats.empty()) {
    text +=
        "\nNo harness is wired for this checkout. Wire one with robot-council setup, or name one "
        "with --harness.\n";
  }
  return text;
}

std::string report_json(const DoctorReport& report) {
  base::OrderedJson list = base::OrderedJson::array();
  for (const auto& one : report.seats) {
    base::OrderedJson seat = base::OrderedJson::object();
    seat["harness"] = one.harness;
    seat["service"] = or_null(one.service);
    seat["key"] = or_null(one.key);
    seat["checks"] = checks_json(one.checks);
    list.push_back(std::move(seat));
  }
  return std::string(R"({"version":1,"ok":)") + (none_failed(report) ? "true" : "false") +
         R"(,"brake":)" + report.brake_json + R"(,"brake_checks":)" +
         base::dump_safe(checks_json(report.brake_checks)) + R"(,"seats":)" +
         base::dump_safe(list) + "}\n";
}

}  // namespace robot_council::wiring::online
