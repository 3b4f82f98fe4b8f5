#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace robot_council::sink {

enum class CallKind : std::uint8_t {
  plain,  // a person or an older script: no payload
  hook,   // a turn end of a harness session
  wake,   // a background waiter of a session
};

// Who calls and what its payload says: what settling and offering need. Source: delivery contract,
// 3 and 5.1.
struct Call {
  CallKind kind = CallKind::plain;
  std::optional<std::string> session;     // harness session id; empty ids are none
  std::optional<std::string> turn;        // turn id
  std::optional<std::string> turn_end;    // T: SHA-256 of the payload, hex; hook calls only
  std::optional<std::string> transcript;  // path the payload names
  std::optional<std::int64_t>
      loop_count;                       // Cursor only: set = P1 goes by loop_count, and only by it
  bool continuation = false;            // C
  bool has_continuation_field = false;  // the payload can say whether it is a continuation
};

}  // namespace robot_council::sink
