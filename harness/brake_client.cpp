#include "harness/brake_client.hpp"

#include <algorithm>
#include <array>

namespace robot_council::harness {
namespace {

constexpr std::array<BrakeClient, 14> kClients = {{
    {"antigravity", "Antigravity", BrakeRenderer::deny0say, BrakeEntry::named, ".agents/hooks.json",
     ".gemini/config/hooks.json", "agy", "reported",
     "a top-level \"enabled\": false in its hooks file"},
    {"claude_code", "Claude Code", BrakeRenderer::nested2, BrakeEntry::groups,
     ".claude/settings.json", ".claude/settings.json", "claude", "proven",
     "disableAllHooks, allowManagedHooksOnly, --bare, --safe-mode, --restricted, untrusted folder"},
    {"codex_cli", "Codex CLI", BrakeRenderer::nested0, BrakeEntry::groups, ".codex/hooks.json",
     ".codex/hooks.json", "codex", "proven",
     "[features] hooks=false, a hook or project that is not trusted"},
    {"cursor", "Cursor", BrakeRenderer::permission0, BrakeEntry::flat, ".cursor/hooks.json",
     ".cursor/hooks.json", "cursor-agent", "proven (IDE), reported (cursor-agent)", ""},
    {"devin", "Devin", BrakeRenderer::block2, BrakeEntry::bare_groups, ".devin/hooks.v1.json", "",
     "devin", "documented", ""},
    {"factory_droid", "Factory Droid", BrakeRenderer::exit2, BrakeEntry::groups,
     ".factory/settings.json", ".factory/settings.json", "droid", "documented",
     "--no-hooks, allowManagedHooksOnly"},
    {"gemini_cli", "Gemini CLI", BrakeRenderer::deny2, BrakeEntry::groups, ".gemini/settings.json",
     ".gemini/settings.json", "gemini", "proven",
     "hooksConfig.enabled=false, hooksConfig.disabled, untrusted folder"},
    {"goose", "goose", BrakeRenderer::block2, BrakeEntry::groups,
     ".agents/plugins/robot-council/hooks/hooks.json",
     ".agents/plugins/robot-council/hooks/hooks.json", "goose", "documented", ""},
    {"grok", "Grok CLI", BrakeRenderer::deny2, BrakeEntry::groups, ".grok/hooks/robot-council.json",
     ".grok/hooks/robot-council.json", "grok", "proven",
     "[compat.<vendor>] hooks=false, untrusted folder"},
    {"mistral_vibe", "Mistral Vibe", BrakeRenderer::deny0, BrakeEntry::toml_block,
     ".vibe/hooks.toml", ".vibe/hooks.toml", "vibe", "proven", "untrusted folder"},
    {"openhands", "OpenHands", BrakeRenderer::deny2, BrakeEntry::groups, ".openhands/hooks.json",
     ".openhands/hooks.json", "openhands", "proven", "a project file that hides the user's"},
    {"tabnine", "Tabnine CLI", BrakeRenderer::deny2, BrakeEntry::groups,
     ".tabnine/agent/settings.json", "", "tabnine", "reported, never seen live",
     "hooksConfig.enabled=false, untrusted folder"},
    {"vscode_copilot", "GitHub Copilot", BrakeRenderer::both2, BrakeEntry::flat,
     ".github/hooks/robot-council.json", ".copilot/hooks/robot-council.json", "copilot",
     "proven (CLI), documented (VS Code)", "disableAllHooks, untrusted folder"},
    {"windsurf", "Windsurf", BrakeRenderer::exit2, BrakeEntry::actions, ".windsurf/hooks.json",
     ".codeium/windsurf/hooks.json", "windsurf", "documented", ""},
}};

struct Alias {
  std::string_view harness;
  std::string_view client;
};

constexpr std::array<Alias, 7> kAliases = {{
    {"claude", "claude_code"},
    {"cowork", "claude_code"},
    {"codex", "codex_cli"},
    {"gemini", "gemini_cli"},
    {"copilot", "vscode_copilot"},
    {"droid", "factory_droid"},
    {"vibe", "mistral_vibe"},
}};

}  // namespace

std::span<const BrakeClient> brake_clients() {
  return kClients;
}

const BrakeClient* brake_client(std::string_view id) {
  const auto* const found =
      std::find_if(kClients.begin(), kClients.end(),
                   [id](const BrakeClient& client) { return client.id == id; });
  return found == kClients.end() ? nullptr : found;
}

std::string_view brake_client_of_harness(std::string_view harness) {
  for (const Alias& alias : kAliases) {
    if (alias.harness == harness) {
      return alias.client;
    }
  }
  const BrakeClient* const same = brake_client(harness);
  return same == nullptr ? std::string_view{} : same->id;
}

// Only ${NAME:-x} and $?: Grok and Gemini CLI expand $NAME themselves, and Grok skips a hook that
// names an unset variable.
std::string brake_command(std::string_view id) {
  std::string command =
      R"(/bin/sh -c 'PATH="${HOME:-}/.local/bin:/usr/local/bin:/opt/homebrew/bin:/usr/bin:${PATH:-/bin}"; )"
      R"(command -v robot-council >/dev/null 2>&1 || { echo "stopped: robot-council is missing; a person must )"
      R"(reinstall it" >&2; exit 2; }; robot-council brake-check --client )";
  command += id;
  command +=
      R"(; case $? in 0) exit 0;; 2) exit 2;; esac; echo "stopped: the stop check could not run; a person must )"
      R"(look" >&2; exit 2')";
  return command;
}

}  // namespace robot_council::harness
