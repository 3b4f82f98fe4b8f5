#include "harness/brake_toml.hpp"

#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

#include "base/json.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "harness/toml_guard.hpp"
#include "harness/toml_library.hpp"

namespace robot_council::harness {
namespace {

using base::Errc;
using base::Error;
using base::Result;

constexpr std::string_view kBegin = "# >>> robot-council brake >>>";
constexpr std::string_view kEnd = "# <<< robot-council brake <<<";

std::string_view without_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

struct Judged {
  bool has_ours = false;
};

Result<Judged> judge(std::string_view text) {
  if (!base::is_utf8(text) || toml_too_deep(text)) {
    return Error{Errc::invalid, "it is no UTF-8, or a key has too many parts"};
  }
  try {
    const toml::table document = toml::parse(shield_toml(without_mark(text)));
    Judged judged;
    const toml::node* const hooks = document.get("hooks");
    if (hooks == nullptr) {
      return judged;
    }
    const toml::array* const list = hooks->as_array();
    if (list == nullptr) {
      return Error{Errc::invalid,
                   "`hooks` in it is a table or a value, where a list of [[hooks]] must be"};
    }
    for (const toml::node& element : *list) {
      const toml::table* const hook = element.as_table();
      if (hook == nullptr) {
        return Error{Errc::invalid,
                     "`hooks` in it is a plain value, where a list of [[hooks]] must be"};
      }
      const auto command = (*hook)["command"].value<std::string>();
      judged.has_ours =
          judged.has_ours || (command && command->find(kBrakeEntryMark) != std::string::npos);
    }
    return judged;
  } catch (const toml::parse_error& error) {
    return Error{Errc::invalid, "line " + std::to_string(error.source().begin.line) + ": " +
                                    unshield_toml(error.description())};
  } catch (const std::exception& error) {
    return Error{Errc::invalid, error.what()};
  }
}

// Bytes of the block with its marker lines, from the beginning of the first to behind the second's
// line break.
std::optional<std::pair<std::size_t, std::size_t>> find_block(std::string_view text) {
  const std::size_t begin = text.find(kBegin);
  if (begin == std::string_view::npos || (begin > 0 && text[begin - 1] != '\n')) {
    return std::nullopt;
  }
  const std::size_t end = text.find(kEnd, begin);
  if (end == std::string_view::npos) {
    return std::nullopt;
  }
  std::size_t behind = end + kEnd.size();
  if (behind < text.size() && text[behind] == '\n') {
    ++behind;
  }
  return std::pair{begin, behind};
}

}  // namespace

std::string brake_toml_block(std::string_view command, bool old_event_name) {
  std::string block(kBegin);
  block += "\n[[hooks]]\nname = \"robot-council-brake\"\n";
  block += old_event_name ? "type = \"before_tool\"\n" : "type = \"pre_tool\"\n";
  // A JSON string is a TOML basic string: the command has quotes and a backslash-free text.
  block += "command = " + base::quote_json(command) + "\ntimeout = 10.0\nstrict = true\n";
  return block.append(kEnd) + "\n";
}

Result<BrakeEdit> wire_brake_toml(std::string_view text, const std::string& block) {
  const Result<Judged> before = judge(text);
  if (!before.ok()) {
    return before.error();
  }
  BrakeEdit edit;
  const auto old = find_block(text);
  // A file without a final newline gets the block without one: unwiring tells by that what was
  // there.
  const std::string bare = base::without_trailing(block, '\n');
  if (old) {
    const bool closed = text[old->second - 1] == '\n';
    edit.text = std::string(text.substr(0, old->first)) + (closed ? block : bare) +
                std::string(text.substr(old->second));
  } else if (before.value().has_ours) {
    return Error{Errc::invalid,
                 "a hook of ours is in it without its marker lines; take it out first"};
  } else {
    const bool whole_line = text.empty() || text.back() == '\n';
    edit.text = std::string(text) + (whole_line ? block : "\n" + bare);
  }
  edit.changed = edit.text != text;
  const Result<Judged> after = judge(edit.text);
  if (!after.ok()) {
    return after.error();
  }
  if (!after.value().has_ours) {
    return Error{Errc::invalid, "a block at its end would not be read as a hook"};
  }
  return edit;
}

Result<BrakeEdit> unwire_brake_toml(std::string_view text) {
  const Result<Judged> before = judge(text);
  if (!before.ok()) {
    return before.error();
  }
  BrakeEdit edit;
  edit.text = std::string(text);
  const auto old = find_block(text);
  if (!old) {
    if (before.value().has_ours) {
      return Error{Errc::invalid, "a hook of ours is in it without its marker lines"};
    }
    return edit;
  }
  const bool closed = text[old->second - 1] == '\n';
  const std::size_t begin = closed || old->first == 0 ? old->first : old->first - 1;
  edit.text = std::string(text.substr(0, begin)) + std::string(text.substr(old->second));
  edit.changed = true;
  edit.only_ours = base::is_blank(edit.text);
  return edit;
}

}  // namespace robot_council::harness
