#include "wiring/online/setup.hpp"

#include <utility>
#include <vector>

#include "account/credentials.hpp"
#include "account/identity.hpp"
#include "account/local_fleet.hpp"
#include "account/service_client.hpp"
#include "base/child.hpp"
#include "base/file_lock.hpp"
#include "base/files.hpp"
#include "base/json_value.hpp"
#include "base/text.hpp"
#include "base/text_diff.hpp"
#include "base/time_text.hpp"
#include "base/version.hpp"
#include "service-api/paths.hpp"
#include "stop-hook/scan.hpp"
#include "wiring/local_unit.hpp"
#include "wiring/online/harness_choice.hpp"
#include "wiring/online/limits.hpp"
#include "wiring/online/short_session.hpp"

namespace robot_council::wiring::online {

namespace {

using harness::Client;

constexpr std::int64_t kRenewMs =
    std::int64_t{7} * 24 * 3600 * 1000;  // a credential that ends sooner is renewed
constexpr int kUnauthorized = 401;
constexpr std::size_t kMaxProject = 128;  // characters of a project (account contract, section 7)

constexpr std::int64_t kMsInSecond = 1000;
constexpr const char* kService = "service";  // step

bool is_project(std::string_view text) {
  return text.size() <= kMaxProject &&
         text.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._/-") ==
             std::string_view::npos;
}

class Setup {
 public:
  Setup(const base::Context& context, const SetupOptions& options, const SetupIo& io, Client client,
        std::string service)
      : context_(context),
        options_(options),
        io_(io),
        client_(client),
        service_(std::move(service)),
        wirer_(context, {client, options.scope, project_root(options.folder)}, options.dry) {}

  int run() {
    const bool dry = options_.dry == DryRun::yes;
    if (!dry) {
      const Confirmed answer = io_.confirmed();
      if (answer != Confirmed::yes) {
        context_.log.error("nothing was changed.");
        return answer == Confirmed::no ? account::kExitFailed : account::kExitInterrupted;
      }
    }
    if (options_.local == Choice::yes) {
      step(local_service());
    }
    step(failed_ ? skipped("enrolment") : enrolment());
    step(failed_ ? skipped("script") : wirer_.put_script(options_.script, script_values()));
    step(failed_ ? skipped("mcp server") : wirer_.put_server(server_values()));
    step(failed_ ? skipped("stop hook") : wirer_.put_hooks(options_.wake, record_entry()));
    step(failed_ || dry ? skipped("scan") : scan());
    step(failed_ || dry || !io_.doctor ? skipped("doctor") : doctor());
    print(dry ? unit_diff_ + wirer_.diffs() : last_lines());
    if (interrupted_) {
      return account::kExitInterrupted;
    }
    return failed_ || !printed_ ? account::kExitFailed : account::kExitOk;
  }

 private:
  static Step skipped(const char* name) { return {StepResult::skipped, name, "not done"}; }

  void print(const std::string& text) {
    if (printed_) {
      if (auto written = io_.out(text); !written.ok()) {
        context_.log.error("cannot write the answer to stdout: " + written.error().what);
        printed_ = false;
      }
    }
  }

  void step(const Step& step) {
    const std::string line = step_line(step);
    if (options_.dry == DryRun::yes) {
      context_.log.info(base::without_trailing(line, '\n'));
    } else {
      print(line);
    }
    failed_ = failed_ || step.result == StepResult::failed;
    changed_ = changed_ || step.result == StepResult::changed;
  }

  enum class Answers : std::uint8_t { ours, other, nobody };

  // Who answers at the local service's address.
  [[nodiscard]] Answers health() const {
    const auto service = account::check_service(service_);
    auto client = service ? account::ServiceClient::open(*service)
                          : base::Result<account::ServiceClient>(service.error());
    if (!client) {
      return Answers::other;
    }
    const auto answer =
        client->call("GET", service_api::path::kHealth, "", std::nullopt, kHealthTime);
    if (!answer) {
      // Whoever takes the connection and says nothing that is HTTP is another program.
      return answer.error().code == base::Errc::refused ? Answers::nobody : Answers::other;
    }
    const auto body = base::parse_bounded(answer->body, account::kMaxAnswer);
    return body && base::get_string(*body, "status") && base::get_object(*body, "store") != nullptr
               ? Answers::ours
               : Answers::other;
  }

  [[nodiscard]] Step local_service() {
    const account::LocalFleet fleet = account::find_local_fleet(context_, "", "");
    const bool dry = options_.dry == DryRun::yes;
    const Answers there = dry && options_.preview == Choice::no ? Answers::nobody : health();
    const auto running = base::FileLock::held(base::join_path(fleet.data, "serve.lock"));
    if (running && *running && fleet.service != service_) {
      return {StepResult::failed, kService,
              "this user's serve runs at " + fleet.service + ", not at " + service_ +
                  "; leave --local out and pass --service " + fleet.service + ", or end it first"};
    }
    if (there == Answers::ours) {
      return {StepResult::ok, kService, service_};
    }
    if (there == Answers::other) {
      return {StepResult::failed, kService,
              "another program answers at " + service_ +
                  "; end it, or start robot-council serve --listen at another port and pass "
                  "--service with its address instead of --local"};
    }
    const std::string by_hand = "run robot-council serve in a terminal of its own, then this again";
    if (!base::find_program("systemctl", context_.environment.get_or_empty("PATH")) ||
        (!dry && !has_user_systemd(context_))) {
      no_service_ = true;
      return {StepResult::by_hand, kService, by_hand};
    }
    const auto unit =
        plan_unit(context_, local_unit_source(options_.script), options_.program, fleet.data);
    if (!unit) {
      return {StepResult::failed, kService, unit.error().what};
    }
    if (dry) {
      unit_diff_ = base::unified_diff(unit->path, unit->before, unit->text);
      return {StepResult::changed, kService,
              "unless one answers at " + service_ + ", would start " + unit->path};
    }
    return start_local(*unit);
  }

  [[nodiscard]] Step start_local(const UnitFile& unit) {
    if (const auto started = start_unit(context_, unit); !started) {
      return {StepResult::failed, kService, started.error().what};
    }
    const Waited waited =
        io_.wait ? io_.wait([this] { return health() == Answers::ours; }, kLocalStartTime)
                 : Waited::too_long;
    if (waited == Waited::yes) {
      return {StepResult::changed, kService, service_ + ", started by " + unit.path};
    }
    (void)stop_unit(context_, unit.path, unit.before);
    interrupted_ = waited == Waited::interrupted;
    return {StepResult::failed, kService,
            interrupted_ ? "interrupted; the unit was taken out again"
                         : "it was started and did not answer at " + service_ + " within " +
                               std::to_string(kLocalStartTime.count() / kMsInSecond) +
                               " s, so the unit was taken out again; look at journalctl --user -u "
                               "robot-council"};
  }

  [[nodiscard]] Step enrolment() {
    const std::string name = "enrolment";
    if (no_service_) {
      return {StepResult::failed, name, "no service answers at " + service_ + " yet"};
    }
    const auto service = account::check_service(service_);
    if (!service.ok()) {
      return {StepResult::failed, name, service.error().what};
    }
    const bool dry = options_.dry == DryRun::yes;
    account::HarnessChoice choice = choose_harness(options_.harness, context_.environment);
    if (dry) {
      choice.named = account::Named::no;  // a named harness may claim an old entry: that writes
    }
    const auto credential = account::read_credential(context_, *service, choice);
    if (credential.ok()) {
      const auto& expires = credential->expires_ms;
      const bool lasts = !expires || *expires - context_.clock.wall_ms() > kRenewMs;
      if (lasts && (dry || !refused(*service, credential->token))) {
        return {StepResult::ok, name,
                expires ? "until " + base::utc_date(*expires)
                        : std::string("stored, its end is not recorded")};
      }
    } else if (credential.error().code != base::Errc::not_found) {
      return {StepResult::failed, name, credential.error().what};
    }
    if (dry) {
      return {StepResult::changed, name, "would enrol this machine"};
    }
    const int code = io_.enroll();
    interrupted_ = code == account::kExitInterrupted;
    return code == account::kExitOk
               ? Step{StepResult::changed, name, "enrolled"}
               : Step{StepResult::failed, name, "this machine is not enrolled"};
  }

  // Whether the fleet says that the credential is not good. No answer is none: doctor tells it.
  [[nodiscard]] static bool refused(const account::Service& service, const std::string& token) {
    auto client = account::ServiceClient::open(service);
    if (!client.ok()) {
      return false;
    }
    int status = 0;
    const auto session = start_session(*client, token, {}, status);
    if (session.ok()) {
      (void)end_session(*client, token, *session);
    }
    return status == kUnauthorized;
  }

  [[nodiscard]] stop_hook::ScriptValues script_values() const {
    stop_hook::ScriptValues values;
    values.version = base::version();
    values.service = service_;
    values.harness = options_.harness;
    values.program = options_.program;
    values.project = options_.project;
    if (client_ == Client::codex) {
      values.state_home = context_.environment.nonblank("XDG_STATE_HOME").value_or("");
    }
    return values;
  }

  [[nodiscard]] harness::ServerValues server_values() const {
    harness::ServerValues values{options_.program, service_, options_.project, {}};
    if (client_ == Client::codex) {
      for (const std::string name : {"XDG_STATE_HOME", "XDG_CONFIG_HOME"}) {
        if (const auto value = context_.environment.nonblank(name)) {
          values.variables[name] = *value;
        }
      }
    }
    return values;
  }

  // The entry that records turn ends; "" when it is not wanted, or this client's are not recorded.
  [[nodiscard]] std::string record_entry() const {
    return options_.stops == Choice::yes
               ? harness::record_entry(client_, {options_.program, service_, options_.project})
               : "";
  }

  [[nodiscard]] Step scan() {
    const stop_hook::DiskSettingsFiles files;
    const std::string folder =
        options_.scope == Scope::project ? project_root(options_.folder) : options_.folder;
    const auto result = stop_hook::scan({files, context_.environment, folder}, options_.harness,
                                        {service_, options_.project});
    review_ = result.outcome == stop_hook::ScanOutcome::needs_review;
    std::string text(stop_hook::to_text(result.outcome));
    for (const stop_hook::ScanFinding& finding : result.findings) {
      if (finding.severity == stop_hook::ScanSeverity::error ||
          (finding.severity == stop_hook::ScanSeverity::warning && finding.rule == "double")) {
        text += "; " + finding.file + ": " + finding.text;
      }
    }
    if (result.outcome == stop_hook::ScanOutcome::runs) {
      return {StepResult::ok, "scan", text};
    }
    return {review_ ? StepResult::by_hand : StepResult::failed, "scan", text};
  }

  // Where the hook waits for a person's review the proof cannot succeed yet.
  [[nodiscard]] Step doctor() const {
    if (review_) {
      return {StepResult::by_hand, "doctor",
              "after the hook is trusted run robot-council doctor --harness " + options_.harness};
    }
    std::string said;
    const int code = io_.doctor([&said](std::string_view text) {
      said += text;
      return base::Status();
    });
    if (code == account::kExitOk) {
      return {StepResult::ok, "doctor", "no check failed"};
    }
    context_.log.error("doctor says:\n" + base::without_trailing(said, '\n'));
    return {StepResult::failed, "doctor", "run robot-council doctor --harness " + options_.harness};
  }

  [[nodiscard]] std::string last_lines() const {
    if (failed_) {
      return "A step failed; correct what it names and run this again.\n";
    }
    if (!changed_) {
      return "Nothing changed.\n";
    }
    std::string text;
    switch (client_) {
      case Client::claude:
        text = "Restart Claude Code for the server, and trust the folder when it asks.\n";
        if (options_.wake == harness::Wake::yes) {
          text += "Idle sessions will be woken and working ones reached, without any start flag.\n";
        }
        break;
      case Client::codex:
        text = "Start codex, open /hooks and trust the Stop hook `" + wirer_.places().script +
               "` of " + wirer_.places().hooks.path +
               ": until then, and after each change of the entry, it is skipped in silence.\n";
        break;
      case Client::cursor:
        text = "Reload the window of Cursor.\n";
        break;
      case Client::gemini:
        text = "Restart Gemini CLI in a trusted folder.\n";
        break;
      case Client::copilot:
      case Client::goose:
        text = "Restart " + std::string(harness::client_title(client_)) + ".\n";
        break;
    }
    text += "Then ask the agent to join the fleet.\n";
    if (options_.channels == Choice::yes) {
      text += "claude --dangerously-load-development-channels server:robot-council\n";
    }
    return text + "robot-council doctor --harness " + options_.harness + "\n";
  }

  const base::Context& context_;
  const SetupOptions& options_;
  const SetupIo& io_;
  Client client_;
  std::string service_;
  Wirer wirer_;
  bool printed_ = true;
  bool no_service_ = false;  // --local, and a person must start it
  std::string unit_diff_;    // of a dry run
  bool review_ = false;      // the hook waits for a person's review
  bool interrupted_ = false;
  bool failed_ = false;
  bool changed_ = false;
};

// Values that cannot go together, as a whole sentence; "" = none.
std::string usage_error(const SetupOptions& options, const std::optional<Client>& client) {
  if (!client) {
    return "setup takes one of claude, codex, cursor, gemini, copilot, goose.";
  }
  if (!is_project(options.project)) {
    return "--project takes 1 to 128 of the characters A-Z a-z 0-9 . _ / -.";
  }
  if (options.channels == Choice::yes && *client != Client::claude) {
    return "--channels is for claude.";
  }
  if (options.stops == Choice::yes && harness::record_entry(*client, {}).empty()) {
    return "--stops is for claude, codex and gemini: turn ends of others are not recorded.";
  }
  if (options.local == Choice::yes && !options.service.empty() &&
      base::without_trailing(options.service, '/') != account::kDefaultLocalService) {
    return "--local uses " + std::string(account::kDefaultLocalService) + "; leave --service out.";
  }
  return {};
}

}  // namespace

int setup(const base::Context& context, const SetupOptions& options, const SetupIo& io) {
  const auto client = harness::parse_client(options.harness);
  const std::string usage = usage_error(options, client);
  if (!usage.empty()) {
    context.log.error(usage);
    return account::kExitUsage;
  }
  if (options.local == Choice::yes && !options.agent_marker.empty()) {
    context.log.error("setup --local is a person's; " + options.agent_marker +
                      " says that an agent calls. Nothing was changed.");
    return account::kExitFailed;
  }
  const std::string service = options.local == Choice::yes
                                  ? std::string(account::kDefaultLocalService)
                                  : account::service_text(options.service, context.environment);
  const auto checked = account::check_service(service);
  if (!checked.ok()) {
    context.log.error(checked.error().what);
    return account::kExitFailed;
  }
  return Setup(context, options, io, *client, service).run();
}

}  // namespace robot_council::wiring::online
