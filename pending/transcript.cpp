#include "pending/transcript.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/fd.hpp"
#include "base/json_scan.hpp"
#include "base/utf8.hpp"
#include "pending/limits.hpp"
#include "pending/render.hpp"

namespace robot_council::pending {
namespace {

constexpr std::string_view kCutMark = "... (cut, ";

bool is_plain(char c) {
  // Codex and others escape or change bytes outside these in what they keep.
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view(" ,._:#@()[]-").find(c) != std::string_view::npos;
}

std::string string_at(std::string_view object, std::string_view key) {
  const std::string_view value = base::json_member(object, key);
  return value.empty() || base::json_kind(value) != base::JsonKind::string
             ? std::string()
             : base::json_unescape(value);
}

std::string string_in(std::string_view object, std::string_view outer, std::string_view key) {
  const std::string_view value = base::json_member(object, outer);
  return value.empty() ? std::string() : string_at(value, key);
}

bool is_wanted(std::string_view line, Lines lines) {
  const std::string type = string_at(line, "type");
  if (type == "user" || type == "user.message") {
    return true;
  }
  if (string_at(line, "role") == "user" || string_in(line, "message", "role") == "user" ||
      string_in(line, "payload", "role") == "user") {
    return true;
  }
  // Claude Code keeps what a background hook said during a turn as such a line.
  return lines == Lines::user_and_queued && type == "attachment" &&
         string_in(line, "attachment", "type") == "queued_command";
}

bool any_string_shows(std::string_view line, const Evidence& evidence) {
  std::vector<std::string_view> todo{line};
  while (!todo.empty()) {
    const std::string_view value = todo.back();
    todo.pop_back();
    switch (base::json_kind(value)) {
      case base::JsonKind::string:
        if (shows(base::json_unescape(value), evidence)) {
          return true;
        }
        break;
      case base::JsonKind::object:
        for (const auto& member : base::json_members(value)) {
          todo.push_back(member.value);
        }
        break;
      case base::JsonKind::array:
        for (const std::string_view element : base::json_elements(value)) {
          todo.push_back(element);
        }
        break;
      default:
        break;
    }
  }
  return false;
}

// A regular file to read; links are followed, since clients choose the path. Never waits for a
// FIFO's writer.
std::optional<std::pair<base::Fd, std::int64_t>> open_regular(const std::string& path) {
  if (path.empty() || path.front() != '/') {
    return std::nullopt;
  }
  auto fd = base::open_file(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!fd) {
    return std::nullopt;
  }
  struct ::stat info {};
  if (::fstat(fd->get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return std::nullopt;
  }
  return std::pair<base::Fd, std::int64_t>(std::move(*fd), info.st_size);
}

std::string read_window(int fd, std::int64_t from) {
  std::string text(kTranscriptWindow, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got =
        ::pread(fd, text.data() + size, text.size() - size, from + static_cast<std::int64_t>(size));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      break;
    }
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return text;
}

bool any_line_shows(std::string_view text, const Evidence& evidence, Lines lines) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (line_shows(text.substr(0, end), evidence, lines)) {
      return true;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

}  // namespace

Evidence evidence_of(std::string_view entry_json) {
  Evidence evidence;
  const std::string line = entry_line(entry_json);
  const auto plain_end = std::find_if_not(line.begin(), line.end(), is_plain);
  const auto plain = static_cast<std::size_t>(plain_end - line.begin());
  evidence.prefix = line.substr(0, std::min(plain, kProofPrefix));
  if (const std::string at = entry_time(entry_json); !at.empty()) {
    evidence.time = " at " + at;
  }
  evidence.may_be_cut = line.size() >= kMaybeCutBytes;
  return evidence;
}

bool shows(std::string_view text, const Evidence& evidence) {
  if (evidence.prefix.empty() || text.find(evidence.prefix) == std::string_view::npos) {
    return false;
  }
  // Without a time a later entry of the same words could not be told apart.
  return (!evidence.time.empty() && text.find(evidence.time) != std::string_view::npos) ||
         (evidence.may_be_cut && text.find(kCutMark) != std::string_view::npos);
}

bool line_shows(std::string_view line, const Evidence& evidence, Lines lines) {
  // The prefix has only characters that no client escapes, so that most lines are passed over
  // unparsed.
  if (evidence.prefix.empty() || line.find(evidence.prefix) == std::string_view::npos) {
    return false;
  }
  const std::string text = base::to_utf8(line);
  return base::validate_json(text, kMaxTranscriptDepth) &&
         base::json_kind(text) == base::JsonKind::object && is_wanted(text, lines) &&
         any_string_shows(text, evidence);
}

TranscriptText read_transcript(const std::string& path, std::optional<std::int64_t> from) {
  TranscriptText text;
  auto file = open_regular(path);
  if (!file) {
    return text;
  }
  const std::int64_t size = file->second;
  if (from && *from >= 0 && *from < size) {
    text.after = read_window(file->first.get(), *from);
  }
  const std::int64_t tail =
      std::max<std::int64_t>(0, size - static_cast<std::int64_t>(kTranscriptWindow));
  if (from != tail) {
    text.tail = read_window(file->first.get(), tail);
  }
  return text;
}

bool transcript_shows(const TranscriptText& text, const Evidence& evidence, Lines lines) {
  return any_line_shows(text.after, evidence, lines) || any_line_shows(text.tail, evidence, lines);
}

std::optional<std::int64_t> transcript_size(const std::string& path) {
  auto file = open_regular(path);
  return file ? std::optional(file->second) : std::nullopt;
}

}  // namespace robot_council::pending
