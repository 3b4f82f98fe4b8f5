#include "stop-hook/script.hpp"

#include <array>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace robot_council::stop_hook {

namespace {

constexpr std::string_view kBegin = "# >>> robot-council values\n";
constexpr std::string_view kEnd = "# <<< robot-council values\n";
constexpr std::string_view kVersion = "# version ";
constexpr std::string_view kStateHome = "state_home_of_server";

struct Line {
  const char* name;
  std::string ScriptValues::*value;
  const char* when_empty;
};

constexpr std::array<Line, 6> kLines = {{
    {"ROBOT_COUNCIL_SERVICE", &ScriptValues::service,
     "ROBOT_COUNCIL_SERVICE=${ROBOT_COUNCIL_SERVICE:-}"},
    {"ROBOT_COUNCIL_HARNESS", &ScriptValues::harness,
     "ROBOT_COUNCIL_HARNESS=${ROBOT_COUNCIL_HARNESS:-}"},
    {"ROBOT_COUNCIL_BIN", &ScriptValues::program, "ROBOT_COUNCIL_BIN=${ROBOT_COUNCIL_BIN:-}"},
    {"ROBOT_COUNCIL_PROJECT", &ScriptValues::project, "# ROBOT_COUNCIL_PROJECT='owner/repository'"},
    {"ROBOT_COUNCIL_ROUNDS", &ScriptValues::rounds, "# ROBOT_COUNCIL_ROUNDS='1'"},
    {"ROBOT_COUNCIL_MIDTURN", &ScriptValues::midturn, "# ROBOT_COUNCIL_MIDTURN='urgent'"},
}};

// Always in quotes, so that each line looks like the example it replaces.
std::string shell_quoted(std::string_view text) {
  return "'" + base::replace_all(std::string(text), "'", "'\\''") + "'";
}

// The value of a word as shell_quoted() or a person writes it; nothing if the shell would expand
// something in it.
std::optional<std::string> unquoted(std::string_view word) {
  std::string value;
  for (std::size_t at = 0; at < word.size();) {
    const char c = word[at];
    if (c == '\'' || c == '"') {
      const std::size_t close = word.find(c, at + 1);
      if (close == std::string_view::npos) {
        return std::nullopt;
      }
      const std::string_view inside = word.substr(at + 1, close - at - 1);
      if (c == '"' && inside.find_first_of("$`\\") != std::string_view::npos) {
        return std::nullopt;
      }
      value += inside;
      at = close + 1;
    } else if (c == '\\' && at + 1 < word.size()) {
      value.push_back(word[at + 1]);
      at += 2;
    } else if (c == ' ' || c == '\t' || c == '#') {
      break;
    } else if (c == '$' || c == '`' || c == '\\') {
      return std::nullopt;
    } else {
      value.push_back(c);
      ++at;
    }
  }
  return value;
}

struct Block {
  std::size_t begin;  // of the first line inside
  std::size_t end;    // of the closing mark
};

std::optional<Block> find_block(std::string_view script) {
  const std::size_t begin = script.find(kBegin);
  if (begin == std::string_view::npos) {
    return std::nullopt;
  }
  const std::size_t inside = begin + kBegin.size();
  const std::size_t end = script.find(kEnd, inside);
  if (end == std::string_view::npos) {
    return std::nullopt;
  }
  return Block{inside, end};
}

base::Error no_marks() {
  return {base::Errc::invalid, "the script has no marked lines for its values"};
}

bool fits_a_line(std::string_view value) {
  return base::is_utf8(value) && base::without_controls(value, base::Keep::nothing) == value;
}

}  // namespace

base::Result<std::string> fill_script(std::string_view script, const ScriptValues& values) {
  const std::optional<Block> block = find_block(script);
  if (!block) {
    return no_marks();
  }
  if (!fits_a_line(values.version) || !fits_a_line(values.state_home.value_or(""))) {
    return base::Error{base::Errc::invalid, "a value for the script has a control character"};
  }
  std::string lines = std::string(kVersion) + shell_quoted(values.version) + "\n";
  for (const Line& line : kLines) {
    const std::string& value = values.*line.value;
    if (!fits_a_line(value)) {
      return base::Error{base::Errc::invalid,
                         std::string(line.name) + " for the script has a control character"};
    }
    lines += value.empty() ? std::string(line.when_empty)
                           : std::string(line.name) + "=" + shell_quoted(value);
    lines += "\n";
  }
  lines += (values.state_home ? "" : "# ") + std::string(kStateHome) + "=" +
           shell_quoted(values.state_home.value_or("")) + "\n";
  std::string filled(script.substr(0, block->begin));
  filled += lines;
  filled += script.substr(block->end);
  return filled;
}

base::Result<ScriptValues> read_script(std::string_view script) {
  const std::optional<Block> block = find_block(script);
  if (!block) {
    return no_marks();
  }
  ScriptValues values;
  for (const std::string& text :
       base::split(script.substr(block->begin, block->end - block->begin), '\n')) {
    const std::string_view line = base::trim(text);
    if (line.starts_with(kVersion)) {
      values.version = unquoted(line.substr(kVersion.size())).value_or("");
    }
    const std::size_t equals = line.find('=');
    if (line.starts_with('#') || equals == std::string_view::npos) {
      continue;
    }
    const std::string_view name = line.substr(0, equals);
    const std::optional<std::string> value = unquoted(line.substr(equals + 1));
    if (name == kStateHome) {
      values.state_home = value.value_or("");
    }
    for (const Line& known : kLines) {
      if (name == known.name) {
        values.*known.value = value.value_or("");
      }
    }
  }
  return values;
}

}  // namespace robot_council::stop_hook
