#include "wiring/online/doctor_wake.hpp"

#include <algorithm>
#include <string>
#include <thread>

#include "account/local_fleet.hpp"
#include "account/service_client.hpp"
#include "base/json_value.hpp"
#include "base/random.hpp"
#include "base/time_text.hpp"
#include "base/utf8.hpp"
#include "service-api/names.hpp"
#include "service-api/paths.hpp"
#include "sink/store.hpp"
#include "wiring/online/limits.hpp"

namespace robot_council::wiring::online {

namespace {

constexpr const char* kId = "wake";
constexpr int kCreated = 201;
constexpr std::size_t kMarkBytes = 4;

class WakeTest {
 public:
  WakeTest(const base::Context& context, const DoctorSeat& seat, account::Service service,
           std::string token, base::SteadyTime deadline)
      : context_(context),
        seat_(seat),
        service_(std::move(service)),
        token_(std::move(token)),
        deadline_(std::min(deadline, base::deadline_in(kWakeTime))) {}

  Check run() {
    const std::string text =
        "robot-council doctor test " + base::random_hex(kMarkBytes) + "; nothing to do.";
    const base::SteadyTime begin = context_.clock.steady();
    posted_ms_ = context_.clock.wall_ms();
    if (const auto posted = post(text); !posted) {
      return check_failed(kId, "the test directive could not be posted: " + posted.error().what,
                          "Look at the terminal of robot-council serve.");
    }
    const bool announced_before = noticed().has_value();
    std::string where;
    bool notice = false;
    while (base::time_left(deadline_).count() > 0 && (where.empty() || !notice)) {
      where = where.empty() ? find(text) : where;
      notice = notice || !has_notice() || noticed().value_or(0) >= posted_ms_ - kMsInSecond;
      if (!where.empty() && (notice || announced_before)) {
        break;
      }
      std::this_thread::sleep_for(kWakeLookStep);
    }
    const auto took =
        std::chrono::duration_cast<base::Milliseconds>(context_.clock.steady() - begin);
    if (where.empty()) {
      return check_failed(kId,
                          "a directive to session " +
                              std::to_string(*seat_.state->record->session) +
                              " did not reach the sink within " +
                              std::to_string(kWakeTime.count() / kMsInSecond) + " s",
                          "Look at the bridge's stderr; is its feed read?");
    }
    const std::string came = "a directive " + where + " after " + std::to_string(took.count()) +
                             " ms; the agent will see it, it says that there is nothing to do";
    if (!has_notice() || notice) {
      return check_ok(kId, came + (has_notice() ? "; the bridge sent its notice" : ""));
    }
    return announced_before
               ? check_ok(kId, came +
                                   "; the bridge records its notices every 30 s only, the last "
                                   "one before this")
               : check_warning(kId, came + "; the bridge sent no notice",
                               "The turn's end hands it over; wiki/Wake.md.");
  }

 private:
  static constexpr std::int64_t kMsInSecond = 1000;  // the record's times are whole seconds

  [[nodiscard]] bool has_notice() const { return seat_.harness == "claude"; }

  base::Status post(const std::string& text) {
    auto client = account::ServiceClient::open(service_);
    if (!client) {
      return client.error();
    }
    base::OrderedJson body = base::OrderedJson::object();
    body[service_api::field::kBody] = text;
    body[service_api::field::kTargets] = base::OrderedJson::array({*seat_.state->record->session});
    const auto answer =
        client->call("POST", service_api::path::kOperatorDirectives, token_, base::dump_safe(body),
                     std::min(kDoctorCheckTime, base::time_left(deadline_)));
    if (!answer) {
      return answer.error();
    }
    return answer->status == kCreated
               ? base::Status()
               : base::Error{base::Errc::refused, "HTTP " + std::to_string(answer->status) + " " +
                                                      base::for_display(answer->body)};
  }

  // Where the row is by now, "" = nowhere.
  [[nodiscard]] std::string find(const std::string& text) const {
    auto store = sink::DeliveryStore::open(seat_.state->seat.files, sink::Access::read_only,
                                           sink::WaitBudget());
    if (!store || !store->has_value()) {
      return "";
    }
    const auto look = (*store)->look(std::nullopt);
    if (look && std::any_of(look->rows.begin(), look->rows.end(), [&](const sink::Entry& row) {
          return row.json.find(text) != std::string::npos;
        })) {
      return "reached the sink";
    }
    const auto history = (*store)->history(kMaxWakeRows);
    return history && std::any_of(history->begin(), history->end(),
                                  [&](const sink::HistoryRow& row) {
                                    return row.json.find(text) != std::string::npos;
                                  })
               ? "was handed over"
               : "";
  }

  [[nodiscard]] std::optional<std::int64_t> noticed() const {
    const auto record = read_bridge_record(seat_.state->seat.files.bridge());
    return record && record->noticed_at ? base::parse_iso(*record->noticed_at) : std::nullopt;
  }

  const base::Context& context_;
  const DoctorSeat& seat_;
  account::Service service_;
  std::string token_;
  base::SteadyTime deadline_;
  std::int64_t posted_ms_ = 0;
};

}  // namespace

Check check_wake(const base::Context& context, const DoctorSeat& seat, base::SteadyTime deadline) {
  if (!seat.state || !seat.state->bridge_running || !seat.state->record ||
      !seat.state->record->session) {
    return check_unknown(kId, "no bridge of this seat runs and has joined",
                         "Start " + seat.harness + ", let it join, and run this again.");
  }
  auto service = account::check_service(seat.service);
  if (!service || !service->url.loopback()) {
    return check_unknown(kId,
                         "the service is not on this machine, so nothing can be posted as its "
                         "operator",
                         "Have a person post a directive on the fleet's page.");
  }
  account::LocalFleet fleet = account::find_local_fleet(context, "", "");
  if (fleet.service != service->text) {
    return check_unknown(kId,
                         "the serve of " + fleet.data + " is at " +
                             base::for_display(fleet.service) + ", not at " +
                             base::for_display(seat.service),
                         "Post a directive by hand: robot-council fleet direct --data DIR TEXT");
  }
  auto token = account::operator_token(fleet);
  if (!token) {
    return check_unknown(kId, token.error().what,
                         "Post a directive by hand: robot-council fleet direct --data DIR TEXT");
  }
  return WakeTest(context, seat, std::move(*service), std::move(*token), deadline).run();
}

}  // namespace robot_council::wiring::online
