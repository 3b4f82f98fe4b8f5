#include "stops/record.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/environment.hpp"
#include "base/fd.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "stops/files.hpp"
#include "stops/log_line.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::stops {
namespace {

constexpr std::int64_t kTurnEnd = 1796018400000;  // 2026-11-30T06:00:00Z
constexpr base::Milliseconds kWriting{3000};

// The time, and a client that is slow with its payload: it writes once somebody asked for the time,
// and by when that was read, three seconds are over.
class SlowClient final : public base::Clock {
 public:
  SlowClient(base::Pipe pipe, std::string payload)
      : pipe_(std::move(pipe)), payload_(std::move(payload)) {}

  [[nodiscard]] std::int64_t wall_ms() const override {
    if (!payload_.empty()) {
      EXPECT_TRUE(base::write_all(pipe_.write_end.get(), payload_, test::in_time()).ok());
      payload_.clear();
    }
    return kTurnEnd + spent().count();
  }
  [[nodiscard]] base::SteadyTime steady() const override {
    return base::SteadyTime(std::chrono::hours(1)) + spent();
  }
  [[nodiscard]] base::Milliseconds awake_and_asleep() const override {
    return std::chrono::hours(1);
  }
  [[nodiscard]] int standard_in() const { return pipe_.read_end.get(); }

 private:
  [[nodiscard]] base::Milliseconds spent() const {
    const bool was_read = payload_.empty() && test::pipe_is_empty(pipe_.read_end.get());
    return was_read ? kWriting : base::Milliseconds(0);
  }

  base::Pipe pipe_;
  mutable std::string payload_;
};

TEST(Record, TimeIsTakenBeforeThePayloadIsRead) {
  const test::TempDir home(test::TempDir::Place::memory);
  base::MapEnvironment environment;
  environment.set("HOME", home.path());
  environment.set("XDG_STATE_HOME", home / "state");
  test::write_text(home / ".robot-council/stop.yaml",
                   test::read_text(test::source_file("resources/policy/stop.yaml")));
  base::MemoryLog log;
  base::Result<base::Pipe> pipe = base::Pipe::open();
  ASSERT_TRUE(pipe.ok());
  const SlowClient client(
      *std::move(pipe),
      R"({"session_id":"s","transcript_path":"/t.jsonl","hook_event_name":"Stop",)"
      R"("last_assistant_message":"Shall I go on?","cwd":)" +
          base::quote_json(home.path()) + "}");
  RecordOptions options;
  options.deadline = test::in_time();
  record(options, {client, environment, log}, client.standard_in());
  const auto line = from_json(test::read_text(stop_files(environment).log()));
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->outcome, Outcome::judged);
  EXPECT_EQ(line->ts_ms, kTurnEnd);
  EXPECT_EQ(line->latency_total_ms, kWriting.count());
}

}  // namespace
}  // namespace robot_council::stops
