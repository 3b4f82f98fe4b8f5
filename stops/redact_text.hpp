#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Shared by the steps of redaction; for the redact_*.cpp of this room only.
namespace robot_council::stops::redaction {

// Classes of bytes, one bit each.
using Class = std::uint32_t;
inline constexpr Class kAlnum = 1U << 0U;         // a
inline constexpr Class kWord = 1U << 1U;          // w: a _ -
inline constexpr Class kHex = 1U << 2U;           // h
inline constexpr Class kBase64 = 1U << 3U;        // b: a + / =
inline constexpr Class kDigit = 1U << 4U;         // d
inline constexpr Class kUpperDigit = 1U << 5U;    // u: A-Z 0-9
inline constexpr Class kLowerDigit = 1U << 6U;    // l: a-z 0-9
inline constexpr Class kWordDot = 1U << 7U;       // t: w . ~
inline constexpr Class kWordSlash = 1U << 8U;     // p: w /
inline constexpr Class kBase64Any = 1U << 9U;     // j: b _ -
inline constexpr Class kPlainBase64 = 1U << 10U;  // s: a + /
inline constexpr Class kDashed = 1U << 11U;       // n: a -
inline constexpr Class kToken = 1U << 12U;        // k: w . ~ + / =
inline constexpr Class kBlank = 1U << 13U;        // space, tab, line breaks
inline constexpr Class kName = 1U << 14U;         // i: w .
inline constexpr Class kUrl = 1U << 15U;          // all but blanks, quotes, < >
inline constexpr Class kBare = 1U << 16U;         // kUrl without what ends a value in code
inline constexpr Class kAuthority = 1U << 17U;    // kUrl without / ? #
inline constexpr Class kArgument = 1U << 18U;     // all but blanks and quotes
inline constexpr Class kCookie = 1U << 19U;       // all but line breaks and quotes
inline constexpr Class kNoSum = 1U << 20U;        // all but + and =
inline constexpr std::size_t kClassCount = 21;

constexpr Class classes_of(char c) {
  const bool digit = c >= '0' && c <= '9';
  const bool upper = c >= 'A' && c <= 'Z';
  const bool lower = c >= 'a' && c <= 'z';
  const bool alnum = digit || upper || lower;
  const bool hex = digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  const bool word = alnum || c == '_' || c == '-';
  const bool plain64 = alnum || c == '+' || c == '/';
  const bool base64 = plain64 || c == '=';
  const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
  const bool line_break = c == '\n' || c == '\r';
  const bool quote = c == '"' || c == '\'' || c == '`';
  const bool url = !blank && !quote && c != '<' && c != '>';
  const bool code =
      c == ',' || c == ';' || c == ')' || c == ']' || c == '}' || c == '&' || c == '|' || c == '\\';
  unsigned bits = 0;
  const auto set = [&bits](bool on, Class bit) { bits |= on ? bit : 0U; };
  set(alnum, kAlnum);
  set(word, kWord);
  set(hex, kHex);
  set(base64, kBase64);
  set(digit, kDigit);
  set(upper || digit, kUpperDigit);
  set(lower || digit, kLowerDigit);
  set(word || c == '.' || c == '~', kWordDot);
  set(word || c == '/', kWordSlash);
  set(base64 || word, kBase64Any);
  set(plain64, kPlainBase64);
  set(alnum || c == '-', kDashed);
  set(base64 || word || c == '.' || c == '~', kToken);
  set(blank, kBlank);
  set(word || c == '.', kName);
  set(url, kUrl);
  set(url && !code, kBare);
  set(url && c != '/' && c != '?' && c != '#', kAuthority);
  set(!blank && !quote, kArgument);
  set(!line_break && !quote, kCookie);
  set(c != '+' && c != '=', kNoSum);
  return static_cast<Class>(bits);
}

constexpr std::array<Class, 256> make_table() {
  std::array<Class, 256> table{};
  for (std::size_t i = 0; i < 256; ++i) {
    table[i] = classes_of(static_cast<char>(i));
  }
  return table;
}
inline constexpr std::array<Class, 256> kClasses = make_table();
// Asked for each byte of a text, so it must cost nothing.
[[nodiscard]] inline bool in_class(char c, Class wanted) {
  return (kClasses[static_cast<unsigned char>(c)] & wanted) != 0;
}

inline constexpr std::size_t kNowhere = std::string_view::npos;

// The first place from `at` on whose byte is not of class `wanted`.
[[nodiscard]] inline std::size_t skip(std::string_view text, std::size_t at, Class wanted) {
  while (at < text.size() && in_class(text[at], wanted)) {
    ++at;
  }
  return at;
}

// Searches for one word. Looks at the last byte of each window first and jumps by what it finds
// there (Horspool), so that a text made of the word's own beginnings costs no more than another.
class Finder {
 public:
  constexpr explicit Finder(std::string_view word) : word_(word) {
    for (std::uint8_t& jump : jumps_) {
      jump = static_cast<std::uint8_t>(word.size());
    }
    for (std::size_t i = 0; i + 1 < word.size(); ++i) {
      jumps_[static_cast<unsigned char>(word[i])] = static_cast<std::uint8_t>(word.size() - 1 - i);
    }
  }
  [[nodiscard]] std::size_t find(std::string_view text, std::size_t from) const {
    const std::size_t last = word_.size() - 1;
    for (std::size_t at = from; at + last < text.size();) {
      const char c = text[at + last];
      if (c == word_[last] && text.substr(at, last) == word_.substr(0, last)) {
        return at;
      }
      at += jumps_[static_cast<unsigned char>(c)];
    }
    return kNowhere;
  }

 private:
  std::string_view word_;
  std::array<std::uint8_t, 256> jumps_{};
};

// Where something comes next. Remembers its last answer: many questions about one far place, or
// about one that never comes, stay linear. Threads: one.
class Next {
 public:
  // `find(at)`: the first place from `at` on, kNowhere if there is none.
  template <class Find>
  [[nodiscard]] std::size_t from(std::size_t at, const Find& find) {
    if (!asked_ || at < at_ || (found_ != kNowhere && at > found_)) {
      asked_ = true;
      at_ = at;
      found_ = find(at);
    }
    return found_;
  }

 private:
  bool asked_ = false;
  std::size_t at_ = 0;
  std::size_t found_ = kNowhere;
};

// End of the run of `wanted` that covers `at`; `at` if it is not in one. Remembers the last few
// runs, so that many questions about one long run stay linear. Threads: one.
class Runs {
 public:
  explicit Runs(std::string_view text) : text_(text) {}
  [[nodiscard]] std::size_t end(Class wanted, std::size_t at);

 private:
  struct Known {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  // By class: short runs of one class must not push out a long one of another. A shape has at most
  // three runs, so that four are enough.
  struct Slots {
    std::array<Known, 4> known{};
    std::size_t next = 0;
  };
  std::string_view text_;
  std::array<Slots, kClassCount> by_class_{};
};

// End of the marker [REDACTED:kind] that begins at `at`; kNowhere if none does.
[[nodiscard]] std::size_t marker_end(std::string_view text, std::size_t at);
[[nodiscard]] bool starts_with_nocase(std::string_view text, std::string_view lower);

// Collects replacements from left to right.
class Rewriter {
 public:
  explicit Rewriter(std::string_view text) : text_(text) {}
  // [begin, end) becomes the marker of `kind`; begin is at or behind the last end.
  void replace(std::size_t begin, std::size_t end, std::string_view kind);
  // Forgets what was replaced so far.
  void restart();
  // Puts the whole new text in place of `text`, the one it was made for. false: nothing was
  // replaced.
  [[nodiscard]] bool finish(std::string& text);

 private:
  std::string_view text_;
  std::string out_;
  std::size_t last_ = 0;
};

// Values that are no secret by themselves: a reference ($VAR, ${VAR}, $(c), {{ x }}, %VAR%), a
// path, a URL, true, null and the like, one repeated character, a marker. `literal`: in single
// quotes, where a $ refers to nothing. Asked about values from left to right; threads: one.
enum class Quotes : std::uint8_t { none, literal, other };
class PlainValues {
 public:
  explicit PlainValues(std::string_view text) : text_(text) {}
  // Is [begin, end) of the text such a value?
  [[nodiscard]] bool has(std::size_t begin, std::size_t end, Quotes quotes);

 private:
  [[nodiscard]] bool is_path(std::size_t begin, std::size_t end);

  std::string_view text_;
  Next scheme_;  // the next "://"
  Next base64_;  // the next + or =
};

// The steps, in order. true: it changed the text.
[[nodiscard]] bool redact_blocks(std::string& text);    // private-key, gcp-account
[[nodiscard]] bool redact_shapes(std::string& text);    // tokens known by their shape
[[nodiscard]] bool redact_auth(std::string& text);      // auth
[[nodiscard]] bool redact_assigned(std::string& text);  // assigned

// Names of all kinds, for telling our markers from a text that only looks like one.
[[nodiscard]] bool is_shape_kind(std::string_view kind);

}  // namespace robot_council::stops::redaction
