#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "stops/log_reader.hpp"
#include "stops/transcript.hpp"

namespace robot_council::stops {

// What became of one turn end.
struct Match {
  enum class Anchor : std::uint8_t { none, prompt_id, time };
  // Why it is no pair; "" = it is one. A skip's own name for a line that was never asked about.
  std::string_view left_out;
  Anchor anchor = Anchor::none;  // how the stop was found in its transcript
  std::optional<Prompt> next;    // of a pair
};

// Reasons of the log or of the sink alone, for which no transcript is needed; "" = it is needed.
// Points into the stop or is static.
[[nodiscard]] std::string_view left_out_by_log(const Stop& stop);

// Pairs the stops of one session, by time, with the next prompt that a person submitted.
// `transcript`: nullptr = there is none. `max_gap`: a later prompt is too_late; nothing = never.
// One Match for each stop, in order. Pure.
[[nodiscard]] std::vector<Match> pair_session(const std::vector<const Stop*>& stops,
                                              const Transcript* transcript,
                                              std::optional<std::chrono::milliseconds> max_gap);

}  // namespace robot_council::stops
