#include "tests/bridge/bridge_fixture.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/files.hpp"
#include "base/json.hpp"
#include "base/json_scan.hpp"
#include "base/paths.hpp"
#include "base/signals.hpp"
#include "sink/delivery_store.hpp"
#include "sink/seat.hpp"

namespace robot_council::test {

Conversation::Conversation(base::Fd to_bridge, base::Fd from_bridge)
    : to_(std::move(to_bridge)), from_(std::move(from_bridge)), stop_(*base::Pipe::open()) {
  thread_ = std::thread([this] { read_all(); });
}

Conversation::~Conversation() {
  close_output();
  to_.reset();
}

void Conversation::close_output() {
  stop_.write_end.reset();
  if (thread_.joinable()) {
    thread_.join();
  }
  from_.reset();
}

void Conversation::read_all() {
  while (true) {
    std::array<pollfd, 2> watched = {pollfd{from_.get(), POLLIN, 0},
                                     pollfd{stop_.read_end.get(), POLLIN, 0}};
    if (::poll(watched.data(), watched.size(), -1) < 0) {
      return;
    }
    if (watched[1].revents != 0) {
      return;
    }
    std::array<char, 65536> buffer{};
    const ssize_t n = ::read(from_.get(), buffer.data(), buffer.size());
    if (n <= 0) {
      return;
    }
    const std::lock_guard<std::mutex> lock(mu_);
    rest_.append(buffer.data(), static_cast<std::size_t>(n));
    std::size_t end = 0;
    while ((end = rest_.find('\n')) != std::string::npos) {
      lines_.push_back(rest_.substr(0, end));
      rest_.erase(0, end + 1);
    }
  }
}

void Conversation::send_raw(const std::string& bytes) {
  ASSERT_TRUE(base::write_all(to_.get(), bytes, test::in_time()).ok());
}

void Conversation::request(const std::string& id, const std::string& method,
                           const std::string& params) {
  send(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + "\"" +
       (params.empty() ? std::string() : R"(,"params":)" + params) + "}");
}

void Conversation::call(const std::string& id, const std::string& tool,
                        const std::string& arguments) {
  request(id, "tools/call", R"({"name":")" + tool + R"(","arguments":)" + arguments + "}");
}

void Conversation::handshake() {
  request("0", "initialize", R"({"protocolVersion":"2025-11-25","capabilities":{}})");
  ASSERT_NE(answer("0"), "");
  const std::size_t before = count("list_changed");
  send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  ASSERT_TRUE(wait_until([&] { return count("list_changed") > before; }));
}

std::vector<std::string> Conversation::lines() {
  const std::lock_guard<std::mutex> lock(mu_);
  return lines_;
}

std::size_t Conversation::count(const std::string& part) {
  const std::vector<std::string> all = lines();
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(),
                    [&](const std::string& line) { return line.find(part) != std::string::npos; }));
}

std::string Conversation::line_with(const std::string& part, base::Milliseconds limit) {
  std::string found;
  static_cast<void>(wait_until(
      [&] {
        for (const std::string& line : lines()) {
          if (line.find(part) != std::string::npos) {
            found = line;
            return true;
          }
        }
        return false;
      },
      limit));
  return found;
}

std::string Conversation::answer(const std::string& id, base::Milliseconds limit) {
  std::string found;
  static_cast<void>(wait_until(
      [&] {
        for (const std::string& line : lines()) {
          if (base::validate_json(line, 200).ok() && base::json_member(line, "id") == id &&
              base::json_member(line, "method").empty()) {
            found = line;
            return true;
          }
        }
        return false;
      },
      limit));
  return found;
}

std::string Conversation::text_of(const std::string& id) {
  const std::string line = answer(id);
  if (line.empty()) {
    return {};
  }
  const std::string_view result = base::json_member(line, "result");
  if (result.empty()) {
    return line;
  }
  const auto content = base::json_elements(base::json_member(result, "content"));
  return content.empty() ? std::string()
                         : base::json_unescape(base::json_member(content.at(0), "text"));
}

void BridgeTest::SetUp() {
  base::ignore_sigpipe();
  old_directory_ = *base::working_directory();
  const std::string checkout = dir_ / "work";
  ASSERT_EQ(::mkdir(checkout.c_str(), 0700), 0);
  ASSERT_EQ(::chdir(checkout.c_str()), 0);
  environment_.set("HOME", dir_ / "home");
  environment_.set("XDG_STATE_HOME", dir_ / "state");
  environment_.set("XDG_CONFIG_HOME", dir_ / "config");
  environment_.set("PATH", "/usr/bin:/bin");
  ASSERT_EQ(::mkdir((dir_ / "home").c_str(), 0700), 0);
  options_.service = fleet_.url();
  options_.harness = "codex";
  bridge::Timings& timings = options_.timings;
  timings.poll = base::Milliseconds(50);
  timings.early = base::Milliseconds(50);
  timings.flood = base::Milliseconds(20);
  timings.backoff = base::Milliseconds(50);
  timings.renew_pause = base::Milliseconds(200);
  timings.leave_wait = base::Milliseconds(1000);
  enroll("codex");
  enroll("claude");
  enroll("cursor");
}

void BridgeTest::TearDown() {
  if (thread_.joinable()) {
    static_cast<void>(finish());
  }
  harness_.reset();
  fleet_.stop();
  static_cast<void>(::chdir(old_directory_.c_str()));
}

void BridgeTest::enroll(const std::string& harness, const std::string& token) {
  const std::string folder = (dir_ / "config") + "/robot-council";
  const std::string path = folder + "/credentials.json";
  std::string entries;
  if (base::exists(path)) {
    entries = read_text(path);
    entries = entries.substr(0, entries.rfind('}')) + ",";
  } else {
    entries = "{";
  }
  write_text(path, entries + base::quote_json(fleet_.url() + "|" + harness) + ":" +
                       base::quote_json(token) + "}");
  ASSERT_EQ(::chmod((dir_ / "config").c_str(), 0700), 0);
  ASSERT_EQ(::chmod(folder.c_str(), 0700), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
}

void BridgeTest::start() {
  base::Pipe in = *base::Pipe::open();
  base::Pipe out = *base::Pipe::open();
  stop_ = *base::Pipe::open();
  bridge_in_ = std::move(in.read_end);
  bridge_out_ = std::move(out.write_end);
  harness_ = std::make_unique<Conversation>(std::move(in.write_end), std::move(out.read_end));
  if (!waiting_input_.empty()) {
    harness_->send_raw(waiting_input_);
  }
  if (stopped_at_start_) {
    stop_.write_end.reset();
  }
  code_.reset();
  thread_ = std::thread([this] {
    const base::Context context{clock_, environment_, log_};
    bridge::BridgeIo io;
    io.in = bridge_in_.get();
    io.out = bridge_out_.get();
    io.stop = stop_.read_end.get();
    code_ = bridge::run_bridge(context, options_, io);
  });
}

int BridgeTest::finish() {
  if (harness_) {
    harness_->close_input();
  }
  if (thread_.joinable()) {
    thread_.join();
  }
  bridge_in_.reset();
  bridge_out_.reset();
  return code_.value_or(-1);
}

std::string BridgeTest::join(const std::string& arguments) {
  harness_->call("\"join\"", "join", arguments);
  return harness_->text_of("\"join\"");
}

void BridgeTest::start_joined() {
  start();
  harness_->handshake();
  ASSERT_NE(join().find("Joined the fleet as session"), std::string::npos);
}

bool BridgeTest::said(const std::string& part) {
  return log_.contains(part);
}

bool BridgeTest::wait_said(const std::string& part, base::Milliseconds limit) {
  return wait_until([&] { return said(part); }, limit);
}

std::size_t BridgeTest::times_said(const std::string& part) {
  const std::vector<std::string> lines = log_.lines();
  return static_cast<std::size_t>(
      std::count_if(lines.begin(), lines.end(),
                    [&](const std::string& line) { return line.find(part) != std::string::npos; }));
}

sink::SeatFiles BridgeTest::files() const {
  return sink::resolve_bridge_seat({fleet_.url(), options_.harness, options_.project},
                                   (dir_.path() + "/work"), environment_)
      .seat.files;
}

std::vector<sink::Entry> BridgeTest::rows() const {
  auto store = sink::DeliveryStore::open(files(), sink::Access::read_only, sink::WaitBudget());
  if (!store.ok() || !*store) {
    return {};
  }
  auto look = (*store)->look(std::nullopt);
  return look.ok() ? look->rows : std::vector<sink::Entry>{};
}

std::size_t BridgeTest::rows_of(const std::string& type) const {
  const std::vector<sink::Entry> all = rows();
  return static_cast<std::size_t>(std::count_if(
      all.begin(), all.end(), [&](const sink::Entry& row) { return row.type == type; }));
}

bool BridgeTest::wait_rows(std::size_t n) const {
  return wait_until([&] { return rows().size() >= n; });
}

void BridgeTest::stop_file(const std::string& where) {
  write_text(
      where + "/.robot-council/stop.json",
      R"({"version":1,"scope":"all","reason":"wrong branch","who":"ana","when":"2026-11-30T05:40:12Z","repo":""})");
}

BridgeProcess::BridgeProcess(const std::vector<std::string>& arguments,
                             const std::map<std::string, std::string>& environment,
                             const std::string& directory) {
  base::ChildOptions options;
  options.argv = {program("robot-council-net"), "mcp"};
  options.argv.insert(options.argv.end(), arguments.begin(), arguments.end());
  for (const auto& [name, value] : environment) {
    options.environment.push_back(name + "=" + value);
  }
  options.directory = directory;
  options.standard_in = base::Stdio::pipe;
  options.standard_out = base::Stdio::pipe;
  options.standard_err = base::Stdio::pipe;
  base::Result<base::Child> child = base::Child::start(options);
  EXPECT_TRUE(child.ok());
  child_ = *std::move(child);
  harness_ = std::make_unique<Conversation>(std::move(child_->standard_in),
                                            std::move(child_->standard_out));
  err_ = std::move(child_->standard_err);
  static_cast<void>(base::set_nonblocking(err_.get()));
}

std::string BridgeProcess::said() const {
  std::array<char, 4096> buffer{};
  while (true) {
    const base::Result<std::size_t> n = base::read_some(err_.get(), buffer);
    if (!n.ok() || *n == 0) {
      return said_;
    }
    said_.append(buffer.data(), *n);
  }
}

}  // namespace robot_council::test
