#include <string_view>

#include "harness/payload.hpp"

namespace robot_council::harness {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

void ObjectScanner::skip_to_begin(std::string_view buffer) {
  if (position_ == 0) {
    if (buffer.size() < kByteOrderMark.size() && kByteOrderMark.starts_with(buffer)) {
      return;  // the rest of the mark may still come
    }
    if (buffer.starts_with(kByteOrderMark)) {
      position_ = kByteOrderMark.size();
    }
  }
  const std::size_t first = buffer.find_first_not_of(" \t\r\n", position_);
  if (first == std::string_view::npos) {
    position_ = buffer.size();
    return;
  }
  if (buffer[first] != '{') {
    state_ = State::no_object;
    return;
  }
  begin_ = first;
  position_ = first;
  state_ = State::inside;
}

ObjectScanner::State ObjectScanner::advance(std::string_view buffer) {
  if (state_ == State::before) {
    skip_to_begin(buffer);
  }
  while (state_ == State::inside && position_ < buffer.size()) {
    const char c = buffer[position_];
    ++position_;
    if (in_string_) {
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        in_string_ = false;
      }
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if ((c == '}' || c == ']') && --depth_ == 0) {
      state_ = State::complete;
    }
  }
  return state_;
}

}  // namespace robot_council::harness
