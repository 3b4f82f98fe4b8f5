#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "base/result.hpp"

namespace robot_council::stops {

// Calls `use` for each line of an open file, without its line break, the last one with or without.
// A line over `max_bytes` is dropped and counted in `too_long`. Memory: the longest line and a
// chunk.
[[nodiscard]] base::Status each_line(int fd, std::size_t max_bytes, std::size_t& too_long,
                                     const std::function<base::Status(std::string_view)>& use);

}  // namespace robot_council::stops
