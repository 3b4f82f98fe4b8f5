#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/context.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "sink/bridge_store.hpp"

namespace robot_council::bridge {

// The sink of this bridge's joins, one user at a time: the follower writes pages, the keeper its
// own entries. Each call may wait two seconds for another process's lock. Threads: any.
class SinkDesk {
 public:
  SinkDesk(sink::SeatFiles files, const base::Context& context)
      : files_(std::move(files)), context_(context) {}

  // A join's row. The error's `what` is a whole line.
  [[nodiscard]] base::Status open(const sink::JoinInfo& join);
  [[nodiscard]] base::Result<sink::Appended> append(const sink::Page& page);
  // An entry of the bridge's own; a failure is said and that is all. The number of entries added.
  std::size_t put_local(const std::string& type, const std::string& body);
  // The session is over: its rows go, then `local` is stored. A failure is said; nothing is done if
  // no join is open.
  void end_session(const std::vector<sink::LocalEntry>& local);
  // This bridge holds the seat now.
  void seat_obtained();
  // Whether a waiting or offered entry of this type is there (read apart from the store).
  [[nodiscard]] const sink::SeatFiles& files() const { return files_; }

 private:
  sink::SeatFiles files_;
  const base::Context& context_;
  base::Mutex mu_;
  std::optional<sink::BridgeStore> store_ RC_GUARDED_BY(mu_);
};

}  // namespace robot_council::bridge
