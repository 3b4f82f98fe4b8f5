#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// JSON as people keep it in settings files, read with the place of every value, so that a finding
// can name line and column and an edit can splice text. The reader takes comments and trailing
// commas and remembers where the first one is: whether that voids a file is a rule of the harness,
// not of the reader. Linear; nested at most kMaxSettingsDepth.
namespace robot_council::harness {

enum class SettingsKind : std::uint8_t { object, array, string, number, boolean, null };

struct SettingsMember;

// A value and its bytes [begin, end) in SettingsDocument::text.
struct SettingsNode {
  SettingsKind kind = SettingsKind::null;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;  // string: unescaped, lone surrogates as U+FFFD; number: its literal
  bool boolean = false;
  std::vector<SettingsMember> members;  // object: in order, duplicates kept
  std::vector<SettingsNode> elements;   // array

  [[nodiscard]] bool is(SettingsKind wanted) const { return kind == wanted; }
  // The last member of this name (clients let the last one win); nullptr: none, or no object.
  [[nodiscard]] const SettingsNode* find(std::string_view key) const;
  [[nodiscard]] const SettingsMember* find_member(std::string_view key) const;
  // How many members have this name.
  [[nodiscard]] std::size_t count(std::string_view key) const;
  // A string member's text, "" if there is none.
  [[nodiscard]] std::string string_at(std::string_view key) const;
  // A boolean member.
  [[nodiscard]] std::optional<bool> boolean_at(std::string_view key) const;
  // The number, if it is one and a double can hold it.
  [[nodiscard]] std::optional<double> number() const;
};

struct SettingsMember {
  std::string key;
  std::size_t key_begin = 0;  // of the literal, its quote included
  std::size_t key_end = 0;
  SettingsNode value;
};

enum class SettingsEncoding : std::uint8_t {
  utf8,
  utf8_bom,    // begins EF BB BF
  utf16_bom,   // begins FF FE; text is its UTF-8 form, so offsets are not those of the file
  utf16_big,   // begins FE FF, likewise
  utf16_bare,  // looks like UTF-16 and says so nowhere: never read
};

struct SettingsError {
  std::size_t offset = 0;  // in SettingsDocument::text
  std::string what;        // "expected a value"
};

struct SettingsDocument {
  SettingsEncoding encoding = SettingsEncoding::utf8;
  std::string text;       // without a byte order mark
  bool blank = false;     // nothing but white space; there is no root
  std::size_t depth = 0;  // levels of nesting
  std::optional<SettingsError>
      error;  // no JSON, comments and trailing commas allowed; there is no root
  std::optional<std::size_t> comment;         // offset of the first // or /*
  std::optional<std::size_t> trailing_comma;  // offset of the first
  std::optional<std::size_t> bad_utf8;        // offset of the first byte that is no UTF-8
  SettingsNode root;

  [[nodiscard]] bool has_root() const { return !blank && !error; }
};

[[nodiscard]] SettingsDocument read_settings(std::string_view bytes);

// 1-based; the column counts characters (code points).
struct SettingsPlace {
  std::size_t line = 1;
  std::size_t column = 1;
};
[[nodiscard]] SettingsPlace settings_place(std::string_view text, std::size_t offset);

// What keeps the document from being strict JSON (RFC 8259), by the first place of it; nothing if
// it is. `Comments::allowed`: as Gemini CLI reads (comments removed, then strict).
// `TrailingCommas::allowed`: as Copilot CLI reads mcp-config.json.
enum class Comments : std::uint8_t { refused, allowed };
enum class TrailingCommas : std::uint8_t { refused, allowed };
[[nodiscard]] std::optional<SettingsError> strict_error(const SettingsDocument& document,
                                                        Comments comments, TrailingCommas commas);
// "line 3, column 5: a comment is no JSON"
[[nodiscard]] std::string describe_error(const SettingsDocument& document,
                                         const SettingsError& error);

}  // namespace robot_council::harness
