#include "stops/local_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "base/text.hpp"
#include "stops/limits.hpp"

namespace robot_council::stops {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

// Bytes of the code point that begins here, and what stands for it: a quote, a question mark, a
// blank for punctuation and pictures, or itself (nothing).
struct Mapped {
  std::size_t bytes = 1;
  char as = '\0';
};

Mapped map_code_point(std::string_view text) {
  const auto byte = [&text](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  constexpr std::uint32_t kLow = 0x3fU;
  if (byte(0) >= 0xf0U && text.size() >= 4) {
    const std::uint32_t point = ((byte(0) & 0x7U) << 18U) | ((byte(1) & kLow) << 12U) |
                                ((byte(2) & kLow) << 6U) | (byte(3) & kLow);
    return {4, point >= 0x1f000U && point <= 0x1faffU ? ' ' : '\0'};
  }
  if (byte(0) >= 0xe0U && text.size() >= 3) {
    const std::uint32_t point =
        ((byte(0) & 0xfU) << 12U) | ((byte(1) & kLow) << 6U) | (byte(2) & kLow);
    if (point == 0x2018U || point == 0x2019U) {
      return {3, '\''};
    }
    if (point == 0x201cU || point == 0x201dU) {
      return {3, '"'};
    }
    if (point == 0xff1fU) {
      return {3, '?'};
    }
    const bool blank = (point >= 0x2000U && point <= 0x206fU) ||
                       (point >= 0x2190U && point <= 0x27bfU) ||
                       (point >= 0x3000U && point <= 0x303fU) || point == 0xfe0fU;
    return {3, blank ? ' ' : '\0'};
  }
  if (byte(0) >= 0xc0U && text.size() >= 2) {
    return {2, byte(0) == 0xc2U && byte(1) == 0xa0U ? ' ' : '\0'};
  }
  return {};
}

// Straight quotes, ASCII lower case.
std::string plain(std::string_view line) {
  std::string out;
  out.reserve(line.size());
  for (std::size_t i = 0; i < line.size();) {
    const char c = line[i];
    if (static_cast<unsigned char>(c) < 0x80) {
      out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      ++i;
      continue;
    }
    const Mapped mapped = map_code_point(line.substr(i));
    if (mapped.as != '\0') {
      out += mapped.as;
    } else {
      out += line.substr(i, mapped.bytes);
    }
    i += mapped.bytes;
  }
  return out;
}

// What an apostrophe and its letters stand for; "" = itself.
std::string_view written_out(std::string_view after) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kShort = {
      {{"re", " are"}, {"d", " would"}, {"m", " am"}, {"ll", " will"}}};
  for (const auto& [letters, words] : kShort) {
    if (after.substr(0, letters.size()) == letters &&
        (after.size() == letters.size() ||
         !(is_letter(after[letters.size()]) || is_digit(after[letters.size()])))) {
      return words;
    }
  }
  return "";
}

// Without list and heading marks.
std::string_view without_marks(std::string_view line) {
  while (true) {
    line = base::trim(line);
    if (line.empty()) {
      return line;
    }
    if (line.front() == '#') {
      line.remove_prefix(std::min(line.find_first_not_of('#'), line.size()));
      continue;
    }
    const bool alone = line.size() == 1;
    if ((line.front() == '-' || line.front() == '+') && (alone || line[1] == ' ')) {
      line.remove_prefix(1);
      continue;
    }
    const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    const bool numbered = digits > 0 && digits < 4 && digits < line.size() &&
                          (line[digits] == '.' || line[digits] == ')') &&
                          (digits + 1 == line.size() || line[digits + 1] == ' ');
    if (!numbered) {
      return line;
    }
    line.remove_prefix(digits + 1);
  }
}

// One line as it goes into the sentences: no asterisks, no text between two quotation marks,
// shortened words written out.
void append_line(std::string_view raw, std::string& into) {
  std::string line = plain(raw);
  line.erase(std::remove(line.begin(), line.end(), '*'), line.end());
  const std::string_view text = without_marks(line);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      if (const std::size_t close = text.find('"', i + 1); close != std::string_view::npos) {
        into += "\"\"";
        i = close;
        continue;
      }
    }
    if (text[i] == '\'' && i > 0 && is_letter(text[i - 1])) {
      const std::string_view after = text.substr(i + 1);
      if (into.ends_with("can") && after.substr(0, 1) == "t" &&
          (after.size() == 1 || !is_letter(after[1]))) {
        into += "not";
        ++i;
        continue;
      }
      if (const std::string_view words = written_out(after); !words.empty()) {
        into += words;
        i += words == " are" || words == " will" ? 2U : 1U;
        continue;
      }
    }
    into += text[i];
  }
  into += '\n';
}

// The fence a line opens or closes, '\0' if it is none.
char fence_of(std::string_view line) {
  line = base::trim(line);
  if (line.substr(0, 3) == "```") {
    return '`';
  }
  return line.substr(0, 3) == "~~~" ? '~' : '\0';
}

std::string_view next_line(std::string_view text, std::size_t& at) {
  const std::size_t end = std::min(text.find('\n', at), text.size());
  const std::string_view line = text.substr(at, end - at);
  at = end + 1;
  return line;
}

std::string prose_of(std::string_view text, Start start) {
  std::size_t fences = 0;
  for (std::size_t at = 0; at < text.size();) {
    fences += fence_of(next_line(text, at)) != '\0' ? 1U : 0U;
  }
  // A cut text with a fence too few began inside a block.
  char open = '\0';
  bool inside = start == Start::cut && fences % 2 == 1;
  std::string prose;
  prose.reserve(text.size() + 1);
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view line = next_line(text, at);
    const char fence = fence_of(line);
    if (inside) {
      inside = fence == '\0' || (open != '\0' && fence != open);
      continue;
    }
    if (fence != '\0') {
      open = fence;
      inside = true;
      continue;
    }
    if (base::trim(line).substr(0, 1) == ">") {
      continue;
    }
    append_line(line, prose);
  }
  return prose;
}

// Splits prose into sentences; keeps the last few.
class Splitter {
 public:
  explicit Splitter(std::string_view prose) : prose_(prose) {}

  std::vector<Sentence> split() {
    while (at_ < prose_.size()) {
      const char c = prose_[at_];
      if (c == '`' && code_span()) {
        continue;
      }
      ++at_;
      if (c == '\n') {
        finish();
        continue;
      }
      put(c);
      if ((c == '.' || c == '!' || c == '?') && ends_here()) {
        finish();
      }
    }
    finish();
    return {sentences_.begin(), sentences_.end()};
  }

 private:
  [[nodiscard]] bool ends_here() const {
    if (at_ >= prose_.size()) {
      return true;
    }
    constexpr std::string_view kAfter = " \t\n)\"'";
    return kAfter.find(prose_[at_]) != std::string_view::npos;
  }

  // From a run of backticks to the next run of the same length, within the paragraph.
  bool code_span() {
    const std::size_t ticks = std::min(prose_.find_first_not_of('`', at_), prose_.size()) - at_;
    std::size_t& hopeless = hopeless_[std::min(ticks, hopeless_.size()) - 1];
    if (ticks < hopeless_.size() && at_ >= hopeless) {
      for (std::size_t i = at_ + ticks; i < prose_.size();) {
        if (prose_[i] == '\n' && i + 1 < prose_.size() && prose_[i + 1] == '\n') {
          hopeless = i;
          break;
        }
        if (prose_[i] != '`') {
          ++i;
          continue;
        }
        const std::size_t run = std::min(prose_.find_first_not_of('`', i), prose_.size()) - i;
        if (run == ticks) {
          put_code(prose_.substr(at_ + ticks, i - at_ - ticks));
          at_ = i + ticks;
          return true;
        }
        i += run;
      }
      hopeless = std::max(hopeless, at_ + 1);
    }
    put_code({});
    at_ += ticks;
    return true;
  }

  static void put_blank(std::string& text) {
    if (!text.empty() && text.back() != ' ') {
      text += ' ';
    }
  }
  void put(char c) {
    if (c == ' ' || c == '\t' || c == '\r') {
      put_blank(now_.words);
      put_blank(now_.with_code);
      return;
    }
    counts_ = counts_ || is_letter(c) || is_digit(c);
    now_.words += c;
    now_.with_code += c;
  }
  void put_code(std::string_view code) {
    put_blank(now_.words);
    now_.with_code += '`';
    for (const char c : code) {
      counts_ = counts_ || is_letter(c) || is_digit(c);
      now_.with_code += c == '\n' || c == '\t' ? ' ' : c;
    }
    now_.with_code += '`';
  }
  static void shorten(std::string& text) {
    if (text.size() > kMaxSentenceBytes) {
      text.erase(0, text.size() - kMaxSentenceBytes);
    }
  }
  void finish() {
    if (counts_) {
      shorten(now_.words);
      shorten(now_.with_code);
      const std::string_view text = base::trim(now_.words);
      const std::size_t last = text.find_last_not_of(".!?");
      now_.question = text.substr(last == std::string_view::npos ? 0 : last + 1).find('?') !=
                      std::string_view::npos;
      sentences_.push_back(std::move(now_));
      if (sentences_.size() > kMaxSentences) {
        sentences_.pop_front();
      }
    }
    now_ = {};
    counts_ = false;
  }

  std::string_view prose_;
  std::size_t at_ = 0;
  bool counts_ = false;
  Sentence now_;
  std::deque<Sentence> sentences_;
  std::array<std::size_t, 8> hopeless_{};  // by run length: no closing run before this place
};

}  // namespace

std::vector<Sentence> last_sentences(std::string_view text, Start start) {
  const std::string prose = prose_of(text, start);
  return Splitter(prose).split();
}

}  // namespace robot_council::stops
