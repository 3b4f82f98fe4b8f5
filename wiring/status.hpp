#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/context.hpp"
#include "base/result.hpp"
#include "wiring/seats.hpp"

namespace robot_council::wiring {

enum class Shape : std::uint8_t { text, json };

// `robot-council status`: what the files and locks of this checkout's seats say. Writes nothing,
// opens no socket, works with the bridge down and on a read-only disk. Result  0, also when a stop
// is on or no seat is known; 3: a sink cannot be read (the other seats are shown); 1: the checkout
// cannot
//         be told. `out` takes the whole answer at once; its error is 1.
[[nodiscard]] int status(const base::Context& context, const SeatQuery& query, Shape shape,
                         const std::function<base::Status(std::string_view)>& out);

}  // namespace robot_council::wiring
