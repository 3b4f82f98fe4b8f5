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
constexpr std::int64_t kMsInDay = kMsInMinute * 60 * 24;
constexpr std::int64_t kSoonDays = 7;
constexpr int kEndShare = 5;  // a fifth of a check's time is for the end of its session

constexpr const char* kEnrol = "Run `robot-council enroll`.";

class Online {
 public:
  Online(const base::Context& context, const DoctorSeat& seat, base::Milliseconds one,
         base::SteadyTime deadline, const CheckTeller& teller)
      : context_(context), seat_(seat), one_(one), deadline_(deadline), teller_(teller) {}

  void run() {
    begin("service");
    auto service = account::check_service(seat_.service);
    if (!service) {
      tell(check_failed("service", service.error().what, "Correct the service's URL."));
      for (const char* id : {"clock", "credential", "expiry", "coordinator"}) {
        unknown(id, "the service cannot be asked", "Correct the service's URL.");
      }
      return;
    }
    auto client = account::ServiceClient::open(*service);
    const auto answer = client ? client->call("GET", service_api::path::kAgentSession, "",
                                              std::nullopt, base::time_left(end_))
                               : base::Result<net::ClientResponse>(client.error());
    const bool up = ask_service(answer);
    ask_clock(answer, service->url);
    begin("credential");
    const auto credential =
        account::read_credential(context_, *service, choice(), base::time_left(end_), end_);
    if (!credential) {
      tell(check_failed("credential", credential.error().what, remedy_of(credential.error())));
      unknown("expiry", "there is no credential", kEnrol);
      unknown("coordinator", "no session could be started", kEnrol);
      return;
    }
    std::optional<bool> can_direct;
    if (auto hidden = hidden_from_bridge(*service)) {
      tell(std::move(*hidden));
    } else {
      tell(ask_credential(*client, *credential, up, can_direct));
    }
    tell_expiry(*credential);
    tell_coordinator(can_direct);
  }

 private:
  // What is begun has the time of one check from now on.
  void begin(const char* id) {
    teller_.begin(id);
    end_ = std::min(deadline_, base::deadline_in(one_));
  }
  void tell(Check check) { teller_.told(std::move(check)); }
  void unknown(const char* id, const std::string& text, const std::string& remedy) {
    tell(check_unknown(id, text, remedy));
  }

  // A credential that others may read, or a keyring that does not answer, is not mended by
  // enrolling again.
  static std::string remedy_of(const base::Error& error) {
    if (error.code == base::Errc::timeout) {
      return "Unlock the keyring, or see why its program does not answer.";
    }
    const auto run = error.what.find("Run: ");
    return error.code == base::Errc::refused && run != std::string::npos ? error.what.substr(run)
                                                                         : kEnrol;
  }

  // Some harnesses start the bridge with few variables: it must find the same credential. Nothing
  // if it does.
  [[nodiscard]] std::optional<Check> hidden_from_bridge(const account::Service& service) const {
    const base::MapEnvironment environment = bridge_environment(context_.environment, seat_);
    const base::Context bridge{context_.clock, environment, context_.log};
    const auto found =
        account::read_credential(bridge, service, choice(), base::time_left(end_), end_);
    if (found) {
      return std::nullopt;
    }
    if (base::time_left(end_).count() == 0) {
      return check_unknown("credential",
                           "it is stored, but there was no time left to read it as the bridge does",
                           remedy_of({base::Errc::timeout, ""}));
    }
    return check_failed(
        "credential",
        "it is stored, but the bridge does not find it with the variables that " + seat_.harness +
            " gives it: " + found.error().what,
        "Run `robot-council setup " + seat_.harness + "` from the shell in which it is enrolled.");
  }

  [[nodiscard]] account::HarnessChoice choice() const {
    account::HarnessChoice choice = choose_harness(seat_.harness, context_.environment);
    choice.named = account::Named::no;  // looking never claims a legacy entry
    return choice;
  }

  // True if it speaks the contract.
  bool ask_service(const base::Result<net::ClientResponse>& answer) {
    if (!answer) {
      tell(check_failed(
          "service", base::for_display(seat_.service) + " does not answer: " + answer.error().what,
          "Start the service, or correct its URL."));
      return false;
    }
    const std::string challenge = answer->header("WWW-Authenticate").value_or("");
    if (answer->status != kUnauthorized || !base::starts_with_ignoring_case(challenge, "Bearer")) {
      tell(check_failed("service",
                        base::for_display(seat_.service) + " does not speak the contract (HTTP " +
                            std::to_string(answer->status) + ")",
                        "Check the --service URL."));
      return false;
    }
    tell(check_ok("service", base::for_display(seat_.service) + " answers"));
    return true;
  }

  // A service on this machine has this clock, unless it says another time: a loopback address may
  // be the near end of a tunnel.
  void ask_clock(const base::Result<net::ClientResponse>& answer, const net::Url& url) {
    const auto header = answer ? answer->header("Date") : std::nullopt;
    const auto time = header ? base::parse_http_date(*header) : std::nullopt;
    if (answer && !header && url.loopback()) {
      tell(check_ok("clock", "the service runs on this machine"));
      return;
    }
    if (!time) {
      unknown("clock", "the service told no time", "Start the service.");
      return;
    }
    const std::int64_t apart = std::abs(context_.clock.wall_ms() - *time);
    if (apart > kMsInMinute) {
      tell(check_warning("clock",
                         "this clock and the service's are " + base::age_text(apart) + " apart",
                         "Set the clock."));
      return;
    }
    tell(check_ok("clock", "within a minute of the service's"));
  }

  // The session's end has its part of the time, whatever the answers before took.
  Check ask_credential(account::ServiceClient& client, const account::Credential& credential,
                       bool up, std::optional<bool>& can_direct) {
    constexpr const char* kId = "credential";
    if (!up) {
      return check_unknown(kId,
                           "it is stored in " + credential.store +
                               "; the service cannot be asked whether it is good",
                           "Start the service.");
    }
    const base::SteadyTime last_answer = end_ - one_ / kEndShare;
    int status = 0;
    const auto session =
        start_session(client, credential.token, {}, status, base::time_left(last_answer));
    if (!session) {
      if (status == 0 || status == kTooMany || status >= kServerErrors) {
        return check_unknown(kId, session.error().what, "Try again in a minute.");
      }
      return check_failed(kId, session.error().what,
                          status == kForbidden ? "Ask the fleet's administrator." : kEnrol);
    }
    const auto told = client.call("GET", service_api::path::kAgentSession, session->token,
                                  std::nullopt, base::time_left(last_answer));
    if (told && bridge::is_success(told->status)) {
      can_direct = bridge::read_agent_session(told->body).fleet_can_direct;
    }
    if (!end_session(client, credential.token, *session, base::time_left(end_))) {
      return check_warning(kId, "a session started, but its end was not answered", "Try again.");
    }
    return check_ok(kId, "from " + credential.store + "; a session started and ended");
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
      tell(check_failed("expiry", "the credential expired on " + date, kEnrol));
    } else if (left <= kSoonDays * kMsInDay) {
      tell(check_warning(
          "expiry", "the credential expires in " + base::age_text(left) + ", on " + date, kEnrol));
    } else {
      tell(check_ok("expiry", std::to_string(left / kMsInDay) + " days left, until " + date));
    }
  }

  void tell_coordinator(std::optional<bool> can_direct) {
    if (!can_direct) {
      unknown("coordinator", "the service did not say whether a coordinator is there",
              "Look at `robot-council fleet overview`.");
    } else if (!*can_direct) {
      tell(check_warning("coordinator",
                         "No coordinator session; a quiet fleet is expected without one.",
                         "Put a session into the coordinator role."));
    } else {
      tell(check_ok("coordinator", "a coordinator session is there"));
    }
  }

  const base::Context& context_;
  const DoctorSeat& seat_;
  base::Milliseconds one_;
  base::SteadyTime deadline_;
  const CheckTeller& teller_;
  base::SteadyTime end_;  // of the check that is looked at
};

}  // namespace

void check_online(const base::Context& context, const DoctorSeat& seat, base::Milliseconds one,
                  base::SteadyTime deadline, const CheckTeller& teller) {
  if (seat.service.empty()) {
    for (const char* id : {"service", "clock", "credential", "expiry", "coordinator"}) {
      teller.told(check_unknown(id, "the fleet's service is not known",
                                "Pass --service, or set it in the script."));
    }
    return;
  }
  Online(context, seat, one, deadline, teller).run();
}

}  // namespace robot_council::wiring::online
