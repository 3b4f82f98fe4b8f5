#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"

namespace robot_council::base {

enum class Level : std::uint8_t {
  error,    // a person must act
  warning,  // works, but less well
  info,     // a change of state
  debug,
};

// Where diagnostics go. One line a message; a message of several lines gets one prefix, on its
// first line. Never a token, a header value or an event's body. Threads: safe from any.
class Log {
 public:
  Log() = default;
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  Log(Log&&) = delete;
  Log& operator=(Log&&) = delete;
  virtual ~Log() = default;
  virtual void write(Level level, std::string_view message) = 0;

  void error(std::string_view message) { write(Level::error, message); }
  void warning(std::string_view message) { write(Level::warning, message); }
  void info(std::string_view message) { write(Level::info, message); }
  void debug(std::string_view message) { write(Level::debug, message); }
};

// Writes "robot-council: <message>\n" to stderr with one write(2); messages above `most` are
// dropped. A stderr that is closed or full loses the line and nothing else.
class StderrLog final : public Log {
 public:
  explicit StderrLog(Level most = Level::info) : most_(most) {}
  void write(Level level, std::string_view message) override;

 private:
  Level most_;
};

// Keeps the messages, for tests and for callers that show them in another place.
class MemoryLog final : public Log {
 public:
  void write(Level level, std::string_view message) override;
  [[nodiscard]] std::vector<std::string> lines() const;
  [[nodiscard]] bool contains(std::string_view part) const;

 private:
  mutable Mutex mu_;
  std::vector<std::string> lines_ RC_GUARDED_BY(mu_);
};

}  // namespace robot_council::base
