#include "wiring/online/doctor_online.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

#include "account/credentials.hpp"
#include "account/service_client.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "base/utf8.hpp"
#include "bridge/upstream.hpp"
#include "net/url.hpp"
#include "service-api/paths.hpp"
#include "wiring/online/harness_choice.hpp"
#include "wiring/online/limits.hpp"
#include "wiring/online/short_session.hpp"

namespace robot_council::wiring::online {

namespace {

constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kTooMany = 429;
constexpr int kServerErrors = 500;
constexpr std::int64_t kMsInMinute = 60000;
constexpr std::int64_t kMsInDay = 24 * 60 * kMsInMinute;
constexpr std::int64_t kSoonDays = 7;

const std::string kEnrol = "Run `robot-council enroll`.";

class Online {
 public:
  Online(const base::Context& context, const DoctorSeat& seat, base::SteadyTime deadline)
      : context_(context), seat_(seat), deadline_(deadline) {}

  std::vector<Check> run() {
    auto service = account::check_service(seat_.service);
    if (!service) {
      all_.push_back(check_failed("service", service.error().what, "Correct the service's URL."));
      unknown_from("clock");
      return all_;
    }
    auto client = account::ServiceClient::open(*service);
    const auto answer = client ? client->call("GET", service_api::path::kAgentSession, "",
                                              std::nullopt, one_check())
                               : base::Result<net::ClientResponse>(client.error());
    ask_service(answer);
    ask_clock(answer, service->url);
    const bool up = client.ok() && all_.front().state == CheckState::ok;
    const auto credential = account::read_credential(context_, *service, choice(), one_check());
    if (!credential) {
      all_.push_back(
          check_failed("credential", credential.error().what, remedy_of(credential.error())));
      unknown("expiry", "there is no credential", kEnrol);
      unknown("coordinator", "no session could be started", kEnrol);
      return all_;
    }
    std::optional<bool> can_direct;
    if (const std::string hidden = hidden_from_bridge(*service); !hidden.empty()) {
      all_.push_back(check_failed("credential", hidden,
                                  "Run `robot-council setup " + seat_.harness +
                                      "` from the shell in which it is enrolled."));
    } else {
      ask_credential(*client, *credential, up, can_direct);
    }
    tell_expiry(*credential);
    tell_coordinator(can_direct);
    return all_;
  }

 private:
  void unknown(const char* id, const std::string& text, const std::string& remedy) {
    all_.push_back(check_unknown(id, text, remedy));
  }
  void unknown_from(const char* first) {
    bool on = false;
    for (const char* id : {"clock", "credential", "expiry", "coordinator"}) {
      on = on || std::string(id) == first;
      if (on) {
        unknown(id, "the service cannot be asked", "Correct the service's URL.");
      }
    }
  }

  // What is left for one check.
  [[nodiscard]] base::Milliseconds one_check() const {
    return std::min(kDoctorCheckTime, std::max(base::Milliseconds(1), base::time_left(deadline_)));
  }

  // A credential that others may read is not mended by enrolling again.
  static std::string remedy_of(const base::Error& error) {
    const auto run = error.what.find("Run: ");
    return error.code == base::Errc::refused && run != std::string::npos ? error.what.substr(run)
                                                                         : kEnrol;
  }

  // Some harnesses start the bridge with few variables: it must find the same credential.
  [[nodiscard]] std::string hidden_from_bridge(const account::Service& service) const {
    const base::MapEnvironment environment = bridge_environment(context_.environment, seat_);
    const base::Context bridge{context_.clock, environment, context_.log};
    const auto found = account::read_credential(bridge, service, choice(), one_check());
    return found ? ""
                 : "it is stored, but the bridge does not find it with the variables that " +
                       seat_.harness + " gives it: " + found.error().what;
  }

  [[nodiscard]] account::HarnessChoice choice() const {
    account::HarnessChoice choice = choose_harness(seat_.harness, context_.environment);
    choice.named = account::Named::no;  // looking never claims a legacy entry
    return choice;
  }

  void ask_service(const base::Result<net::ClientResponse>& answer) {
    if (!answer) {
      all_.push_back(check_failed(
          "service", base::for_display(seat_.service) + " does not answer: " + answer.error().what,
          "Start the service, or correct its URL."));
      return;
    }
    const std::string challenge = answer->header("WWW-Authenticate").value_or("");
    if (answer->status != kUnauthorized || !base::starts_with_ignoring_case(challenge, "Bearer")) {
      all_.push_back(check_failed("service",
                                  base::for_display(seat_.service) +
                                      " does not speak the contract (HTTP " +
                                      std::to_string(answer->status) + ")",
                                  "Check the --service URL."));
      return;
    }
    all_.push_back(check_ok("service", base::for_display(seat_.service) + " answers"));
  }

  void ask_clock(const base::Result<net::ClientResponse>& answer, const net::Url& url) {
    if (answer && url.loopback()) {
      all_.push_back(check_ok("clock", "the service runs on this machine"));
      return;
    }
    const auto header = answer ? answer->header("Date") : std::nullopt;
    const auto time = header ? base::parse_http_date(*header) : std::nullopt;
    if (!time) {
      unknown("clock", "the service told no time", "Start the service.");
      return;
    }
    const std::int64_t apart = std::abs(context_.clock.wall_ms() - *time);
    if (apart > kMsInMinute) {
      all_.push_back(check_warning(
          "clock", "this clock and the service's are " + base::age_text(apart) + " apart",
          "Set the clock."));
      return;
    }
    all_.push_back(check_ok("clock", "within a minute of the service's"));
  }

  void ask_credential(account::ServiceClient& client, const account::Credential& credential,
                      bool up, std::optional<bool>& can_direct) {
    if (!up) {
      unknown("credential",
              "it is stored in " + credential.store +
                  "; the service cannot be asked whether it is good",
              "Start the service.");
      return;
    }
    int status = 0;
    const auto session = start_session(client, credential.token, {}, status, one_check());
    if (!session) {
      if (status == 0 || status == kTooMany || status >= kServerErrors) {
        unknown("credential", session.error().what, "Try again in a minute.");
        return;
      }
      all_.push_back(
          check_failed("credential", session.error().what,
                       status == kForbidden ? "Ask the fleet's administrator." : kEnrol));
      return;
    }
    const auto told = client.call("GET", service_api::path::kAgentSession, session->token,
                                  std::nullopt, one_check());
    if (told && bridge::is_success(told->status)) {
      can_direct = bridge::read_agent_session(told->body).fleet_can_direct;
    }
    if (!end_session(client, credential.token, *session, one_check())) {
      all_.push_back(check_warning("credential", "a session started, but its end was not answered",
                                   "Try again."));
      return;
    }
    all_.push_back(
        check_ok("credential", "from " + credential.store + "; a session started and ended"));
  }

  void tell_expiry(const account::Credential& credential) {
    if (!credential.expires_ms) {
      unknown("expiry", "it is not recorded when the credential expires",
              "Enrol again to have it recorded.");
      return;
    }
    const std::int64_t left = *credential.expires_ms - context_.clock.wall_ms();
    const std::string date = base::utc_date(*credential.expires_ms);
    if (left <= 0) {
      all_.push_back(check_failed("expiry", "the credential expired on " + date, kEnrol));
    } else if (left <= kSoonDays * kMsInDay) {
      all_.push_back(check_warning(
          "expiry", "the credential expires in " + base::age_text(left) + ", on " + date, kEnrol));
    } else {
      all_.push_back(
          check_ok("expiry", std::to_string(left / kMsInDay) + " days left, until " + date));
    }
  }

  void tell_coordinator(std::optional<bool> can_direct) {
    if (!can_direct) {
      unknown("coordinator", "the service did not say whether a coordinator is there",
              "Look at `robot-council fleet overview`.");
    } else if (!*can_direct) {
      all_.push_back(check_warning("coordinator",
                                   "No coordinator session; a quiet fleet is expected without one.",
                                   "Put a session into the coordinator role."));
    } else {
      all_.push_back(check_ok("coordinator", "a coordinator session is there"));
    }
  }

  const base::Context& context_;
  const DoctorSeat& seat_;
  base::SteadyTime deadline_;
  std::vector<Check> all_;
};

}  // namespace

std::vector<Check> check_online(const base::Context& context, const DoctorSeat& seat,
                                base::SteadyTime deadline) {
  if (seat.service.empty()) {
    std::vector<Check> all;
    for (const char* id : {"service", "clock", "credential", "expiry", "coordinator"}) {
      all.push_back(check_unknown(id, "the fleet's service is not known",
                                  "Pass --service, or set it in the script."));
    }
    return all;
  }
  return Online(context, seat, deadline).run();
}

}  // namespace robot_council::wiring::online
