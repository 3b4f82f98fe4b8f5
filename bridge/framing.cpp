#include "bridge/framing.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "bridge/limits.hpp"

namespace robot_council::bridge {

namespace {
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kCompactAt = std::size_t{64} << 10U;
}  // namespace

void LineFramer::feed(std::string_view bytes) {
  if (skipping_) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) {
      return;
    }
    bytes.remove_prefix(end);  // the newline itself ends the dropped line in next()
  }
  if (begin_ == buffer_.size()) {
    if (buffer_.capacity() > kMaxLineBytes / 4) {
      std::string().swap(buffer_);  // give the memory of a large line back
    } else {
      buffer_.clear();
    }
    begin_ = 0;
    scanned_ = 0;
  } else if (begin_ >= kCompactAt) {
    buffer_.erase(0, begin_);
    scanned_ -= begin_;
    begin_ = 0;
  }
  buffer_.append(bytes);
}

std::optional<Frame> LineFramer::next() {
  while (true) {
    const std::size_t end = buffer_.find('\n', std::max(scanned_, begin_));
    if (end == std::string::npos) {
      scanned_ = buffer_.size();
      if (!skipping_ && held() > kMaxLineBytes) {
        skipping_ = true;
        std::string().swap(buffer_);
        begin_ = 0;
        scanned_ = 0;
      }
      return std::nullopt;
    }
    std::string_view line(buffer_.data() + begin_, end - begin_);
    begin_ = end + 1;
    scanned_ = begin_;
    const bool too_long = skipping_ || line.size() > kMaxLineBytes;
    skipping_ = false;
    if (at_start_) {
      at_start_ = false;
      if (line.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
        line.remove_prefix(kByteOrderMark.size());
      }
    }
    if (too_long) {
      any_line_ = true;
      return Frame{FrameKind::too_long, {}};
    }
    line = base::trim(line);
    if (line.empty()) {
      continue;
    }
    if (!any_line_ && base::starts_with_ignoring_case(line, "content-length:")) {
      return Frame{FrameKind::content_length, {}};
    }
    any_line_ = true;
    return Frame{FrameKind::line, std::string(line)};
  }
}

}  // namespace robot_council::bridge
