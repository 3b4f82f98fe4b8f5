#include "harness/brake_marker.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.hpp"
#include "harness/brake_client.hpp"

namespace robot_council::harness {
namespace {

struct Variable {
  std::string_view name;
  std::string_view value;  // "" = any that is not empty
  std::string_view client;
};

constexpr std::array<Variable, 39> kVariables = {{
    {"CLAUDE_CODE_CHILD_SESSION", "1", "claude_code"},
    {"CLAUDECODE", "1", "claude_code"},
    {"CLAUDE_CODE_SESSION_ID", "", "claude_code"},
    {"CLAUDE_CODE_IS_COWORK", "", "claude_code"},
    {"CODEX_THREAD_ID", "", "codex_cli"},
    {"CODEX_SANDBOX", "", "codex_cli"},
    {"CODEX_SANDBOX_NETWORK_DISABLED", "1", "codex_cli"},
    {"CODEX_CI", "1", "codex_cli"},
    {"CURSOR_AGENT", "", "cursor"},
    {"CURSOR_EXTENSION_HOST_ROLE", "agent-exec", "cursor"},
    {"GEMINI_CLI", "1", "gemini_cli"},
    {"ANTIGRAVITY_AGENT", "", "antigravity"},
    {"GROK_AGENT", "1", "grok"},
    {"GROK_SESSION_ID", "", "grok"},
    {"COPILOT_CLI", "1", "vscode_copilot"},
    {"COPILOT_AGENT", "1", "vscode_copilot"},
    {"COPILOT_AGENT_SESSION_ID", "", "vscode_copilot"},
    {"COPILOT_AGENT_JOB_ID", "", "vscode_copilot"},
    {"GOOSE_TERMINAL", "1", "goose"},
    {"AGENT", "goose", "goose"},
    {"AGENT_SESSION_ID", "", "goose"},
    {"OPENHANDS_SESSION_ID", "", "openhands"},
    {"OPENHANDS_EVENT_TYPE", "", "openhands"},
    {"WINDSURF_CASCADE_TERMINAL", "", "windsurf"},
    {"AGENT", "amp", ""},
    {"AGENT", "crush", ""},
    {"OPENCODE", "1", ""},
    {"OPENCODE_SESSION_ID", "", ""},
    {"QWEN_CODE", "1", ""},
    {"AUGMENT_AGENT", "", ""},
    {"CLINE_ACTIVE", "", ""},
    {"AMP_CURRENT_THREAD_ID", "", ""},
    {"CRUSH", "", ""},
    {"PI_CODING_AGENT", "", ""},
    {"KIMI_CODE_CLI", "1", ""},
    {"ROO_ACTIVE", "", ""},
    {"KILOCODE_FEATURE", "cli", ""},
    {"TRAE_AI_SHELL_ID", "", ""},
    {"IFLOW_CLI", "", ""},
}};

// The client in AI_AGENT: "claude-code_2-1-332_harness" is claude_code.
std::string client_of_ai_agent(std::string_view value) {
  std::string word(base::trim(value));
  word.resize(std::min(word.size(), word.find_first_of("_@/")));
  if (word == "github-copilot" || word == "github-copilot-cli") {
    return "vscode_copilot";
  }
  if (const std::string_view known = brake_client_of_harness(word); !known.empty()) {
    return std::string(known);
  }
  std::replace(word.begin(), word.end(), '-', '_');
  return std::string(brake_client_of_harness(word));
}

constexpr std::array<std::string_view, 12> kPrograms = {
    "claude", "codex", "gemini", "cursor-agent", "droid", "goose",
    "grok",   "vibe",  "agy",    "copilot",      "devin", "openhands"};

}  // namespace

std::vector<BrakeMarker> find_brake_markers(const base::Environment& environment,
                                            std::span<const std::string> extra,
                                            DevinMachine devin) {
  std::vector<BrakeMarker> markers;
  for (const Variable& variable : kVariables) {
    const std::string value = environment.get_or_empty(std::string(variable.name));
    if (variable.value.empty() ? !value.empty() : value == variable.value) {
      markers.push_back({std::string(variable.name), std::string(variable.client)});
    }
  }
  if (const std::optional<std::string> named = environment.nonblank("AI_AGENT")) {
    markers.push_back({"AI_AGENT", client_of_ai_agent(*named)});
  }
  if (devin == DevinMachine::yes) {
    markers.push_back({std::string(kDevinFile), "devin"});
  }
  for (const std::string& name : extra) {
    if (!environment.get_or_empty(name).empty()) {
      markers.push_back({name, {}});
    }
  }
  return markers;
}

CommitBy commit_by(const base::Environment& environment) {
  const std::string value =
      base::to_lower_ascii(base::trim(environment.get_or_empty("ROBOT_COUNCIL_AGENT_COMMIT")));
  if (value.empty()) {
    return CommitBy::unsaid;
  }
  return value == "0" || value == "false" || value == "no" || value == "off" ? CommitBy::person
                                                                             : CommitBy::agent;
}

bool is_agent_program(std::string_view name) {
  return std::find(kPrograms.begin(), kPrograms.end(), name) != kPrograms.end();
}

}  // namespace robot_council::harness
