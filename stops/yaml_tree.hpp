#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace robot_council::stops {

struct YamlMember;

// One value of a small configuration file.
struct YamlNode {
  enum class Kind : std::uint8_t { null, scalar, sequence, map };
  Kind kind = Kind::null;
  std::string text;                 // scalar
  bool quoted = false;              // scalar: in quotes, so a text and nothing else
  std::size_t line = 0;             // counted from 1
  std::vector<YamlNode> items;      // sequence
  std::vector<YamlMember> members;  // map, in the file's order, each key once

  [[nodiscard]] const YamlNode* member(std::string_view key) const;
  // A text: any scalar, quoted or not.
  [[nodiscard]] bool is_text() const { return kind == Kind::scalar; }
};

struct YamlMember {
  std::string key;
  YamlNode value;
};

// Reads one YAML document by its event stream.
// Errors  invalid, `what` = "line N: why" or "why": not UTF-8, a control byte, over max_bytes,
//         deeper than kMaxPolicyDepth, an anchor, alias, tag, duplicate key, key that is no text,
//         a second document, no document, or not YAML.
// Threads any; the parser is made on need.
[[nodiscard]] base::Result<YamlNode> read_yaml(std::string_view bytes, std::size_t max_bytes);

// An error at a node.
[[nodiscard]] base::Error yaml_error(const YamlNode& node, const std::string& why);

// A foreign text as an error may show it: controls removed, at most kMaxQuotedBytes, in quotes.
[[nodiscard]] std::string quoted_text(std::string_view text);

}  // namespace robot_council::stops
