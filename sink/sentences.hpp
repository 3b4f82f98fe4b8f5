#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.hpp"
#include "sink/seat_files.hpp"

namespace robot_council::sink {

// The sentences of exit 3, complete with their full stop, as errors. Source: delivery contract,
// section 4.
[[nodiscard]] base::Error not_opened(const SeatFiles& files);                         // refused
[[nodiscard]] base::Error not_locked(const SeatFiles& files);                         // busy
[[nodiscard]] base::Error not_written(const SeatFiles& files, std::string_view why);  // io
[[nodiscard]] base::Error damaged(const SeatFiles& files, std::string_view words);    // corrupt
[[nodiscard]] base::Error foreign_file(const SeatFiles& files);                       // invalid
[[nodiscard]] base::Error newer_file(const SeatFiles& files, std::int64_t version);   // unsupported

}  // namespace robot_council::sink
