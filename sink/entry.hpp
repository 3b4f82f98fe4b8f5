#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace robot_council::sink {

// Rows of the sink as the rest of the product sees them. Source: delivery contract, 2.2 and 3.
// Times: ms since 1970.

enum class RowState : std::uint8_t {
  waiting = 0,
  offered = 1,  // an answer with it was begun; its process is dead if nobody holds <key>.drain
  written = 2,  // every byte reached the pipe; not yet confirmed
};

enum class Proof : std::uint8_t {
  next_call = 0,  // P3: printed to a caller that can prove nothing; the next call confirms it
  hook = 1,       // P1, P2
  wake = 2,       // printed by a background waiter (wake contract)
};

struct Entry {
  std::int64_t seq = 0;  // order of storing
  std::int64_t join_no = 0;
  std::optional<std::int64_t> session;   // fleet session that stored it
  std::optional<std::int64_t> event_id;  // feed id; none for a local entry
  std::string type;
  std::string json;  // bytes as received
  std::int64_t stored_ms = 0;
  RowState state = RowState::waiting;
  int writes = 0;                             // whole prints
  bool maybe = false;                         // a print began and its end is not known
  std::optional<std::string> offer;           // random id of the answer that holds it
  std::optional<std::string> to_session;      // harness session of the newest offer
  std::optional<std::string> to_turn;         // its turn id
  std::optional<std::string> to_end;          // its T
  std::optional<std::int64_t> loops;          // its loop_count
  std::optional<std::string> transcript;      // its transcript path
  std::optional<std::int64_t> transcript_at;  // size of that file at the offer, bytes
  Proof proof = Proof::next_call;
  std::optional<std::int64_t> printed_ms;

  // Computed when read:
  bool local = false;  // the bridge's own entry: no feed id and a type that begins `bridge.`
  bool earlier_session = false;  // a fleet entry of a join that is over
  bool in_share = true;          // this caller may take it (delivery contract, 2.3)
  bool duplicate =
      false;  // it, or another join's copy of it, was or is being printed to the same session

  [[nodiscard]] bool printed_before() const { return writes > 0 || maybe || duplicate; }
};

// A wake may hand these over in the middle of a turn (wake contract, 2.1, 6).
[[nodiscard]] bool is_urgent(std::string_view type);

enum class Why : std::uint8_t { confirmed, undelivered, dropped, session_ended, replaced };
[[nodiscard]] std::string_view why_text(Why why);  // "session-ended"

struct HistoryRow {
  std::int64_t left_ms = 0;
  std::string why;
  int writes = 0;
  std::optional<std::int64_t> event_id;
  std::string json;
  std::optional<std::string> to_session;
  std::optional<std::int64_t> printed_ms;
  std::optional<int> proof;  // 2 = printed by a wake
};

// Loop counters of one harness session (delivery contract, 5.3).
struct Chain {
  std::optional<std::string> turn;  // turn id of the newest answer
  std::int64_t answers = 0;
  std::int64_t streak = 0;
  bool woke = false;
  friend bool operator==(const Chain&, const Chain&) = default;
};

}  // namespace robot_council::sink
