// Step 2 of redaction: tokens that are known by how they look.

#include <algorithm>
#include <array>
#include <string_view>

#include "stops/redact_table.hpp"
#include "stops/redact_text.hpp"

namespace robot_council::stops::redaction {
namespace {

// Bytes at which a shape or a marker may begin.
constexpr std::array<bool, 256> kStarts = [] {
  std::array<bool, 256> starts{};
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const char c = static_cast<char>(i);
    constexpr Class kAny = kAlnum | kWordDot | kPlainBase64;
    starts[i] = (kClasses[i] & kAny) != 0 || kPrefixes.root(c) != nullptr || c == '[';
  }
  return starts;
}();

// Shapes without a prefix, in the table's order.
constexpr auto kWithoutPrefix = [] {
  constexpr auto kCount = static_cast<std::size_t>(std::count_if(
      kShapes.begin(), kShapes.end(), [](const Shape& shape) { return shape.prefix.empty(); }));
  std::array<PrefixTree::Number, kCount> numbers{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < kShapes.size(); ++i) {
    if (kShapes[i].prefix.empty()) {
      numbers.at(count++) = static_cast<PrefixTree::Number>(i);
    }
  }
  return numbers;
}();

// Behind the first run of a token of this sort, which may have any length from 11 on.
constexpr std::string_view kAtlas = ".atlasv1.";

// End of a marker is at most so far behind its first byte.
constexpr std::size_t kMaxMarker = 40;

// Where the words of kWords stood last. Asked from left to right.
class NearWords {
 public:
  explicit NearWords(std::string_view text) : text_(text) {}

  // Does one of `any` end within kNear bytes before `at`, outside markers?
  [[nodiscard]] bool has(std::size_t at, Words any) {
    const std::size_t from = at > kNear ? at - kNear : 0;
    for (std::size_t end = std::max(seen_ + 1, from); end <= at; ++end) {
      note(end);
    }
    seen_ = at;
    for (std::size_t i = 0; i < kWords.size(); ++i) {
      if (((any >> i) & 1U) != 0 && ends_.at(i) > 0 && ends_.at(i) >= from) {
        return true;
      }
    }
    return any == 0;
  }

 private:
  void note(std::size_t end) {
    for (std::size_t i = 0; i < kWords.size(); ++i) {
      const std::string_view word = kWords.at(i);
      // The lower case of a letter: its 0x20 bit is set.
      if (static_cast<char>(text_[end - 1] | 0x20) == word.back() && end >= word.size() &&
          starts_with_nocase(text_.substr(end - word.size()), word) &&
          !in_marker(end - word.size())) {
        ends_.at(i) = end;
      }
    }
  }

  [[nodiscard]] bool in_marker(std::size_t at) const {
    for (std::size_t i = at; i > 0 && at - i < kMaxMarker; --i) {
      if (text_[i - 1] == ']') {
        return false;
      }
      if (text_[i - 1] == '[') {
        const std::size_t end = marker_end(text_, i - 1);
        return end != kNowhere && end > at;
      }
    }
    return false;
  }

  std::string_view text_;
  std::size_t seen_ = 0;
  std::array<std::size_t, kWords.size()> ends_{};
};

class Scanner {
 public:
  explicit Scanner(std::string_view text)
      : text_(text), runs_(text), plain_(text), near_(text), rewriter_(text) {}

  void scan() {
    for (std::size_t at = 0; at < text_.size();) {
      if (!kStarts[static_cast<unsigned char>(text_[at])]) {
        ++at;
        continue;
      }
      std::size_t end = marker_end(text_, at);
      if (end == kNowhere) {
        const bool start = at == 0 || !in_class(text_[at - 1], kAlnum) || behind_escape(at);
        end = match_at(at, start);
      }
      if (end == kNowhere) {
        // Inside a word only a shape that may begin anywhere can begin; none begins with a letter.
        const bool word = in_class(text_[at], kAlnum) && !behind_escape(at + 1);
        end = word ? skip(text_, at, kAlnum) : at + 1;
      }
      at = end;
    }
  }
  [[nodiscard]] bool finish(std::string& text) { return rewriter_.finish(text); }

 private:
  // Tries every shape; on a match notes the replacement and gives the place to go on.
  std::size_t match_at(std::size_t at, bool start) {
    if (const std::size_t end = match_prefix(at, start); end != kNowhere || !start) {
      return end;
    }
    if (const std::size_t end = try_azure(at); end != kNowhere) {
      rewriter_.replace(at, end, "azure");
      return end;
    }
    if (may_lack_prefix(at)) {
      for (const PrefixTree::Number number : kWithoutPrefix) {
        if (const std::size_t end = try_shape(number, at); end != kNowhere) {
          return end;
        }
      }
    }
    if (const std::size_t end = try_doppler(at); end != kNowhere) {
      rewriter_.replace(at, end, "platform");
      return end;
    }
    return kNowhere;
  }

  // Several prefixes may fit, as sk- and sk-proj-: in the table's order.
  std::size_t match_prefix(std::size_t at, bool start) {
    constexpr std::size_t kMaxFits = 8;
    std::array<PrefixTree::Number, kMaxFits> fits{};
    std::size_t count = 0;
    std::size_t next = at + 1;
    for (const PrefixTree::Node* node = kPrefixes.root(text_[at]); node != nullptr;
         node = next < text_.size() ? kPrefixes.below(*node, text_[next++]) : nullptr) {
      for (const PrefixTree::Number number : node->shapes) {
        if (number != PrefixTree::kNone && count < kMaxFits) {
          fits.at(count++) = number;
        }
      }
    }
    std::sort(fits.begin(), fits.begin() + static_cast<std::ptrdiff_t>(count));
    for (std::size_t i = 0; i < count; ++i) {
      if (start || kShapes[fits.at(i)].where == Where::anywhere) {
        if (const std::size_t end = try_shape(fits.at(i), at); end != kNowhere) {
          return end;
        }
      }
    }
    return kNowhere;
  }

  std::size_t try_shape(PrefixTree::Number number, std::size_t at) {
    const Shape& shape = kShapes[number];
    const std::size_t rest = at + shape.prefix.size();
    std::size_t end = match_rest(kParts[number], rest);
    if (end == kNowhere || !near_.has(at, shape.near.first) || !near_.has(at, shape.near.second)) {
      return kNowhere;
    }
    if (shape.prefix.empty() && shape.near.first != 0 && has_neighbour(at, end)) {
      return kNowhere;
    }
    // What is left of the same word would be a part of the secret.
    end = end < text_.size() ? runs_.end(kAlnum, end) : end;
    rewriter_.replace(shape.keep == Keep::prefix ? rest : at, end, shape.kind);
    return end;
  }

  std::size_t match_rest(const Parts& parts, std::size_t at) {
    for (std::size_t i = 0; i < parts.count && at != kNowhere; ++i) {
      const std::size_t begin = at;
      at = match_part(parts.list.at(i), at);
      if (i + 1 < parts.count && at != kNowhere && parts.list.at(i).sort == Part::Sort::run) {
        at = before_bytes(parts.list.at(i + 1), begin + parts.list.at(i).least, at);
      }
    }
    return at;
  }

  // A run that ends at `end` may have taken the bytes of the next part too: then it ends at their
  // last place, and not before `least`. Only looked for near the end: what follows them is short,
  // and many questions about one long run must stay linear.
  std::size_t before_bytes(const Part& next, std::size_t least, std::size_t end) const {
    constexpr std::size_t kAfterBytes = 64;
    if (next.sort != Part::Sort::bytes || text_.substr(end).starts_with(next.bytes)) {
      return end;
    }
    const std::size_t from = std::max(least, end > kAfterBytes ? end - kAfterBytes : 0);
    const std::size_t found =
        from < end ? text_.substr(from, end - from).rfind(next.bytes) : kNowhere;
    return found != kNowhere ? from + found : end;
  }

  std::size_t match_part(const Part& part, std::size_t at) {
    if (at >= text_.size()) {
      return kNowhere;
    }
    switch (part.sort) {
      case Part::Sort::bytes:
        return text_.substr(at).starts_with(part.bytes) ? at + part.bytes.size() : kNowhere;
      case Part::Sort::url:
      case Part::Sort::value:
        return match_value(part.sort == Part::Sort::value, at);
      default:
        break;
    }
    const std::size_t end = runs_.end(part.wanted, at);
    const std::size_t length = end - at;
    const bool fits = part.sort == Part::Sort::exact_run
                          ? length == part.least && !followed_by_word(end)
                          : length >= part.least;
    return fits ? end : kNowhere;
  }

  // Only runs of these lengths begin a shape without a prefix; nearly no word of a text does.
  bool may_lack_prefix(std::size_t at) {
    const std::size_t end = runs_.end(kAlnum, at);
    const std::size_t length = end - at;
    if (length == 24 || length == 32) {
      return true;
    }
    if (end == text_.size()) {
      return length == 40;
    }
    if (text_[end] == '.') {
      return length == 40 || text_.substr(end).starts_with(kAtlas);
    }
    if (text_[end] == ':') {
      return length >= 5 && in_class(text_[at], kDigit);
    }
    const bool goes_on = in_class(text_[end], kPlainBase64);
    return (goes_on || length == 40) && runs_.end(kPlainBase64, at) - at == 40;
  }

  // A run within a longer word is no token of its own.
  [[nodiscard]] bool has_neighbour(std::size_t begin, std::size_t end) const {
    constexpr Class kInside = kWord | kPlainBase64;
    return (begin > 0 && in_class(text_[begin - 1], kInside)) ||
           (end < text_.size() && in_class(text_[end], kInside));
  }

  // \n, \r or \t of a text in a text ends at `at`.
  [[nodiscard]] bool behind_escape(std::size_t at) const {
    return at > 1 && text_[at - 2] == '\\' &&
           (text_[at - 1] == 'n' || text_[at - 1] == 'r' || text_[at - 1] == 't');
  }

  [[nodiscard]] bool followed_by_word(std::size_t end) const {
    return end < text_.size() && in_class(text_[end], kAlnum);
  }

  std::size_t match_value(bool value, std::size_t at) {
    if (marker_end(text_, at) != kNowhere) {
      return kNowhere;
    }
    const std::size_t end = runs_.end(kUrl, at);
    const bool none = end == at || (value && plain_.has(at, end, Quotes::other));
    return none ? kNowhere : end;
  }

  // Three characters, a digit, Q~ and the rest.
  std::size_t try_azure(std::size_t at) {
    constexpr std::size_t kHead = 6;
    constexpr std::size_t kLeast = 31;
    if (at + kHead > text_.size() || text_[at + 4] != 'Q' || text_[at + 5] != '~') {
      return kNowhere;
    }
    const std::string_view head = text_.substr(at, kHead);
    if (!in_class(head[3], kDigit) || !std::all_of(head.begin(), head.begin() + 3,
                                                   [](char c) { return in_class(c, kWordDot); })) {
      return kNowhere;
    }
    const std::size_t end = runs_.end(kWordDot, at + kHead);
    return end - at - kHead >= kLeast ? end : kNowhere;
  }

  // dp.pt.X, dp.st.dev.X: two to five letters name the sort.
  std::size_t try_doppler(std::size_t at) {
    if (text_[at] != 'd' || !text_.substr(at).starts_with("dp.")) {
      return kNowhere;
    }
    std::size_t part = at + 3;
    std::size_t end = runs_.end(kAlnum, part);
    if (end - part < 2 || end - part > 5 || end >= text_.size() || text_[end] != '.') {
      return kNowhere;
    }
    part = end + 1;
    end = runs_.end(kWord, part);
    if (end - part < 40 && end < text_.size() && text_[end] == '.') {  // a configuration's name
      part = end + 1;
      end = runs_.end(kWord, part);
    }
    return end - part >= 40 ? end : kNowhere;
  }

  std::string_view text_;
  Runs runs_;
  PlainValues plain_;
  NearWords near_;
  Rewriter rewriter_;
};

}  // namespace

bool redact_shapes(std::string& text) {
  Scanner scanner(text);
  scanner.scan();
  return scanner.finish(text);
}

bool is_shape_kind(std::string_view kind) {
  // The table has one kind's shapes together; each kind is compared once.
  std::string_view before;
  for (const Shape& shape : kShapes) {
    if (shape.kind != before && shape.kind == kind) {
      return true;
    }
    before = shape.kind;
  }
  return kind == "platform";
}

}  // namespace robot_council::stops::redaction
