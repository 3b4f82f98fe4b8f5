#include "harness/names.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/files.hpp"
#include "base/text.hpp"
#include "harness/limits.hpp"

namespace robot_council::harness {

namespace {

constexpr std::array<std::string_view, 21> kNames = {
    "cursor",   "claude",      "cowork",   "devin", "replit",  "gemini",      "codex",
    "v0",       "augment-cli", "opencode", "amp",   "copilot", "antigravity", "pi",
    "kiro-cli", "kimi",        "grok",     "cline", "goose",   "junie",       "openclaw"};

struct Marker {
  const char* variable;
  std::string_view name;
};

// The first one that is set decides, so the order is part of the contract: a client that runs
// inside another one's terminal inherits the outer one's variables.
constexpr std::array<Marker, 29> kMarkers = {{
    {"CURSOR_AGENT", "cursor"},
    {"KIMI_PLUGIN_ROOT", "kimi"},
    {"GROK_PLUGIN_ROOT", "grok"},
    {"GROK_PLUGIN_DATA", "grok"},
    {"GEMINI_CLI", "gemini"},
    {"CLINE_ACTIVE", "cline"},
    {"CODEX_SANDBOX", "codex"},
    {"CODEX_CI", "codex"},
    {"CODEX_THREAD_ID", "codex"},
    {"CODEX_SANDBOX_NETWORK_DISABLED", "codex"},
    {"AUGMENT_AGENT", "augment-cli"},
    {"OPENCODE_CLIENT", "opencode"},
    {"OPENCODE", "opencode"},
    {"AMP_CURRENT_THREAD_ID", "amp"},
    {"GOOSE_PROVIDER", "goose"},
    {"JUNIE_DATA", "junie"},
    {"JUNIE_SHIM_PATH", "junie"},
    {"CLAUDECODE", "claude"},
    {"CLAUDE_CODE", "claude"},
    {"REPL_ID", "replit"},
    {"COPILOT_MODEL", "copilot"},
    {"COPILOT_ALLOW_ALL", "copilot"},
    {"COPILOT_GITHUB_TOKEN", "copilot"},
    {"COPILOT_CLI", "copilot"},
    {"ANTIGRAVITY_AGENT", "antigravity"},
    {"ANTIGRAVITY_CLI_ALIAS", "antigravity"},
    {"PI_CODING_AGENT", "pi"},
    {"KIRO_AGENT_PATH", "kiro-cli"},
    {"OPENCLAW_SHELL", "openclaw"},
}};

std::string from_ai_agent(const base::Environment& environment) {
  const std::string value(base::trim(environment.get_or_empty("AI_AGENT")));
  if (value == "github-copilot" || value == "github-copilot-cli") {
    return "copilot";
  }
  if (value.starts_with("claude-code")) {
    return "claude";
  }
  return is_known_name(value) ? value : std::string();
}

}  // namespace

std::string reduce_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool upper = c >= 'A' && c <= 'Z';
    const char lower = upper ? static_cast<char>(c - 'A' + 'a') : c;
    if ((lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9') || lower == '-') {
      name.push_back(lower);
    }
    if (name.size() == kMaxNameBytes) {
      break;
    }
  }
  return name;
}

std::span<const std::string_view> known_names() {
  return kNames;
}

bool is_known_name(std::string_view name) {
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::string detect_harness(const base::Environment& environment, const std::string& devin_marker) {
  if (std::string told = from_ai_agent(environment); !told.empty()) {
    return told;
  }
  for (const Marker& marker : kMarkers) {
    if (environment.has(marker.variable)) {
      if (marker.name == "claude" && environment.has("CLAUDE_CODE_IS_COWORK")) {
        return "cowork";
      }
      return std::string(marker.name);
    }
  }
  return base::exists(devin_marker) ? "devin" : "";
}

std::string named_harness(std::string_view flag, const base::Environment& environment) {
  if (!flag.empty()) {
    return reduce_name(flag);
  }
  const std::optional<std::string> variable = environment.nonblank("ROBOT_COUNCIL_HARNESS");
  return variable ? reduce_name(base::trim(*variable)) : std::string();
}

std::string resolved_harness(std::string_view flag, const base::Environment& environment,
                             const std::string& devin_marker) {
  std::string named = named_harness(flag, environment);
  return named.empty() ? detect_harness(environment, devin_marker) : named;
}

}  // namespace robot_council::harness
