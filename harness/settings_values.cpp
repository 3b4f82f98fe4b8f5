#include "harness/settings_values.hpp"

#include <algorithm>
#include <utility>

#include "base/files.hpp"
#include "base/text.hpp"

namespace robot_council::harness {

namespace {

constexpr std::string_view kServerName = "robot-council";

void assign(WiredValues& values, std::string_view name, const std::string& value) {
  if (name == "ROBOT_COUNCIL_SERVICE") {
    values.service = value;
  } else if (name == "ROBOT_COUNCIL_HARNESS") {
    values.harness = value;
  } else if (name == "ROBOT_COUNCIL_PROJECT") {
    values.project = value;
  } else if (name == "XDG_STATE_HOME") {
    values.state_home = value;
  } else if (name == "ROBOT_COUNCIL_BIN") {
    values.program = value;
  }
}

void read_assignments(WiredValues& values, std::string_view line) {
  if (line.rfind("export ", 0) == 0) {
    line = base::trim(line.substr(7));
  }
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) {
    return;
  }
  const std::string_view value = base::trim(line.substr(equals + 1));
  const bool literal = !value.empty() && value.front() == '\'';
  if (literal || value.find_first_of("$`") == std::string_view::npos) {
    assign(values, line.substr(0, equals), unquote_shell(value));
  }
}

bool runs_bridge(const SettingsNode& server) {
  const SettingsNode* args = server.find("args");
  return base::base_name(server.string_at("command")) == kServerName && args != nullptr &&
         std::any_of(args->elements.begin(), args->elements.end(),
                     [](const auto& word) { return word.text == "mcp"; });
}

// --name=V or --name V of a server's arguments.
void read_option(const std::vector<std::string>& words, std::string_view name,
                 std::optional<std::string>& value) {
  const std::string flag = "--" + std::string(name);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == flag && i + 1 < words.size()) {
      value = words[i + 1];
    } else if (words[i].rfind(flag + "=", 0) == 0) {
      value = words[i].substr(flag.size() + 1);
    }
  }
}

}  // namespace

std::string unquote_shell(std::string_view word) {
  std::string out;
  char quote = '\0';
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    if (quote == '\0' && (c == ' ' || c == '\t' || c == ';')) {
      break;
    }
    if (c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && i + 1 < word.size()) {
      out += word[++i];
    } else {
      out += c;
    }
  }
  return out;
}

WiredValues read_script_values(std::string_view script) {
  WiredValues values;
  std::size_t begin = 0;
  while (begin < script.size()) {
    const std::size_t newline = std::min(script.find('\n', begin), script.size());
    const std::string_view line = base::trim(script.substr(begin, newline - begin));
    begin = newline + 1;
    if (line.empty() || line.front() == '#') {
      continue;
    }
    values.calls_format =
        values.calls_format || line.find("pending --format") != std::string_view::npos;
    read_assignments(values, line);
  }
  return values;
}

std::optional<WiredValues> read_server_values(const SettingsDocument& document,
                                              const SettingsNode& servers) {
  const SettingsMember* member = servers.find_member(kServerName);
  if (member == nullptr) {
    const auto found = std::find_if(servers.members.begin(), servers.members.end(),
                                    [](const SettingsMember& m) { return runs_bridge(m.value); });
    if (found == servers.members.end()) {
      return std::nullopt;
    }
    member = &*found;
  }
  WiredValues values;
  values.line = settings_place(document.text, member->key_begin).line;
  values.program = member->value.string_at("command");
  if (const SettingsNode* args = member->value.find("args")) {
    for (const SettingsNode& word : args->elements) {
      values.arguments.push_back(word.text);
    }
  }
  if (const SettingsNode* env = member->value.find("env")) {
    for (const SettingsMember& variable : env->members) {
      // The project is a matter of --project alone: the bridge does not read its variable.
      if (variable.key != "ROBOT_COUNCIL_PROJECT") {
        assign(values, variable.key, variable.value.text);
      }
    }
  }
  read_option(values.arguments, "service", values.service);
  read_option(values.arguments, "harness", values.harness);
  read_option(values.arguments, "project", values.project);
  return values;
}

}  // namespace robot_council::harness
