#include "wiring/online/demo_world.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "account/limits.hpp"
#include "account/local_fleet.hpp"
#include "account/service_client.hpp"
#include "base/atomic_file.hpp"
#include "base/fd.hpp"
#include "base/files.hpp"
#include "base/json_value.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "base/utf8.hpp"
#include "base/version.hpp"
#include "brake/stop_file.hpp"
#include "service-api/paths.hpp"
#include "stop-hook/script.hpp"
#include "wiring/online/limits.hpp"

namespace robot_council::wiring::online {

namespace {

constexpr const char* kHarness = "claude";
constexpr const char* kSession =
    "5f0c8e2a-demo-4c1d-9a53-000000000001";  // of the harness, not of the fleet
constexpr const char* kPath = "PATH=/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin";
constexpr std::size_t kMaxScript = std::size_t{64} << 10U;
constexpr int kCreated = 201;

base::Error failed(const std::string& what) {
  return base::Error{base::Errc::io, what};
}

std::string last_lines(const std::string& text, std::size_t count) {
  auto lines = base::split(base::without_trailing(text, '\n'), '\n');
  if (lines.size() > count) {
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(count));
  }
  return base::join(lines, "\n");
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// Fills the pipe until it takes no more byte; a later writer then blocks.
base::Status fill(const base::Fd& write_end) {
  const int flags = ::fcntl(write_end.get(), F_GETFL);
  if (flags < 0 || ::fcntl(write_end.get(), F_SETFL, flags | O_NONBLOCK) != 0) {
    return base::errno_error("prepare the pipe");
  }
  const std::array<char, 4096> filler{};
  // Whole pages first, then single bytes: a pipe with room for less than a page takes those still.
  for (const std::size_t size : {filler.size(), std::size_t{1}}) {
    while (::write(write_end.get(), filler.data(), size) > 0) {
    }
  }
  if (::fcntl(write_end.get(), F_SETFL, flags) != 0) {
    return base::errno_error("prepare the pipe");
  }
  return {};
}

bool holds_text(const base::Json& row, const std::string& text) {
  const base::Json* event = base::get_object(row, "event");
  return event != nullptr &&
         base::get_string(*event, "body").value_or("").find(text) != std::string::npos;
}

}  // namespace

base::Result<ScratchFolder> ScratchFolder::create(const base::Environment& environment,
                                                  const std::string& prefix) {
  std::string pattern = base::join_path(base::temporary_directory(environment), prefix + "-XXXXXX");
  if (::mkdtemp(pattern.data()) == nullptr) {
    return base::errno_error("make a folder " + pattern);
  }
  // The real path: the programs below see it by that name.
  auto real = base::real_path(pattern);
  return ScratchFolder(real ? *real : pattern);
}

ScratchFolder::~ScratchFolder() {
  if (!path_.empty()) {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
}

DemoWorld::DemoWorld(const Parts& parts, ScratchFolder folder)
    : context_(parts.context),
      program_(parts.program),
      script_source_(parts.script),
      interrupted_(parts.interrupted),
      pause_(parts.pause),
      deadline_(base::deadline_in(kDemoTime)),
      folder_(std::move(folder)) {}

DemoWorld::~DemoWorld() {
  // Children first: what still runs could write into the folder that goes next.
  bridge_.reset();
  serve_.reset();
}

base::Result<std::unique_ptr<DemoWorld>> DemoWorld::create(const Parts& parts) {
  auto folder = ScratchFolder::create(parts.context.environment, "robot-council-demo");
  if (!folder) {
    return folder.error();
  }
  std::unique_ptr<DemoWorld> world(new DemoWorld(parts, std::move(*folder)));
  if (auto ready = world->prepare(); !ready) {
    return ready.error();
  }
  return world;
}

base::Status DemoWorld::prepare() {
  for (const char* name : {"home", "config", "state", "data", "tmp", "log", "hooks", "checkout"}) {
    if (auto made = base::make_private_directory(at(name)); !made) {
      return made;
    }
  }
  return prepare_checkout();
}

base::Status DemoWorld::prepare_checkout() {
  if (!base::find_program("git", std::string(kPath).substr(5))) {
    return {};  // a plain folder is a checkout too
  }
  auto options = child({"git", "init", "-q", "."});
  options.standard_err = base::Stdio::null;
  auto git = base::Child::start(options);
  if (git) {
    (void)git->wait(step_deadline(kDemoStepTime));
  }
  return {};
}

base::SteadyTime DemoWorld::step_deadline(base::Milliseconds limit) const {
  return std::min(deadline_, base::deadline_in(limit));
}

base::ChildOptions DemoWorld::child(const std::vector<std::string>& argv) const {
  base::ChildOptions options;
  options.argv = argv;
  options.environment = {kPath,
                         "HOME=" + at("home"),
                         "TMPDIR=" + at("tmp"),
                         "XDG_CONFIG_HOME=" + at("config"),
                         "XDG_STATE_HOME=" + at("state"),
                         "XDG_DATA_HOME=" + at("data")};
  options.directory = at("checkout");
  options.standard_err = base::Stdio::pipe;
  return options;
}

base::Result<base::ChildOptions> DemoWorld::logged_child(const std::vector<std::string>& argv,
                                                         const std::string& log_name) const {
  auto log = base::open_file(at("log/" + log_name), O_WRONLY | O_CREAT | O_APPEND);
  if (!log) {
    return log.error();
  }
  auto options = child(argv);
  options.standard_err = base::Stdio::given;
  options.given_err = std::make_shared<base::Fd>(std::move(*log));
  return options;
}

base::Status DemoWorld::check_going() const {
  if (interrupted_()) {
    return base::Error{base::Errc::busy, "interrupted"};
  }
  if (base::time_left(deadline_).count() == 0) {
    return base::Error{base::Errc::timeout, "the demo's 60 s are over"};
  }
  return {};
}

base::Result<std::string> DemoWorld::start_service() {
  constexpr std::string_view kSays = "listening on ";
  auto options = logged_child(
      {program_, "serve", "--listen", "127.0.0.1:0", "--data", at("data/fleet"), "--auto-approve"},
      "serve");
  if (!options) {
    return options.error();
  }
  options->standard_out = base::Stdio::pipe;
  auto started = base::Child::start(*options);
  if (!started) {
    return started.error();
  }
  serve_.emplace(std::move(*started));
  const auto deadline = step_deadline(kDemoStepTime);
  std::string text;
  while (text.find('\n') == std::string::npos) {
    if (auto going = check_going(); !going) {
      return going.error();
    }
    const auto slice = std::min(deadline, base::deadline_in(kDemoLookStep));
    auto ready = base::wait_readable(serve_->standard_out.get(), slice);
    if (!ready) {
      return ready.error();
    }
    if (*ready == base::Ready::timeout) {
      if (base::time_left(deadline).count() == 0) {
        return failed("no line on its stdout");
      }
      continue;
    }
    std::array<char, 4096> bytes{};
    const auto got = base::read_some(serve_->standard_out.get(), bytes);
    if (!got || *got == 0) {
      return failed("it ended without an address");
    }
    text.append(bytes.data(), *got);
  }
  text = first_line(text);
  if (text.compare(0, kSays.size(), kSays) != 0) {
    return failed("it said: " + base::for_display(text));
  }
  auto service = account::check_service(text.substr(kSays.size()));
  if (!service || !service->url.loopback()) {
    return failed("it said: " + base::for_display(text));
  }
  service_ = std::move(*service);
  return service_.text;
}

base::Result<HookRun> DemoWorld::run(const std::vector<std::string>& words) {
  std::vector<std::string> argv = {program_};
  argv.insert(argv.end(), words.begin(), words.end());
  return run_watched(child(argv), {}, kDemoStepTime);
}

// The outputs are small: they wait in the pipes until the child has ended.
base::Result<HookRun> DemoWorld::run_watched(base::ChildOptions options, const std::string& input,
                                             base::Milliseconds limit) {
  const auto deadline = step_deadline(limit);
  options.standard_in = base::Stdio::pipe;
  options.standard_out = base::Stdio::pipe;
  options.standard_err = base::Stdio::pipe;
  auto started = base::Child::start(options);
  if (!started) {
    return started.error();
  }
  if (!input.empty()) {
    (void)base::write_all(started->standard_in.get(), input,
                          deadline);  // who does not read it gives no answer
  }
  started->standard_in.reset();
  while (true) {
    const auto ended = started->wait(std::min(deadline, base::deadline_in(kDemoLookStep)));
    if (ended) {
      const auto out = base::read_all(started->standard_out.get(), kDemoMaxText, deadline);
      const auto err = base::read_all(started->standard_err.get(), kDemoMaxText, deadline);
      return HookRun{ended->code, out.value_or(""), err.value_or("")};
    }
    if (ended.error().code != base::Errc::timeout) {
      return ended.error();
    }
    if (auto going = check_going(); !going) {
      return going.error();
    }
    if (base::time_left(deadline).count() == 0) {
      return base::Error{base::Errc::timeout, options.argv.back() + " did not end within " +
                                                  std::to_string(limit.count() / 1000) + " s"};
    }
  }
}

base::Result<std::string> DemoWorld::enrol() {
  const auto ran = run({"enroll", "--service", service_.text, "--harness", kHarness,
                        "--machine-label", "demo", "--credential-store", "file"});
  if (!ran) {
    return ran.error();
  }
  if (ran->code != 0 || ran->out.find("This machine is enrolled.") == std::string::npos) {
    return failed("exit " + std::to_string(ran->code) + "\n" +
                  last_lines(ran->err, kDemoErrorLines));
  }
  return std::string("enrolled as ") + kHarness;
}

base::Result<std::string> DemoWorld::join() {
  const std::string client =
      R"({"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"robot-council demo","version":")" +
      std::string(base::version()) + R"("}})";
  auto options =
      logged_child({program_, "mcp", "--service", service_.text, "--harness", kHarness}, "mcp");
  if (!options) {
    return options.error();
  }
  auto started = McpClient::start(std::move(*options), interrupted_);
  if (!started) {
    return started.error();
  }
  bridge_.emplace(std::move(*started));
  const auto hello = bridge_->request("initialize", client, step_deadline(kDemoStepTime));
  if (!hello) {
    return hello.error();
  }
  if (base::get_object(*hello, "result") == nullptr) {
    return failed("initialize was answered by " + base::for_display(base::dump_safe(*hello)));
  }
  if (auto sent = bridge_->notify("notifications/initialized", step_deadline(kDemoStepTime));
      !sent) {
    return sent.error();
  }
  const auto joined = bridge_->request("tools/call", R"({"name":"join","arguments":{}})",
                                       step_deadline(kDemoStepTime));
  if (!joined) {
    return joined.error();
  }
  const base::Json* result = base::get_object(*joined, "result");
  const base::Json* content = result == nullptr ? nullptr : base::get_array(*result, "content");
  const std::string said = content == nullptr || content->empty()
                               ? ""
                               : base::get_string(content->front(), "text").value_or("");
  if (result == nullptr || base::get_bool(*result, "isError").value_or(false) ||
      !said.starts_with("Joined the fleet")) {
    return failed("join was answered by " + base::for_display(base::dump_safe(*joined)));
  }
  return first_line(said);
}

base::Result<std::string> DemoWorld::post_directive(const std::string& text) {
  account::LocalFleet fleet;
  fleet.data = at("data/fleet");
  fleet.service = service_.text;
  const auto token = account::operator_token(fleet);
  if (!token) {
    return token.error();
  }
  auto client = account::ServiceClient::open(service_);
  if (!client) {
    return client.error();
  }
  base::OrderedJson body = base::OrderedJson::object();
  body["body"] = text;
  const auto answer = client->call("POST", service_api::path::kOperatorDirectives, *token,
                                   base::dump_safe(body), kDemoStepTime);
  if (!answer) {
    return answer.error();
  }
  if (answer->status != kCreated) {
    return failed("HTTP " + std::to_string(answer->status) + " " + base::for_display(answer->body));
  }
  return "\"" + text + "\"";
}

base::Result<base::Json> DemoWorld::peek() {
  const auto ran =
      run({"pending", "--peek", "--json", "--service", service_.text, "--harness", kHarness});
  if (!ran) {
    return ran.error();
  }
  if (ran->code != 0) {
    return failed("pending --peek: exit " + std::to_string(ran->code) + " " +
                  base::for_display(ran->err));
  }
  return base::parse_bounded(ran->out, kDemoMaxText);
}

base::Result<std::string> DemoWorld::wait_for_row(const std::string& list, const std::string& text,
                                                  const std::string& state) {
  const auto deadline = step_deadline(kDemoStepTime);
  std::string last = "nothing";
  while (true) {
    if (auto going = check_going(); !going) {
      return going.error();
    }
    const auto seen = peek();
    if (!seen) {
      return seen.error();
    }
    if (const base::Json* rows = base::get_array(*seen, list)) {
      for (const auto& row : *rows) {
        if (holds_text(row, text) && (state.empty() || base::get_string(row, "state") == state)) {
          return state.empty() ? list : state;
        }
      }
    }
    last = base::dump_safe(*seen);
    if (bridge_ && !bridge_->running()) {
      return failed("the bridge has ended, and the sink holds " + base::for_display(last));
    }
    if (base::time_left(deadline).count() == 0) {
      return failed("the sink holds " + base::for_display(last));
    }
    (void)pause_(base::deadline_in(kDemoLookStep));
  }
}

StopTurn DemoWorld::turn(const std::string& id, Continued continued) const {
  return StopTurn{kSession, "00000000-demo-0000-0000-" + id, at("checkout"), continued};
}

base::Result<HookRun> DemoWorld::turn_end(const StopTurn& turn) {
  auto options = hook_child(turn);
  if (!options) {
    return options.error();
  }
  return run_watched(std::move(*options), stop_payload(kHarness, turn), kDemoHookTime);
}

base::Result<base::ChildOptions> DemoWorld::hook_child(const StopTurn& turn) {
  if (script_.empty()) {
    const auto source = base::read_file(script_source_, kMaxScript);
    if (!source) {
      return source.error();
    }
    stop_hook::ScriptValues values;
    values.version = std::string(base::version());
    values.service = service_.text;
    values.harness = kHarness;
    values.program = program_;
    const auto filled = stop_hook::fill_script(*source, values);
    if (!filled) {
      return filled.error();
    }
    script_ = at("hooks/" + std::string(stop_hook::kScriptName));
    const auto source_info = base::file_info(script_source_, base::Links::follow);
    if (auto written = base::replace_file(script_, *filled, base::Sync::no,
                                          source_info ? source_info->mode : 0755);
        !written) {
      return written.error();
    }
  }
  HookStart start = hook_start(kHarness, turn, at("home"), "");
  start.shell.push_back(base::shell_quote(script_));
  auto options = child(start.shell);
  options.environment.insert(options.environment.end(), start.variables.begin(),
                             start.variables.end());
  return options;
}

base::Result<std::string> DemoWorld::killed_turn_end(const StopTurn& turn,
                                                     const std::string& text) {
  auto options = hook_child(turn);
  auto pipe = base::Pipe::open();
  if (!options || !pipe) {
    return options ? pipe.error() : options.error();
  }
  if (auto full = fill(pipe->write_end); !full) {
    return full.error();
  }
  options->standard_in = base::Stdio::pipe;
  options->standard_out = base::Stdio::given;
  options->standard_err = base::Stdio::null;
  options->given_out = std::make_shared<base::Fd>(std::move(pipe->write_end));
  auto hook = base::Child::start(*options);
  options->given_out.reset();
  if (!hook) {
    return hook.error();
  }
  if (auto sent = base::write_all(hook->standard_in.get(), stop_payload(kHarness, turn),
                                  step_deadline(kDemoHookTime));
      !sent) {
    return sent.error();
  }
  hook->standard_in.reset();
  auto begun = wait_for_row("waiting", text, "offered");
  hook->send_signal(SIGKILL);
  const auto ended = hook->wait(step_deadline(kDemoHookTime));
  if (!begun) {
    return begun;
  }
  if (!ended || ended->signal != SIGKILL) {
    return failed("the hook had ended by itself, exit " + std::to_string(ended ? ended->code : -1));
  }
  const auto came =
      base::read_all(pipe->read_end.get(), kDemoMaxText, step_deadline(kDemoHookTime));
  if (!came) {
    return came.error();
  }
  if (came->find(text) != std::string::npos) {
    return failed("the whole answer came out before the kill");
  }
  return std::string("killed before its answer was out");
}

base::Result<std::string> DemoWorld::put_stop_file() {
  brake::Stop stop;
  stop.reason = "a demonstration";
  stop.who = "robot-council demo";
  stop.when = base::iso_zulu(context_.clock.wall_ms());
  stop.repo = at("checkout");
  if (auto made = base::make_private_directory(at("checkout/.robot-council")); !made) {
    return made.error();
  }
  if (auto put = base::replace_file(at("checkout/.robot-council/stop.json"),
                                    brake::write_stop(stop), base::Sync::no);
      !put) {
    return put.error();
  }
  return std::string(".robot-council/stop.json");
}

base::Result<std::string> DemoWorld::remove_stop_file() {
  if (auto removed = base::remove_file(at("checkout/.robot-council/stop.json")); !removed) {
    return removed.error();
  }
  return std::string("removed");
}

base::Result<std::string> DemoWorld::end_bridge() {
  if (!bridge_) {
    return std::string("none");
  }
  const auto ended = bridge_->close(step_deadline(kDemoEndTime));
  bridge_.reset();
  if (!ended) {
    return ended.error();
  }
  if (!ended->success()) {
    return failed("the bridge ended with exit " + std::to_string(ended->code) + ", signal " +
                  std::to_string(ended->signal));
  }
  return std::string("the bridge ended");
}

base::Result<std::string> DemoWorld::end_service() {
  if (!serve_) {
    return std::string("none");
  }
  serve_->send_signal(SIGTERM);
  const auto ended = serve_->wait(step_deadline(kDemoEndTime));
  serve_.reset();
  if (!ended) {
    return ended.error();
  }
  if (!ended->success()) {
    return failed("the service ended with exit " + std::to_string(ended->code) + ", signal " +
                  std::to_string(ended->signal));
  }
  return std::string("the service ended");
}

std::string DemoWorld::last_errors(const std::string& child) const {
  const auto text = base::read_file(at("log/" + child), kDemoMaxText);
  return text ? last_lines(*text, kDemoErrorLines) : "";
}

}  // namespace robot_council::wiring::online
