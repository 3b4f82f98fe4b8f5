#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/clock.hpp"
#include "base/fd.hpp"
#include "net/http_guard.hpp"
#include "net/library_call.hpp"
#include "net/readiness.hpp"

namespace robot_council::net {

// Where a connection is on its only way: reading -> running <-> parked, running -> answering ->
// draining.
enum class Stage : std::uint8_t {
  reading,    // its request is not whole yet
  running,    // a worker has it, or it waits for one
  parked,     // its handler said "not yet"
  answering,  // bytes of its answer are left
  draining,   // answered; what the peer still sends is read and dropped
};
inline constexpr std::size_t kStages = 5;

struct Connection {
  RequestId id = 0;
  base::Fd fd;
  std::string peer;
  Stage stage = Stage::reading;
  Interest interest = Interest::none;
  std::optional<base::SteadyTime> deadline;

  std::string in;             // reading
  std::size_t scanned = 0;    // bytes of `in` that hold no end of the head
  std::size_t head_size = 0;  // bytes; 0 until the head passed
  RequestHead head;

  std::unique_ptr<WholeRequest> request;  // parked
  Turn turn = Turn::first;                // of the run that is under way
  bool wake_pending = false;              // wake() named it while it was running
  bool held = false;  // has been parked and not been answered: its holder counts on it

  std::string out;  // answering
  std::size_t sent = 0;
  std::size_t drained = 0;  // bytes
};

// The connections of a server with their deadlines, by age and stage. Threads: one.
class Connections {
 public:
  Connection& add(base::Fd fd, std::string peer);
  [[nodiscard]] Connection* find(RequestId id);
  void erase(RequestId id);
  [[nodiscard]] std::size_t size() const { return all_.size(); }
  [[nodiscard]] std::size_t count(Stage stage) const {
    return by_stage_.at(static_cast<std::size_t>(stage)).size();
  }

  void set_stage(Connection& connection, Stage stage);
  void set_deadline(Connection& connection, std::optional<base::SteadyTime> deadline);
  [[nodiscard]] std::optional<base::SteadyTime> next_deadline() const;
  // One whose deadline is over.
  [[nodiscard]] Connection* expired(base::SteadyTime now);
  [[nodiscard]] Connection* oldest(Stage stage);

 private:
  std::unordered_map<RequestId, std::unique_ptr<Connection>> all_;
  std::array<std::set<RequestId>, kStages> by_stage_;  // ids rise: the first is the oldest
  std::set<std::pair<base::SteadyTime, RequestId>> deadlines_;
  RequestId last_ = 0;
};

}  // namespace robot_council::net
