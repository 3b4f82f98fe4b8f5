#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/result.hpp"

namespace robot_council::stops {

// What a person submitted in a session, as its transcript tells.
struct Prompt {
  enum class Kind : std::uint8_t { text, command, shell };
  Kind kind = Kind::text;
  std::int64_t submit_ms = 0;  // Enter
  std::int64_t taken_ms = 0;   // when the agent got it; later than submit_ms for a queued one
  std::string prompt_id;       // "" = none
  std::string parent_uuid;     // "" = none
  std::size_t chars = 0;       // code points
  bool goahead = false;        // label goahead-1
  std::string normal;          // its normal form; only of a bare go-ahead
  std::string text;            // only with KeepText::yes: its first kMaxPromptBytes
};
[[nodiscard]] std::string_view prompt_kind_name(Prompt::Kind kind);  // "prompt" "command" "shell"

struct Transcript {
  std::vector<Prompt> prompts;                 // by submit_ms
  std::unordered_set<std::string> prompt_ids;  // of all `user` lines of the session
  std::optional<std::int64_t> first_ms;        // earliest time of a line of the session
  bool sdk = false;                            // a program submitted prompts
  std::size_t too_long = 0;                    // lines over kMaxTranscriptLine
  std::size_t unreadable = 0;                  // lines that are no JSON object
};

enum class KeepText : unsigned char { no, yes };

// Streams one transcript. Lines of another session (a fork copies history) are passed over; a line
// without a session counts. Memory: the longest line, at most kMaxTranscriptLine, and a hundred
// bytes a prompt.
// Errors  not_found, refused, io; invalid: no regular file.
[[nodiscard]] base::Result<Transcript> read_transcript(const std::string& path,
                                                       const std::string& session_id,
                                                       KeepText keep);

// Where transcripts may be: the client's own folder and one that the person names.
struct TranscriptRoots {
  std::string projects;              // ${CLAUDE_CONFIG_DIR:-~/.claude}/projects
  std::optional<std::string> named;  // --projects DIR
};
// The file to open: the logged path, else <session>.jsonl in `named` or a folder of it; a regular
// file that really is under one of the roots. Nothing if there is none.
[[nodiscard]] std::optional<std::string> find_transcript(
    const TranscriptRoots& roots, const std::optional<std::string>& logged_path,
    const std::string& session_id);

}  // namespace robot_council::stops
