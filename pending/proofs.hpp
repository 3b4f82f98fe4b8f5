#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "sink/call.hpp"
#include "sink/entry.hpp"
#include "sink/settle.hpp"

namespace robot_council::pending {

// seq of the rows that a transcript shows (P2). Reads files, so it is done before the write
// transaction. Rows that need no transcript to be settled are not looked up.
[[nodiscard]] std::set<std::int64_t> seen_rows(const std::vector<sink::Entry>& rows,
                                               const sink::Call& call, sink::Scope scope,
                                               std::int64_t now_ms);

}  // namespace robot_council::pending
