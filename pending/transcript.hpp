#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace robot_council::pending {

// P2 and P4: whether a client's transcript, or a prompt, shows that an entry was taken in. Best
// effort: what cannot be read proves nothing. Source: delivery contract, 3; wake contract, 2.1.

// What is looked for, made once a row.
struct Evidence {
  std::string prefix;  // the row's line up to its first byte outside [A-Za-z0-9 ,._:#@()[]-], at
                       // most 80 bytes
  std::string time;    // ` at <created_at>`, "" if the row has no time
  bool may_be_cut = false;  // so long that an answer may hold it cut
};
[[nodiscard]] Evidence evidence_of(std::string_view entry_json);

// A text that holds the row: its prefix, and its time or the mark of a cut row.
[[nodiscard]] bool shows(std::string_view text, const Evidence& evidence);

// Which lines of a transcript count.
enum class Lines : std::uint8_t {
  user,             // lines of the user
  user_and_queued,  // `attachment` lines of type `queued_command` too: rows of a wake
};

// One JSON line of a transcript: it is of the kind wanted and one of its strings shows the row.
[[nodiscard]] bool line_shows(std::string_view line, const Evidence& evidence, Lines lines);

// Bytes of a transcript read for one row: 256 KiB from `from` (if given) and the last 256 KiB.
// Never hangs on a FIFO or device, never reads more; unreadable = "".
struct TranscriptText {
  std::string after;  // from the offset
  std::string tail;
};
[[nodiscard]] TranscriptText read_transcript(const std::string& path,
                                             std::optional<std::int64_t> from);
[[nodiscard]] bool transcript_shows(const TranscriptText& text, const Evidence& evidence,
                                    Lines lines);
// Size in bytes of a regular file; nothing otherwise.
[[nodiscard]] std::optional<std::int64_t> transcript_size(const std::string& path);

}  // namespace robot_council::pending
