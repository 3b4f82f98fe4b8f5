#include "account/enroll.hpp"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "account/enrolments.hpp"
#include "account/identity.hpp"
#include "account/limits.hpp"
#include "account/local_fleet.hpp"
#include "account/service_client.hpp"
#include "account/stores.hpp"
#include "base/fd.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "base/utf8.hpp"
#include "service-api/names.hpp"
#include "service-api/paths.hpp"
#include "service-api/patterns.hpp"

namespace robot_council::account {

namespace {

constexpr std::int64_t kMsInSecond = 1000;
constexpr int kOkFirst = 200;
constexpr int kOkEnd = 300;
constexpr int kUnauthorized = 401;
constexpr int kConflict = 409;

// One enrolment: each step says its own failure on the log and returns the exit number then.
class Enrolling {
 public:
  Enrolling(const base::Context& context, const EnrollOptions& options, const EnrollIo& io)
      : context_(context),
        options_(options),
        io_(io),
        stores_(context, store_places(context)),
        records_(context) {}

  int run() {
    for (const auto step :
         {&Enrolling::check_caller, &Enrolling::find_service, &Enrolling::find_store,
          &Enrolling::look_for_old, &Enrolling::ask_for_code, &Enrolling::show_code,
          &Enrolling::approve, &Enrolling::exchange, &Enrolling::keep}) {
      const int code = (this->*step)();
      if (code != kExitOk) {
        return io_.interrupted() ? kExitInterrupted : code;
      }
    }
    return kExitOk;
  }

 private:
  [[nodiscard]] bool local() const { return options_.local == Local::yes; }

  int fail(const std::string& text) {
    io_.progress.clear();
    if (!io_.interrupted()) {
      context_.log.error(text);
    }
    return kExitFailed;
  }

  int check_caller() {
    if (!options_.store.empty() && options_.store != "auto" && !store_kind(options_.store)) {
      (void)fail("--credential-store takes auto, keychain, secret-service or file.");
      return kExitUsage;
    }
    if (!options_.data.empty() && !local()) {
      (void)fail("--data goes with --local.");
      return kExitUsage;
    }
    if (local() && !options_.agent_marker.empty()) {
      return fail("only a person may do this (seen: " + options_.agent_marker +
                  "); use a terminal that no agent started");
    }
    return kExitOk;
  }

  int find_service() {
    std::string text = service_text(options_.service, context_.environment);
    if (local()) {
      fleet_ = find_local_fleet(context_, options_.data, text);
      text = fleet_.service;
    }
    auto service = check_service(text);
    if (!service) {
      return fail(service.error().what);
    }
    service_ = std::move(*service);
    if (local() && !service_.url.loopback()) {
      (void)fail("--local is for a service on this machine; " + base::for_display(text) +
                 " is another one.");
      return kExitUsage;
    }
    if (options_.harness.name.empty()) {
      return fail("Could not tell what harness this is. Pass --harness, such as --harness=claude.");
    }
    key_ = credential_key(service_.text, options_.harness.name);
    label_ = machine_label(options_.machine_label, this_machine());
    if (auto usable = check_key(key_); !usable) {
      return fail(usable.error().what);
    }
    if (local()) {
      auto token = operator_token(fleet_);
      if (!token) {
        return fail(token.error().what);
      }
      operator_token_ = std::move(*token);
    }
    return kExitOk;
  }

  int find_store() {
    auto store = stores_.choose(store_kind(options_.store));
    if (!store) {
      return fail(store.error().what);
    }
    store_ = *store;
    return kExitOk;
  }

  int look_for_old() {
    auto entries = records_.read();
    if (!entries) {
      return fail(entries.error().what);
    }
    const auto entry = entries->find(key_);
    auto old = stores_.find(
        key_, entry == entries->end() ? std::nullopt : store_kind(entry->second.store));
    if (!old && old.error().code == base::Errc::refused) {
      return fail(old.error().what);
    }
    if (old && old->has_value()) {
      context_.log.info("This replaces the credential of " + options_.harness.name + " at " +
                        service_.text + "; its running sessions end when the new one is issued.");
    }
    return kExitOk;
  }

  // One call in a connection of its own.
  base::Result<net::ClientResponse> post(std::string_view path, const std::string& bearer,
                                         const std::string& body) {
    auto client = ServiceClient::open(service_);
    if (!client) {
      return client.error();
    }
    io_.on_interrupt([&client] { client->cancel(); });
    auto answer = client->call("POST", path, bearer, body);
    io_.on_interrupt(nullptr);
    if (!answer && io_.interrupted()) {
      return base::Error{base::Errc::busy, "interrupted"};
    }
    return answer;  // an answer that came is used, also after a signal: it may hold the only copy
                    // of a credential
  }

  [[nodiscard]] Post agent_post() {
    return [this](std::string_view path, const std::string& body) { return post(path, "", body); };
  }

  int ask_for_code() {
    DeviceRequest request;
    request.harness = options_.harness.name;
    request.machine_label = label_;
    const std::vector<std::string> usual = {std::string(service_api::ability::kTasksCreate),
                                            std::string(service_api::ability::kTasksClaim),
                                            std::string(service_api::ability::kEventsPost)};
    request.abilities = options_.abilities.empty() ? usual : options_.abilities;
    auto code = request_device_code(agent_post(), request);
    if (!code) {
      const int failed = fail(code.error().what);
      if (!options_.abilities.empty() &&
          code.error().what.find("as invalid") != std::string::npos) {
        context_.log.error("It was asked for the abilities " +
                           base::for_display(base::join(options_.abilities, ", ")) +
                           "; without --ability it is asked for " + base::join(usual, ", ") + ".");
      }
      return failed;
    }
    code_ = std::move(*code);
    return kExitOk;
  }

  int show_code() {
    if (local()) {
      return kExitOk;
    }
    return print("Approve this machine at " + base::for_display(code_.verification_uri) +
                 "\nYour code is " + base::for_display(code_.user_code) + "\n\n");
  }

  int approve() {
    if (!local()) {
      return kExitOk;
    }
    const std::string code = service_api::normal_user_code(code_.user_code);
    if (code.empty()) {
      return fail("The service did not return a usable device code.");
    }
    const auto answer =
        post(service_api::path::operator_enrolment(code, "approve"), operator_token_, "{}");
    if (!answer) {
      return fail("Could not reach the service.");
    }
    // 409: decided already, as by a service that approves every enrolment; the exchange tells how.
    if ((answer->status >= kOkFirst && answer->status < kOkEnd) || answer->status == kConflict) {
      return kExitOk;
    }
    const std::string path = fleet_.data + "/operator.token";
    if (answer->status == kUnauthorized) {
      return fail("The service at " + service_.text + " refused the operator token `" + path +
                  "`: it is not that of the `robot-council serve` that listens there.");
    }
    return fail("The service did not approve this machine with the operator token `" + path +
                "` (HTTP " + std::to_string(answer->status) +
                "); --local needs this user's `robot-council serve`.");
  }

  int exchange() {
    const base::SteadyTime end = context_.clock.steady() + code_.expires_in;
    const Pause pause = [this, end](base::SteadyTime until) {
      // In steps of a second, so that the line on the terminal counts down.
      while (true) {
        const base::SteadyTime now = context_.clock.steady();
        if (now >= until) {
          return !io_.interrupted();
        }
        const auto left = std::chrono::duration_cast<std::chrono::seconds>(end - now);
        io_.progress.draw("Waiting for approval, " + std::to_string(left.count()) + " s left");
        if (!io_.pause(std::min(until, now + std::chrono::seconds(1)))) {
          return false;
        }
      }
    };
    auto granted = exchange_device_code(agent_post(), code_, context_.clock, pause);
    io_.progress.clear();
    if (!granted) {
      return fail(granted.error().what);
    }
    granted_ = std::move(*granted);
    return kExitOk;
  }

  int keep() {
    const std::int64_t now = context_.clock.wall_ms();
    auto stored = stores_.put(*store_, key_, granted_.token);
    if (!stored) {
      (void)fail(stored.error().what.empty() ? "The credential could not be stored."
                                             : stored.error().what);
      return fail(
          "This machine was approved, but without its credential it cannot join. Run "
          "`robot-council enroll` again; enrolling "
          "again replaces the approval.");
    }
    Enrolment record;
    record.store = store_name(store_->kind());
    record.machine_label = label_;
    record.installation_id = granted_.installation_id;
    record.enrolled_ms = now;
    std::string expiry = "  The service did not say when it expires.\n";
    if (granted_.expires_in) {
      record.expires_ms = now + granted_.expires_in->count() * kMsInSecond;
      expiry =
          "  It expires on " + base::utc_date(*record.expires_ms) + "; enroll again before then.\n";
    }
    if (auto recorded = records_.put(key_, record); !recorded) {
      context_.log.warning("The credential is stored, but when it expires could not be noted: " +
                           recorded.error().what);
    }
    return print("This machine is enrolled.\n  Credential stored in " + store_->description() +
                 ".\n" + expiry);
  }

  int print(const std::string& text) {
    if (auto written = io_.out(text); !written) {
      return fail("cannot write the answer to stdout: " + written.error().what);
    }
    return kExitOk;
  }

  const base::Context& context_;
  const EnrollOptions& options_;
  const EnrollIo& io_;
  CredentialStores stores_;
  Enrolments records_;
  LocalFleet fleet_;
  Service service_;
  std::string key_;
  std::string label_;
  std::string operator_token_;
  CredentialStore* store_ = nullptr;
  DeviceCode code_;
  Granted granted_;
};

}  // namespace

int enroll(const base::Context& context, const EnrollOptions& options, const EnrollIo& io) {
  return Enrolling(context, options, io).run();
}

int enroll(const base::Context& context, const EnrollOptions& options) {
  auto interrupt = Interrupt::open();
  if (!interrupt) {
    context.log.error("cannot watch for signals: " + interrupt.error().what);
    return kExitFailed;
  }
  const bool can_redraw =
      ::isatty(STDERR_FILENO) == 1 && context.environment.get_or_empty("TERM") != "dumb";
  ProgressLine progress(can_redraw, [](std::string_view text) {
    (void)base::write_all(STDERR_FILENO, text, base::deadline_in(base::Milliseconds(1000)));
  });
  Interrupt& signals = **interrupt;
  const EnrollIo io{
      write_stdout, [&signals](base::SteadyTime until) { return signals.pause_until(until); },
      [&signals] { return signals.requested(); }, progress,
      [&signals](std::function<void()> action) { signals.on_request(std::move(action)); }};
  return enroll(context, options, io);
}

}  // namespace robot_council::account
