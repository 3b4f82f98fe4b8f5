#include "wiring/online/doctor_watch.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <optional>
#include <string_view>
#include <utility>

#include "base/child.hpp"
#include "base/json_value.hpp"
#include "base/text.hpp"
#include "brake/status.hpp"

namespace robot_council::wiring::online {

namespace {

constexpr std::int64_t kMsInSecond = 1000;
constexpr std::size_t kReadBytes = 65536;
constexpr const char* kMend =
    "Look for a file system that does not answer, such as a network share.";

std::string seconds(base::Milliseconds time) {
  return time.count() % kMsInSecond == 0 ? std::to_string(time.count() / kMsInSecond) + " s"
                                         : std::to_string(time.count()) + " ms";
}

std::string text_of(const base::Json& object, const char* name) {
  return base::get_string(object, name).value_or("");
}

Check read_check(const base::Json& object) {
  return {text_of(object, "id"), check_state(text_of(object, "status")), text_of(object, "text"),
          text_of(object, "remedy")};
}

class Watch {
 public:
  Watch(const base::Context& context, const DoctorQuery& query, Wake wake,
        const std::string& program, const std::vector<std::string>& argv, const DoctorTimes& times)
      : context_(context),
        query_(query),
        wake_(wake),
        program_(program),
        argv_(argv),
        times_(times),
        deadline_(base::deadline_in(times.all)) {}

  DoctorReport run() {
    while (!over_) {
      one_process();
    }
    for (auto& seat : report_.seats) {
      lead_with_wake(seat.checks);
    }
    return std::move(report_);
  }

 private:
  // A wake entry that runs in the foreground holds each prompt for a day: nothing else matters
  // until that is mended.
  static void lead_with_wake(std::vector<Check>& checks) {
    const auto found = std::find_if(checks.begin(), checks.end(), [](const Check& check) {
      return check.id == "wake-path" && check.state == CheckState::failed;
    });
    if (found != checks.end()) {
      std::rotate(checks.begin(), found, found + 1);
    }
  }

  void one_process() {
    step_.clear();
    step_end_ = base::deadline_in(times_.look);
    ended_ = false;
    auto child = base::Child::start(start_options());
    if (!child) {
      give_all_up({"binary"}, "the process that looks: " + child.error().what,
                  "Reinstall robot-council.");
      return;
    }
    const bool in_time = read_lines(*child);
    if (!in_time) {
      child->send_signal(SIGKILL);
      (void)child->wait(base::deadline_in(kDoctorKillWait));
      if (base::time_left(deadline_).count() == 0) {
        too_late();
        return;
      }
      give_up("it did not end within " + seconds(limit_of(step_)));
      return;
    }
    const auto status = child->wait(deadline_);
    if (ended_) {
      over_ = true;
    } else if (base::time_left(deadline_).count() == 0) {
      too_late();
    } else {
      give_up(status && status->signal != 0
                  ? "the look at it was ended by signal " + std::to_string(status->signal)
                  : "the look at it broke off");
    }
  }

  [[nodiscard]] base::ChildOptions start_options() const {
    base::ChildOptions options;
    options.argv = argv_;
    const auto add = [&options](const char* name, const std::string& value) {
      if (!value.empty()) {
        options.argv.push_back(std::string(name) + "=" + value);
      }
    };
    add("--service", query_.service);
    add("--harness", query_.harness);
    add("--project", query_.project);
    add("--program", program_);
    add("--after", after_);
    for (const std::string& step : hung_) {
      add("--hung", step);
    }
    const auto less = [this](base::Milliseconds time) {
      return std::to_string(std::max(time - times_.slack, base::Milliseconds(1)).count());
    };
    add("--one", less(times_.one));
    add("--proof", less(times_.proof));
    add("--left", less(base::time_left(deadline_)));
    if (wake_ == Wake::yes) {
      options.argv.emplace_back("--wake");
    }
    options.environment = context_.environment.all();
    if (!query_.folder.empty()) {
      options.directory = query_.folder;
    }
    options.standard_out = base::Stdio::pipe;
    options.group = base::Group::parents;  // a terminal's interrupt ends both
    return options;
  }

  // False: a step, or all of them, took too long.
  bool read_lines(base::Child& child) {
    std::string text;
    std::array<char, kReadBytes> buffer{};
    while (true) {
      const auto ready =
          base::wait_readable(child.standard_out.get(), std::min(step_end_, deadline_));
      if (ready && *ready == base::Ready::timeout) {
        return false;
      }
      const auto got = base::read_some(child.standard_out.get(), buffer);
      if (!got || *got == 0 || text.size() > kMaxDoctorLine) {
        return true;
      }
      text.append(buffer.data(), *got);
      for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
        take(text.substr(0, end));
        text.erase(0, end + 1);
      }
    }
  }

  [[nodiscard]] base::Milliseconds limit_of(const std::string& step) const {
    const std::string id = step.substr(step.find(' ') + 1);
    return id == "settings" || id == "state" || id.empty() ? times_.look
           : id == "brake"                                 ? times_.brake
           : id == "proof"                                 ? times_.proof
           : id == "wake"                                  ? times_.wake + times_.slack
                                                           : times_.one;
  }

  void take(const std::string& text) {
    const auto line = base::parse_bounded(text, kMaxDoctorLine);
    if (!line) {
      return;
    }
    if (const auto step = base::get_string(*line, "begin")) {
      step_ = *step;
      step_end_ = base::deadline_in(limit_of(step_));
    } else if (const auto* brake = base::get_object(*line, "brake")) {
      take_brake(*brake);
      after_ = "brake";
    } else if (const auto* seat = base::get_object(*line, "seat")) {
      auto& told = seat_of(text_of(*seat, "harness"));
      told.service = text_of(*seat, "service");
      told.key = told.key.empty() ? text_of(*seat, "key") : told.key;
    } else if (const auto* check = base::get_object(*line, "check");
               check != nullptr && !report_.seats.empty()) {
      report_.seats.back().checks.push_back(read_check(*check));
      after_ = report_.seats.back().harness + " " + text_of(*check, "id");
    }
    ended_ = ended_ || base::get_bool(*line, "end").value_or(false);
  }

  void take_brake(const base::Json& brake) {
    report_.brake_json = text_of(brake, "json");
    const base::Json* lines = base::get_array(brake, "lines");
    for (const auto& line : lines == nullptr ? base::Json::array() : *lines) {
      report_.brake_lines.push_back(line.is_string() ? line.get<std::string>() : "");
    }
    const base::Json* checks = base::get_array(brake, "checks");
    for (const auto& check : checks == nullptr ? base::Json::array() : *checks) {
      report_.brake_checks.push_back(read_check(check));
    }
  }

  DoctorReport::Seat& seat_of(const std::string& harness) {
    if (report_.seats.empty() || report_.seats.back().harness != harness) {
      report_.seats.push_back({harness, "", "", {}});
    }
    return report_.seats.back();
  }

  // The step under way, or the start, came to nothing.
  void give_up(const std::string& why) {
    const auto blank = step_.find(' ');
    if (step_.empty()) {
      give_all_up({"binary"}, "the process that looks: " + why, kMend);
      return;
    }
    if (blank == std::string::npos) {
      fail_brake(why);
      return;
    }
    const std::string harness = step_.substr(0, blank);
    const std::string id = step_.substr(blank + 1);
    const bool begun = after_.compare(0, blank + 1, harness + " ") == 0;
    if (id == "settings") {
      fill(harness, {"hook-scan"}, "the settings of " + harness + ": " + why, kMend);
      hung_.push_back(step_);
      after_ = begun ? harness + " " + doctor_ids(wake_).back() : step_;
    } else if (id == "state") {
      hung_.push_back(step_);
      after_ = begun ? after_ : step_;
    } else {
      tell_hung(harness, id, why);
    }
  }

  // Whether a stop is on cannot be told, so one is.
  void fail_brake(const std::string& why) {
    const auto unknown = brake::unknown_brake_status();
    report_.brake_lines = unknown.lines;
    report_.brake_json = unknown.json;
    report_.brake_checks.push_back(check_failed("brake", why, kMend));
    after_ = "brake";
  }

  // Nothing more will be looked at.
  void give_all_up(const std::vector<std::string>& failed, const std::string& why,
                   const std::string& remedy) {
    over_ = true;
    report_.complete = false;
    if (after_.empty()) {
      fail_brake(why);
    }
    const auto blank = step_.find(' ');
    if (blank != std::string::npos) {
      fill(step_.substr(0, blank), failed, why, remedy);
    } else if (!report_.seats.empty()) {
      fill(report_.seats.back().harness, failed, why, remedy);
    } else if (!query_.harness.empty()) {
      fill(doctor_harnesses(query_).front(), failed, why, remedy);
    }
  }

  void tell_hung(const std::string& harness, const std::string& id, const std::string& why) {
    const auto& online = online_ids();
    const auto at = std::find(online.begin(), online.end(), id);
    auto& checks = seat_of(harness).checks;
    checks.push_back(id == "state-dir" || id == "proof" ? check_failed(id, why, kMend)
                                                        : check_unknown(id, why, kMend));
    after_ = harness + " " + id;
    if (at != online.end()) {
      for (auto later = at + 1; later != online.end(); ++later) {
        checks.push_back(check_unknown(*later, "not looked at, since " + id + " did not end",
                                       "See " + id + "."));
      }
      after_ = harness + " " + online.back();
    }
  }

  // Every check of the seat that was not told yet; `failed`: those that it breaks.
  void fill(const std::string& harness, const std::vector<std::string>& failed,
            const std::string& text, const std::string& remedy) {
    auto& checks = seat_of(harness).checks;
    for (const std::string& id : doctor_ids(wake_)) {
      if (std::any_of(checks.begin(), checks.end(),
                      [&id](const Check& check) { return check.id == id; })) {
        continue;
      }
      const bool fails = std::find(failed.begin(), failed.end(), id) != failed.end();
      checks.push_back(fails ? check_failed(id, text, remedy) : check_unknown(id, text, remedy));
    }
  }

  void too_late() {
    give_all_up({}, "not looked at: the " + seconds(times_.all) + " of all checks were over",
                "Name one harness with --harness.");
  }

  const base::Context& context_;
  const DoctorQuery& query_;
  Wake wake_;
  const std::string& program_;
  const std::vector<std::string>& argv_;
  DoctorTimes times_;
  base::SteadyTime deadline_;
  DoctorReport report_;
  std::string step_;  // that is under way, "" = none yet
  base::SteadyTime step_end_;
  std::string after_;              // the last step that is over
  std::vector<std::string> hung_;  // looks that are not tried again
  bool ended_ = false;             // the process said that it is through
  bool over_ = false;
};

}  // namespace

DoctorReport watch_doctor(const base::Context& context, const DoctorQuery& query, Wake wake,
                          const std::string& program, const std::vector<std::string>& argv,
                          const DoctorTimes& times) {
  return Watch(context, query, wake, program, argv, times).run();
}

}  // namespace robot_council::wiring::online
