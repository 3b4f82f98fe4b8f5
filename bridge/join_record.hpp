#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/context.hpp"
#include "bridge/join_request.hpp"
#include "sink/bridge_store.hpp"

namespace robot_council::bridge {

// What a Cursor bridge leaves behind, so that the bridge that Cursor starts in its place can
// rejoin: the join's arguments and who the application was.
struct JoinRecord {
  JoinRequest arguments;
  std::optional<sink::ProcessName> parent;
  std::int64_t joined_s = 0;  // since 1970
};

// Best effort: aside as <path>.<pid>.tmp, 0600, renamed.
void write_join_record(const std::string& path, const JoinRequest& arguments,
                       const sink::ProcessName& parent, std::int64_t wall_ms);
[[nodiscard]] std::optional<JoinRecord> read_join_record(const std::string& path);
void remove_join_record(const std::string& path);

// What a start with a record comes to.
enum class RejoinChoice : std::uint8_t { rejoin, forget, tell };
enum class SeatAtStart : std::uint8_t { obtained, held };
// First match: the same application and the seat: rejoin; older than a day: forget (deleted,
// nothing said); else tell (D).
[[nodiscard]] RejoinChoice choose_rejoin(const JoinRecord& record, const sink::ProcessName& parent,
                                         SeatAtStart seat, std::int64_t wall_ms);
// Whether the record's parent is surely this one: both told and equal.
[[nodiscard]] bool same_parent(const JoinRecord& record, const sink::ProcessName& parent);

}  // namespace robot_council::bridge
