#include "stops/line_stream.hpp"

#include <span>
#include <string>

#include "base/fd.hpp"
#include "stops/limits.hpp"

namespace robot_council::stops {
namespace {

// The line under way.
class Line {
 public:
  Line(std::size_t max_bytes, std::size_t& too_long) : max_bytes_(max_bytes), too_long_(too_long) {}

  void add(std::string_view part) {
    if (skipping_) {
      return;
    }
    if (text_.size() + part.size() > max_bytes_) {
      skipping_ = true;
      ++too_long_;
      text_ = std::string();
      return;
    }
    text_ += part;
  }
  base::Status end(const std::function<base::Status(std::string_view)>& use) {
    base::Status status;
    if (!skipping_) {
      status = use(text_);
    }
    text_.clear();
    skipping_ = false;
    return status;
  }
  [[nodiscard]] bool empty() const { return text_.empty() && !skipping_; }

 private:
  std::size_t max_bytes_;
  std::size_t& too_long_;
  std::string text_;
  bool skipping_ = false;
};

}  // namespace

base::Status each_line(int fd, std::size_t max_bytes, std::size_t& too_long,
                       const std::function<base::Status(std::string_view)>& use) {
  Line line(max_bytes, too_long);
  std::string chunk(kReadChunk, '\0');
  while (true) {
    auto got = base::read_some(fd, std::span<char>(chunk));
    if (!got) {
      return got.error();
    }
    if (*got == 0) {
      break;
    }
    std::string_view rest(chunk.data(), *got);
    for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      line.add(rest.substr(0, end));
      if (auto used = line.end(use); !used) {
        return used.error();
      }
      rest.remove_prefix(end + 1);
    }
    line.add(rest);
  }
  return line.empty() ? base::Status() : line.end(use);
}

}  // namespace robot_council::stops
