#include "wiring/status.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/json_value.hpp"
#include "base/time_text.hpp"
#include "base/utf8.hpp"
#include "brake/status.hpp"
#include "wiring/limits.hpp"
#include "wiring/seat_state.hpp"

namespace robot_council::wiring {

namespace {

template <class T>
base::OrderedJson or_null(const std::optional<T>& value) {
  return value ? base::OrderedJson(*value) : base::OrderedJson();
}

base::OrderedJson time_or_null(const std::optional<std::int64_t>& ms) {
  return ms ? base::OrderedJson(base::iso_zulu(*ms)) : base::OrderedJson();
}

bool is_claude(const SeatState& state) {
  return state.seat.names.harness == "claude";
}

base::OrderedJson seat_json(const SeatState& state) {
  const auto& seat = state.seat;
  const BridgeRecord record = state.record.value_or(BridgeRecord{});
  using Object = base::OrderedJson;
  // Every member is always there: what is not known is null.
  const auto count = [&state](std::size_t SeatState::Events::*member) {
    return state.events ? Object((*state.events).*member) : Object();
  };
  const bool ran = state.hook_ms.has_value();
  const Object wake_path = state.waiter_pid ? Object("background hook") : Object();
  Object object = Object::object();
  object["key"] = seat.files.key;
  object["service"] = seat.names.service;
  object["harness"] = seat.names.harness;
  object["project"] = seat.names.project.empty() ? Object() : Object(seat.names.project);
  object["checkout"] = seat.checkout;
  object["sink"] = seat.files.database();
  object["bridge"] = Object{{"running", state.bridge_running},
                            {"pid", or_null(state.bridge_pid)},
                            {"version", or_null(record.version)},
                            {"since", or_null(record.since)}};
  object["session"] = Object{{"id", or_null(record.session)},
                             {"role", record.session ? or_null(record.role) : Object()}};
  object["feed"] = Object{{"cursor", or_null(record.cursor)}, {"read_at", or_null(record.read_at)}};
  object["events"] =
      Object{{"waiting", count(&SeatState::Events::waiting)},
             {"written", count(&SeatState::Events::written)},
             {"undelivered", count(&SeatState::Events::undelivered)},
             {"oldest_at", time_or_null(state.events ? state.events->oldest_ms : std::nullopt)}};
  object["hook"] = Object{{"at", time_or_null(state.hook_ms)},
                          {"answer", ran ? Object(state.hook_answer) : Object()},
                          {"printed", ran ? Object(state.hook_printed) : Object()}};
  object["confirmed_at"] = time_or_null(state.confirmed_ms);
  object["wake"] = Object{{"path", wake_path},
                          {"since", time_or_null(state.waiter_since_ms)},
                          {"pid", or_null(state.waiter_pid)}};
  object["channel"] = Object{{"declared", or_null(record.channel)}, {"confirmed", nullptr}};
  if (!state.error.empty()) {
    object["error"] = state.error;
  }
  return object;
}

// Lines about one seat, ages instead of times.
class SeatText {
 public:
  SeatText(const SeatState& state, std::int64_t now_ms) : state_(state), now_ms_(now_ms) {}

  std::string text() {
    const auto& names = state_.seat.names;
    text_ = base::for_display(names.harness) + " at " + base::for_display(names.service) +
            (names.project.empty() ? "" : ", project " + base::for_display(names.project)) + "\n";
    line("checkout", state_.seat.checkout);
    line("sink", state_.seat.files.database());
    line("bridge", bridge());
    line("session", session());
    line("feed", feed());
    line("events", events());
    line("hook", hook());
    line("confirmed", state_.confirmed_ms ? age(*state_.confirmed_ms) + " ago" : "nothing yet");
    line("wake", wake());
    if (is_claude(state_) && state_.record && state_.record->channel) {
      line("channel", *state_.record->channel ? "declared, cannot be confirmed" : "not declared");
    }
    if (!state_.error.empty()) {
      line("error", state_.error);
    }
    return text_;
  }

 private:
  void line(const std::string& name, const std::string& value) {
    text_ += "  " + name + ": " + base::without_controls(value, base::Keep::nothing) + "\n";
  }
  [[nodiscard]] std::string age(std::int64_t ms) const { return base::age_text(now_ms_ - ms); }
  [[nodiscard]] std::string age_of(const std::optional<std::string>& time) const {
    const auto ms = time ? base::parse_iso(*time) : std::nullopt;
    return ms ? age(*ms) : "an unknown time";
  }

  [[nodiscard]] std::string bridge() const {
    if (!state_.bridge_running) {
      return state_.record
                 ? "not running; the last one began " + age_of(state_.record->since) + " ago"
                 : "not running";
    }
    std::string said =
        "running, pid " + (state_.bridge_pid ? std::to_string(*state_.bridge_pid) : "unknown");
    if (state_.record) {
      said += ", " + state_.record->version.value_or("unknown version") + ", since " +
              age_of(state_.record->since);
    }
    return said;
  }

  [[nodiscard]] std::string session() const {
    if (!state_.record || !state_.record->session) {
      return "none";
    }
    return std::to_string(*state_.record->session) + ", " +
           state_.record->role.value_or("unknown role") +
           (state_.bridge_running ? "" : " (its end was not answered)");
  }

  [[nodiscard]] std::string feed() const {
    if (!state_.record || !state_.record->cursor) {
      return "not read";
    }
    return "at event " + std::to_string(*state_.record->cursor) + ", read " +
           age_of(state_.record->read_at) + " ago";
  }

  [[nodiscard]] std::string events() const {
    if (!state_.events) {
      return "unknown";
    }
    const auto& events = *state_.events;
    return std::to_string(events.waiting) + " waiting" +
           (events.oldest_ms ? " (oldest " + age(*events.oldest_ms) + ")" : "") + ", " +
           std::to_string(events.written) + " written, " + std::to_string(events.undelivered) +
           " undelivered";
  }

  [[nodiscard]] std::string hook() const {
    if (!state_.hook_ms) {
      return "has not run";
    }
    return state_.hook_answer +
           (state_.hook_printed > 0 ? " " + std::to_string(state_.hook_printed) : "") + ", " +
           age(*state_.hook_ms) + " ago";
  }

  [[nodiscard]] std::string wake() const {
    if (!is_claude(state_)) {
      return "none for " + state_.seat.names.harness +
             "; events are handed over at the next turn end";
    }
    if (!state_.waiter_pid) {
      return "background hook, none waits now; events are handed over at the next turn end";
    }
    constexpr std::size_t kDateLength = 11;   // "2026-11-30T"
    constexpr std::size_t kMinuteLength = 5;  // "14:02"
    std::string said =
        "background hook, waiting since " +
        base::iso_zulu(state_.waiter_since_ms.value_or(0)).substr(kDateLength, kMinuteLength) +
        " (pid " + std::to_string(*state_.waiter_pid) + ")";
    if (state_.next_wake_ms) {
      said += "; it has handed over often, the next time in " +
              base::age_text(*state_.next_wake_ms - now_ms_) + " or at a turn end";
    }
    return said;
  }

  const SeatState& state_;
  std::int64_t now_ms_;
  std::string text_;
};

std::string as_json(const brake::BrakeStatus& brake, const std::vector<SeatState>& states) {
  base::OrderedJson seats = base::OrderedJson::array();
  for (const auto& state : states) {
    seats.push_back(seat_json(state));
  }
  return R"({"version":1,"brake":)" + brake.json + R"(,"seats":)" + base::dump_safe(seats) + "}\n";
}

std::string as_text(const brake::BrakeStatus& brake, const std::vector<SeatState>& states,
                    std::int64_t now_ms) {
  std::string text;
  for (const auto& line : brake.lines) {
    text += line + "\n";
  }
  for (const auto& state : states) {
    text += (text.empty() ? "" : "\n") + SeatText(state, now_ms).text();
  }
  if (states.empty()) {
    text += "No seat is known for this checkout.\n";
  }
  return text;
}

}  // namespace

int status(const base::Context& context, const SeatQuery& query, Shape shape,
           const std::function<base::Status(std::string_view)>& out) {
  // First of all, and even if nothing else can be read.
  const auto brake = brake::brake_status(context, query.folder);
  const auto seats = find_seats(context, query);
  std::vector<SeatState> states;
  if (seats) {
    for (const auto& seat : *seats) {
      states.push_back(read_seat_state(context, seat));
      for (const auto& said :
           {sink::older_program_line(seat.files), sink::network_folder_line(seat.files)}) {
        if (said) {
          context.log.warning(*said);
        }
      }
    }
  } else {
    context.log.error(seats.error().what);
    if (shape == Shape::text && brake.lines.empty()) {
      return kExitFailed;  // "no seat is known" would say more than is known
    }
  }
  const std::string text = shape == Shape::json ? as_json(brake, states)
                                                : as_text(brake, states, context.clock.wall_ms());
  if (auto written = out(text); !written) {
    context.log.error("cannot write the answer to stdout: " + written.error().what);
    return kExitFailed;
  }
  const bool broken = std::any_of(states.begin(), states.end(),
                                  [](const SeatState& state) { return !state.error.empty(); });
  if (broken) {
    return kExitSink;
  }
  return seats ? kExitOk : kExitFailed;
}

}  // namespace robot_council::wiring
