#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/environment.hpp"
#include "base/result.hpp"
#include "sink/seat_files.hpp"

namespace robot_council::stop_hook {

// How a run of the delivering hook ended.
enum class HookAnswer : std::uint8_t {
  printed,
  nothing_waiting,
  held_by_brake,
  loop_guard,
  sink_unreadable,
  another_harness,
  not_a_turn_end,
  payload_unreadable,
};
[[nodiscard]] std::string_view answer_text(HookAnswer answer);  // "held by the brake"
[[nodiscard]] std::optional<HookAnswer> answer_from(std::string_view text);

// `<key>.hook`: the newest run of the delivering hook, for status, doctor and the waiter.
// Shape  {"at":"<UTC>","answer":"<text>","printed":<n>,"told":"<UTC>","idle":{"<session>":<ms since
// 1970>}}; `told` only when
//        an answer ever said that the sink is unreadable. Times of a second's precision.
// Source delivery contract, 2.1.
struct HookRecord {
  std::int64_t at_ms = 0;
  HookAnswer answer = HookAnswer::nothing_waiting;
  std::size_t printed = 0;  // rows
  std::optional<std::int64_t> told_ms;
  // Sessions whose newest turn end printed nothing, and when; oldest first, at most
  // kMaxIdleSessions.
  std::vector<std::pair<std::string, std::int64_t>> idle;

  void set_idle(const std::string& session, std::int64_t since_ms);
  void clear_idle(const std::string& session);
  [[nodiscard]] std::optional<std::int64_t> idle_since(std::string_view session) const;
};

[[nodiscard]] std::string record_json(const HookRecord& record);
// Errors: invalid: no JSON object. A missing or odd field has its default.
[[nodiscard]] base::Result<HookRecord> parse_record(std::string_view json);

// Errors: not_found: there is none; others: it cannot be read.
[[nodiscard]] base::Result<HookRecord> read_record(const std::string& path);
// Replaces the file by rename, without fsync. The folder must exist.
[[nodiscard]] base::Status write_record(const std::string& path, const HookRecord& record);

// Places for `told` when the sink's folder takes no file: the same file name in $XDG_RUNTIME_DIR,
// else in <temporary folder>/robot-council-<uid>, both only if ours and 0700. `file_name`:
// "<key>.hook", or "unknown.hook".
[[nodiscard]] std::vector<std::string> record_paths(const base::Environment& environment,
                                                    const std::string& file_name);

}  // namespace robot_council::stop_hook
