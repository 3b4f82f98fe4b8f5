#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace robot_council::base {

// "2026-09-24T18:00:00+00:00": whole seconds, UTC (service contract, ground rules). Times are ms
// since 1970.
[[nodiscard]] std::string iso_offset(std::int64_t wall_ms);
// "2026-09-24T18:00:00Z": whole seconds, UTC.
[[nodiscard]] std::string iso_zulu(std::int64_t wall_ms);
// "2026-09-24T18:00:00.123Z": milliseconds, UTC.
[[nodiscard]] std::string iso_zulu_ms(std::int64_t wall_ms);
// "20260924T180000Z": for file names.
[[nodiscard]] std::string compact_utc(std::int64_t wall_ms);
// "2026-09-24".
[[nodiscard]] std::string utc_date(std::int64_t wall_ms);
// Reads ISO 8601 with `Z` or a numeric offset, with or without a fraction of a second; nothing
// else.
[[nodiscard]] std::optional<std::int64_t> parse_iso(std::string_view text);
// Reads an HTTP date of the form "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, 5.6.7).
[[nodiscard]] std::optional<std::int64_t> parse_http_date(std::string_view text);
// "12 s", "5 min", "3 h", "2 d": an age for people; negative counts as 0.
[[nodiscard]] std::string age_text(std::int64_t age_ms);

}  // namespace robot_council::base
