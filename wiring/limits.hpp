#pragma once

#include <cstddef>

#include "base/clock.hpp"

namespace robot_council::wiring {

// Bytes of a bridge record: a dozen fields, one of them PATH.
inline constexpr std::size_t kMaxBridgeRecord = std::size_t{64} << 10U;
// Rows of a sink's history that are counted: all that the sink keeps (delivery contract, 2.3).
inline constexpr std::size_t kMaxHistoryRows = 1000;
// Names in the folder of the sinks that are looked at: a hundred seats with ten files each.
inline constexpr std::size_t kMaxSinkNames = 100000;

// For `claude mcp add` and `claude mcp remove`, which start a large program.
inline constexpr base::Milliseconds kClaudeProgramTime{30000};
// For one call of `systemctl --user`, which waits for a unit to end (its own limit is 90 s).
inline constexpr base::Milliseconds kSystemctlTime{20000};
// For the network executable to tell its version, and the bytes of its answer.
inline constexpr base::Milliseconds kVersionTime{5000};
inline constexpr std::size_t kMaxVersionAnswer = 4096;
// Bytes of a filled stop-hook script.
inline constexpr std::size_t kMaxFilledScript = std::size_t{256} << 10U;
// Bytes of a systemd unit.
inline constexpr std::size_t kMaxUnit = std::size_t{64} << 10U;
// For the removal of a credential: the tools of each store (15 s each) for one key.
inline constexpr base::Milliseconds kForgetTime{60000};
// For one question to git about one path.
inline constexpr base::Milliseconds kGitTime{5000};

// Exit numbers of status (account contract, section 1; the same as cli::Exit).
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitSink = 3;

}  // namespace robot_council::wiring
