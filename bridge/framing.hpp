#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace robot_council::bridge {

enum class FrameKind : std::uint8_t {
  line,            // `text`: one trimmed, non-empty line without its newline
  too_long,        // a line over kMaxLineBytes; its bytes were dropped
  content_length,  // the stream is framed with Content-Length headers; nothing after it is of use
};

struct Frame {
  FrameKind kind = FrameKind::line;
  std::string text;
};

// Cuts a byte stream into lines. Holds at most one line of kMaxLineBytes and one read. A last line
// without its newline is never given out. One byte order mark at the start of the stream is
// dropped. Threads: one.
class LineFramer {
 public:
  void feed(std::string_view bytes);
  // The next whole line, if there is one.
  [[nodiscard]] std::optional<Frame> next();
  // Bytes held.
  [[nodiscard]] std::size_t held() const { return buffer_.size() - begin_; }

 private:
  std::string buffer_;
  std::size_t begin_ = 0;    // first byte not given out
  std::size_t scanned_ = 0;  // no newline before this byte
  bool skipping_ = false;    // inside a line that is too long
  bool at_start_ = true;     // nothing of the stream was given out
  bool any_line_ = false;    // a non-empty line was seen
};

}  // namespace robot_council::bridge
