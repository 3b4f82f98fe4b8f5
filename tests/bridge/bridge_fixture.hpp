#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/child.hpp"
#include "base/context.hpp"
#include "base/fd.hpp"
#include "bridge/bridge.hpp"
#include "sink/entry.hpp"
#include "sink/seat_files.hpp"
#include "tests/bridge/fake_fleet.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::test {

// The harness's side of a bridge: writes lines, keeps those that come back.
class Conversation {
 public:
  // Takes the descriptors over.
  Conversation(base::Fd to_bridge, base::Fd from_bridge);
  ~Conversation();
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;
  Conversation(Conversation&&) = delete;
  Conversation& operator=(Conversation&&) = delete;

  void send(const std::string& line) { send_raw(line + "\n"); }
  void send_raw(const std::string& bytes);
  // {"jsonrpc":"2.0","id":<id>,"method":...}
  void request(const std::string& id, const std::string& method, const std::string& params = {});
  void call(const std::string& id, const std::string& tool, const std::string& arguments = "{}");
  // initialize and notifications/initialized; waits for both answers.
  void handshake();
  void close_input() { to_.reset(); }
  void close_output();

  [[nodiscard]] std::vector<std::string> lines();
  [[nodiscard]] std::size_t count(const std::string& part);
  // The answer with this id (bytes); "" if none came in time.
  std::string answer(const std::string& id, base::Milliseconds limit = test::kInTime);
  // A line that holds this.
  std::string line_with(const std::string& part, base::Milliseconds limit = test::kInTime);
  // Text of a tool's answer.
  std::string text_of(const std::string& id);

 private:
  void read_all();
  base::Fd to_;
  base::Fd from_;
  base::Pipe stop_;
  std::mutex mu_;
  std::string rest_;
  std::vector<std::string> lines_;
  std::thread thread_;
};

// Time that can be made to jump over a sleep of the machine.
class SleepyClock final : public base::Clock {
 public:
  [[nodiscard]] std::int64_t wall_ms() const override { return real_.wall_ms() + asleep_.load(); }
  [[nodiscard]] base::SteadyTime steady() const override { return real_.steady(); }
  [[nodiscard]] base::Milliseconds awake_and_asleep() const override {
    return real_.awake_and_asleep() + base::Milliseconds(asleep_.load());
  }
  void sleep_machine(base::Milliseconds by) { asleep_ += by.count(); }

 private:
  base::SystemClock real_;
  std::atomic<std::int64_t> asleep_{0};
};

// A bridge in this process, with private folders, an enrolled harness and a fleet that can
// misbehave.
class BridgeTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  void enroll(const std::string& harness, const std::string& token = "I|secret");
  void start();
  // Ends the bridge by end of input; its exit code.
  int finish();
  // Joins by the tool; the text of the answer.
  std::string join(const std::string& arguments = "{}");
  void start_joined();
  [[nodiscard]] bool said(const std::string& part);
  bool wait_said(const std::string& part, base::Milliseconds limit = test::kInTime);
  [[nodiscard]] std::size_t times_said(const std::string& part);
  [[nodiscard]] sink::SeatFiles files() const;
  [[nodiscard]] std::vector<sink::Entry> rows() const;
  [[nodiscard]] std::size_t rows_of(const std::string& type) const;
  bool wait_rows(std::size_t n) const;
  void stop_file(const std::string& where);  // the brake of this checkout, on

  TempDir dir_;
  FakeFleet fleet_;
  base::MapEnvironment environment_;
  SleepyClock clock_;
  base::MemoryLog log_;
  bridge::BridgeOptions options_;
  std::unique_ptr<Conversation> harness_;
  std::string waiting_input_;      // in stdin before the bridge starts
  bool stopped_at_start_ = false;  // so is the stop
  base::Pipe stop_;
  std::optional<int> code_;
  std::thread thread_;
  base::Fd bridge_in_;
  base::Fd bridge_out_;
  std::string old_directory_;
};

// The real program, started as a harness does.
class BridgeProcess {
 public:
  BridgeProcess(const std::vector<std::string>& arguments,
                const std::map<std::string, std::string>& environment,
                const std::string& directory);
  [[nodiscard]] Conversation& harness() { return *harness_; }
  [[nodiscard]] base::Child& child() { return *child_; }
  // Everything on stderr so far.
  [[nodiscard]] std::string said() const;

 private:
  std::optional<base::Child> child_;
  std::unique_ptr<Conversation> harness_;
  mutable base::Fd err_;
  mutable std::string said_;
};

}  // namespace robot_council::test
