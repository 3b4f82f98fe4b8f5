#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/environment.hpp"
#include "base/result.hpp"
#include "sink/seat_files.hpp"
#include "sink/seat_key.hpp"

namespace robot_council::sink {

// Who asks: names already resolved (seat_key.hpp, harness detection).
struct SeatNames {
  std::string service;  // reduced, not empty
  std::string harness;  // reduced, not empty
  std::string project;  // "" = none
};

struct Seat {
  SeatNames names;
  KeyKind kind = KeyKind::checkout;
  std::string folder;  // the folder the seat was looked up from
  std::string
      checkout;  // KeyKind::checkout: git directory or folder; else, and when a record answered, ""
  SeatFiles files;
};

// The folder a hook or `pending` looks from: non-empty CLAUDE_PROJECT_DIR (not trimmed, not
// checked; never for `codex` and `goose`), else the working directory, else (it is gone)
// `payload_folder`. "" if there is none.
[[nodiscard]] std::string hook_folder(const base::Environment& environment,
                                      std::string_view harness,
                                      std::string_view payload_folder = {});

// The seat of a hook or of `pending`: the recorded key of the folder if there is a good one, else
// resolved here. Errors  `what` = ``Could not tell which checkout this is: <why>, so its sink
// cannot be found.`` (exit 3).
[[nodiscard]] base::Result<Seat> resolve_seat(const SeatNames& names, const std::string& folder,
                                              const base::Environment& environment);

// The seat of a bridge started in `folder`: resolved here, but a recorded key whose seat is held is
// taken. A checkout that cannot be told is the folder's real path; then `checkout_error` says why
// (bridge contract, L2).
struct BridgeSeat {
  Seat seat;
  std::optional<std::string> checkout_error;
};
[[nodiscard]] BridgeSeat resolve_bridge_seat(const SeatNames& names, const std::string& folder,
                                             const base::Environment& environment);

}  // namespace robot_council::sink
