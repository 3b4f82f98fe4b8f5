#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Shared by the steps of redaction; for the redact_*.cpp of this room only.
namespace robot_council::stops::redaction {

// Classes of bytes, one bit each.
using Class = std::uint16_t;
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
// The class of a letter above.
[[nodiscard]] Class class_of(char letter);

inline constexpr std::size_t kNowhere = std::string_view::npos;

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
  std::array<Slots, 16> by_class_{};
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
  [[nodiscard]] bool changed() const { return last_ > 0; }
  // The whole new text.
  [[nodiscard]] std::string finish();

 private:
  std::string_view text_;
  std::string out_;
  std::size_t last_ = 0;
};

// A value that is no secret by itself: a reference ($VAR, ${VAR}, $(c), {{ x }}, %VAR%), a path, a
// URL, true, null and the like, one repeated character, a marker. `literal`: in single quotes,
// where a $ refers to nothing.
enum class Quotes : std::uint8_t { none, literal, other };
[[nodiscard]] bool is_plain_value(std::string_view value, Quotes quotes);

// The steps, in order; each returns the new text.
[[nodiscard]] std::string redact_blocks(std::string text);    // private-key, gcp-account
[[nodiscard]] std::string redact_shapes(std::string text);    // tokens known by their shape
[[nodiscard]] std::string redact_auth(std::string text);      // auth
[[nodiscard]] std::string redact_assigned(std::string text);  // assigned

// Names of all kinds, for telling our markers from a text that only looks like one.
[[nodiscard]] bool is_shape_kind(std::string_view kind);

}  // namespace robot_council::stops::redaction
