#include <algorithm>
#include <utility>

#include "harness/settings_edit.hpp"
#include "harness/settings_toml.hpp"

namespace robot_council::harness {

namespace {

constexpr std::string_view kBegin = "# >>> robot-council";
constexpr std::string_view kEnd = "# <<< robot-council";

base::Error refused(std::size_t line, std::size_t column, const std::string& why) {
  return {base::Errc::invalid, std::to_string(line) + ":" + std::to_string(column) + ": " + why};
}

// Our block's lines in the text: [begin, end), the line end behind it included.
struct Block {
  std::size_t begin = std::string::npos;
  std::size_t end = std::string::npos;
  std::size_t marks = 0;
  std::size_t last_line = 0;  // of the last mark, 1-based
};

Block find_block(std::string_view text) {
  Block block;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t newline = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, newline - at);
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) {
      line.remove_suffix(1);
    }
    ++number;
    if (line == kBegin || line == kEnd) {
      ++block.marks;
      block.last_line = number;
      if (line == kBegin && block.begin == std::string::npos) {
        block.begin = at;
      } else if (line == kEnd && block.begin != std::string::npos &&
                 block.end == std::string::npos) {
        block.end = std::min(newline + 1, text.size());
      }
    }
    at = newline + 1;
  }
  return block;
}

base::Status check_toml(const CodexConfig& config) {
  if (config.error) {
    return refused(config.error_place.line, config.error_place.column, config.error->what);
  }
  if (!config.servers_table) {
    return refused(1, 1, "mcp_servers is no table that a block can add to");
  }
  return {};
}

}  // namespace

base::Result<Edited> edit_codex_block(const std::optional<std::string>& old_text,
                                      std::string_view block) {
  const std::string text = old_text.value_or("");
  if (auto status = check_toml(read_codex_config(text)); !status.ok()) {
    return status.error();
  }
  const Block found = find_block(text);
  const bool there = found.marks == 2 && found.end != std::string::npos;
  if (found.marks != 0 && !there) {
    return refused(found.last_line, 1, "the marks of the robot-council block do not pair");
  }
  // Without the block there must be no server of ours.
  std::string without = text;
  if (there) {
    std::size_t begin = found.begin;
    // A block at the end of a text that had no last line end brought one with it.
    if (found.end == text.size() && text.back() != '\n' && begin > 0) {
      --begin;
    }
    without.erase(begin, found.end - begin);
  }
  const CodexConfig rest = read_codex_config(without);
  if (auto status = check_toml(rest); !status.ok()) {
    return status.error();
  }
  if (rest.server) {
    return refused(rest.server->line, 1, "a server robot-council stands outside our block");
  }
  Edited edited;
  if (block.empty()) {
    edited.bytes = without;
  } else {
    const std::string lines =
        std::string(kBegin) + "\n" + std::string(block) + "\n" + std::string(kEnd);
    if (there) {
      const bool line_end = text[found.end - 1] == '\n';
      edited.bytes =
          text.substr(0, found.begin) + lines + (line_end ? "\n" : "") + text.substr(found.end);
    } else if (text.empty() || text.back() == '\n') {
      edited.bytes = text + lines + "\n";
    } else {
      edited.bytes = text + "\n" + lines;
    }
    const CodexConfig after = read_codex_config(edited.bytes);
    if (auto status = check_toml(after); !status.ok()) {
      return status.error();
    }
    if (!after.server) {
      return refused(1, 1, "the block does not define the server robot-council");
    }
  }
  edited.changed = !old_text ? !edited.bytes.empty() : edited.bytes != *old_text;
  return edited;
}

}  // namespace robot_council::harness
