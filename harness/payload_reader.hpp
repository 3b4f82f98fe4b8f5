#pragma once

#include <cstddef>
#include <string>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "harness/limits.hpp"

namespace robot_council::harness {

struct PayloadLimits {
  base::Milliseconds silence = kPayloadSilence;  // without one byte
  base::Milliseconds total = kPayloadTotal;
  std::size_t max_bytes = kMaxPayloadBytes;
};

// Reads a hook's payload from a descriptor: until its one JSON object is complete. Never waits for
// the end of the file, and what follows the object may stay unread. Works on blocking and
// non-blocking pipes, sockets and files. Result  the object's bytes, from its brace to its brace,
// as they came: their SHA-256 names the turn end. Errors  timeout: nothing came for `silence`, or
// `total` is over; refused: it is a terminal; invalid: no object, cut short,
//         empty, over max_bytes; io: closed, a folder. `what` is the reason alone, for "could not
//         be read (<what>)".
// Time    the real steady clock.
[[nodiscard]] base::Result<std::string> read_payload(int fd, const PayloadLimits& limits = {});

}  // namespace robot_council::harness
