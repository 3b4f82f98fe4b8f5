#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/context.hpp"
#include "base/mutex.hpp"
#include "sink/seat_files.hpp"

namespace robot_council::bridge {

// What `status` and `doctor` read of a running bridge, and the next bridge of the seat of a dead
// one: <key>.bridge, or <key>.bridge-<pid> without the seat. Written aside and renamed, best
// effort. Threads: any.
class BridgeRecord {
 public:
  struct Fixed {
    std::string service;
    std::string harness;
    std::string project;      // "" none
    std::string project_env;  // ROBOT_COUNCIL_PROJECT, "" unset
    std::string folder;
    std::string path;   // PATH
    std::string state;  // folder of the sinks
    bool channel = false;
  };
  BridgeRecord(const base::Context& context, sink::SeatFiles files, Fixed fixed, bool seat,
               base::Milliseconds pause);

  // Reads the record of the seat's bridge before this one: a session whose end was not written
  // stays as the leftover.
  void take_leftover();
  [[nodiscard]] std::optional<std::int64_t> leftover() const;
  void leftover_ended();

  void joined(std::int64_t session, const std::string& role, std::optional<std::int64_t> cursor);
  void role(const std::string& role);
  void session_ended();  // its end was answered
  void feed_read(std::optional<std::int64_t> cursor);
  void tool_called();
  void noticed();
  void seat_obtained();  // the record moves to its place
  void write();
  // At the end: kept with the seat, removed without it.
  void close();

 private:
  enum class When : unsigned char { now, sometimes };
  void write(When when) RC_REQUIRES(mu_);
  [[nodiscard]] std::string path() const RC_REQUIRES(mu_);

  const base::Context& context_;
  sink::SeatFiles files_;
  Fixed fixed_;
  base::Milliseconds pause_;
  std::int64_t since_ms_;
  mutable base::Mutex mu_;
  bool seat_ RC_GUARDED_BY(mu_);
  std::optional<std::int64_t> session_ RC_GUARDED_BY(mu_);
  std::optional<std::int64_t> leftover_ RC_GUARDED_BY(mu_);
  std::string role_ RC_GUARDED_BY(mu_);
  std::optional<std::int64_t> cursor_ RC_GUARDED_BY(mu_);
  std::optional<std::int64_t> read_ms_ RC_GUARDED_BY(mu_);
  std::optional<std::int64_t> tool_ms_ RC_GUARDED_BY(mu_);
  std::optional<std::int64_t> noticed_ms_ RC_GUARDED_BY(mu_);
  std::optional<base::SteadyTime> written_ RC_GUARDED_BY(mu_);
};

}  // namespace robot_council::bridge
