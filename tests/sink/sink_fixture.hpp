#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/context.hpp"
#include "base/environment.hpp"
#include "base/log.hpp"
#include "sink/store.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::test {

inline constexpr const char* kService = "https://fleet.example.test";
inline constexpr const char* kTime = "2026-09-22T12:00:00+00:00";

// `{"id":7,"type":"directive","body":"<body>","meta":{},"created_at":"<time>","actor":{"github_login":"otherdev"}}`
std::string event_json(std::int64_t id, const std::string& body, const std::string& type = "directive",
                       const std::string& at = kTime);
sink::FeedEvent event(std::int64_t id, const std::string& body = "", const std::string& type = "directive");
// Events with ids from..to, bodies "event <id>".
std::vector<sink::FeedEvent> events(std::int64_t from, std::int64_t to);

// A private state folder with one seat, a clock that stands still, and a log that is kept.
class SinkHome {
 public:
  SinkHome();
  [[nodiscard]] sink::SeatFiles files() const { return files_; }
  [[nodiscard]] std::string folder() const { return files_.folder; }
  [[nodiscard]] base::Context context();
  // A join of the test process itself (so it is live), its client the given process.
  [[nodiscard]] sink::JoinInfo join(std::int64_t session = 1, sink::ProcessName client = {});
  // A join of a bridge that is gone.
  [[nodiscard]] sink::JoinInfo dead_join(std::int64_t session = 1);
  // Opens the bridge's side; the test fails if it cannot.
  [[nodiscard]] sink::BridgeStore bridge(const sink::JoinInfo& join);
  [[nodiscard]] sink::BridgeStore bridge() { return bridge(join()); }

  // All rows by seq, read by a connection of its own.
  [[nodiscard]] std::vector<sink::Entry> rows() const;
  [[nodiscard]] std::vector<std::string> bodies(std::optional<sink::RowState> state = std::nullopt) const;
  [[nodiscard]] std::vector<sink::HistoryRow> history() const;
  // Runs SQL on the file as another program would.
  void sql(const std::string& statements) const;
  [[nodiscard]] std::string sql_value(const std::string& query) const;

  TempDir dir;
  FakeClock clock;
  base::MemoryLog log;
  base::MapEnvironment environment;

 private:
  sink::SeatFiles files_;
};

// Body of a stored entry.
std::string body_of(const std::string& json);
// A process that has ended: its pid with a start time that no process has.
sink::ProcessName gone_process();
[[nodiscard]] unsigned mode_of(const std::string& path);
// Runs `work` in a child process, which must not use gtest's assertions for its result; returns its exit code, or 128 + the
// signal that ended it.
int in_child(const std::function<int()>& work);
// The two halves of it.
pid_t start_child(const std::function<int()>& work);
int wait_child(pid_t pid);

}  // namespace robot_council::test
