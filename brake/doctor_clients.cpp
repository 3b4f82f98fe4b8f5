#include <array>
#include <optional>
#include <utility>

#include "base/files.hpp"
#include "base/json.hpp"
#include "base/paths.hpp"
#include "base/sha256.hpp"
#include "brake/disk.hpp"
#include "brake/doctor.hpp"
#include "brake/limits.hpp"
#include "brake/wired.hpp"
#include "harness/brake_client.hpp"
#include "harness/settings_json.hpp"
#include "harness/settings_toml.hpp"

namespace robot_council::brake {
namespace {

constexpr const char* kClaudeManaged = "/etc/claude-code/managed-settings.json";

struct Settings {
  std::string path;
  harness::SettingsDocument document;
};

std::optional<Settings> read_json(const std::string& path) {
  std::string bytes;
  if (path.empty() || read_followed(path, kMaxSettingsBytes, &bytes) != 0) {
    return std::nullopt;
  }
  Settings settings{path, harness::read_settings(bytes)};
  if (!settings.document.has_root()) {
    return std::nullopt;
  }
  return settings;
}

void add_off(std::vector<DoctorFact>& facts, std::string_view client, const std::string& what,
             const std::string& where) {
  facts.push_back({"brake-off-" + std::string(client), Finding::warning,
                   std::string(client) + ": hooks are switched off by " + what + " (" + where + ")",
                   "take it out, or this client is not stopped"});
}

void find_true(std::vector<DoctorFact>& facts, std::string_view client,
               const std::vector<std::string>& files, std::string_view key) {
  for (const std::string& path : files) {
    const std::optional<Settings> settings = read_json(path);
    if (settings && settings->document.root.boolean_at(key).value_or(false)) {
      add_off(facts, client, std::string(key), path);
    }
  }
}

void gemini_switches(std::vector<DoctorFact>& facts, const std::vector<std::string>& files) {
  for (const std::string& path : files) {
    const std::optional<Settings> settings = read_json(path);
    const harness::SettingsNode* const config =
        settings ? settings->document.root.find("hooksConfig") : nullptr;
    if (config == nullptr) {
      continue;
    }
    if (!config->boolean_at("enabled").value_or(true)) {
      add_off(facts, "gemini_cli", "hooksConfig.enabled", path);
    }
    const harness::SettingsNode* const disabled = config->find("disabled");
    if (disabled == nullptr) {
      continue;
    }
    for (const harness::SettingsNode& name : disabled->elements) {
      if (name.text == "robot-council-brake" ||
          name.text.find(harness::kBrakeEntryMark) != std::string::npos) {
        add_off(facts, "gemini_cli", "hooksConfig.disabled", path);
      }
    }
  }
}

void off_switches(std::vector<DoctorFact>& facts, const base::Environment& environment,
                  const std::string& checkout) {
  const std::string home = base::home_directory(environment);
  const auto in_home = [&home](std::string_view name) { return base::join_path(home, name); };
  const auto in_checkout = [&checkout](std::string_view name) {
    return checkout.empty() ? std::string() : base::join_path(checkout, name);
  };
  const harness::BrakeClient& claude = *harness::brake_client("claude_code");
  const std::vector<std::string> claude_files = {
      user_file(claude, environment), project_file(claude, checkout),
      in_checkout(".claude/settings.local.json"), kClaudeManaged};
  find_true(facts, "claude_code", claude_files, "disableAllHooks");
  find_true(facts, "claude_code", {kClaudeManaged}, "allowManagedHooksOnly");
  for (const char* name : {"CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"}) {
    if (environment.get_or_empty(name) == "1") {
      add_off(facts, "claude_code", std::string(name) + "=1", "environment");
    }
  }
  find_true(facts, "vscode_copilot",
            {in_home(".copilot/settings.json"), in_home(".copilot/config.json")},
            "disableAllHooks");
  gemini_switches(facts, {in_home(".gemini/settings.json"), in_checkout(".gemini/settings.json")});
  for (const std::string& path :
       {in_home(".gemini/config/hooks.json"), in_checkout(".agents/hooks.json")}) {
    const std::optional<Settings> settings = read_json(path);
    if (settings && settings->document.root.find("enabled") != nullptr) {
      add_off(facts, "antigravity", "a top-level \"enabled\"", path);
    }
  }
  const std::string openhands = in_checkout(".openhands/hooks.json");
  const harness::BrakeClient& client = *harness::brake_client("openhands");
  if (!openhands.empty() && base::exists(openhands) &&
      read_wired(client, openhands).state == WiredState::not_wired &&
      read_wired(client, user_file(client, environment)).state == WiredState::wired) {
    add_off(facts, "openhands", "a project file, which hides the user's", openhands);
  }
}

// The place of our entry in a Codex hooks file: group and index in it.
std::optional<std::pair<std::size_t, std::size_t>> codex_place(const harness::SettingsNode& root) {
  const harness::SettingsNode* const hooks = root.find("hooks");
  const harness::SettingsNode* const groups =
      hooks == nullptr ? nullptr : hooks->find("PreToolUse");
  if (groups == nullptr) {
    return std::nullopt;
  }
  for (std::size_t group = 0; group < groups->elements.size(); ++group) {
    const harness::SettingsNode* const entries = groups->elements[group].find("hooks");
    for (std::size_t entry = 0; entries != nullptr && entry < entries->elements.size(); ++entry) {
      if (entries->elements[entry].string_at("command").find(harness::kBrakeEntryMark) !=
          std::string::npos) {
        return std::pair{group, entry};
      }
    }
  }
  return std::nullopt;
}

// Codex runs a hook only if its configuration holds this hash of it at this place.
// Source  measured on Codex 0.171: SHA-256 of the compact JSON with sorted keys.
std::string codex_hash() {
  return "sha256:" +
         base::sha256_hex(R"({"event_name":"pre_tool_use","hooks":[{"async":false,"command":)" +
                          base::quote_json(harness::brake_command("codex_cli")) +
                          R"(,"timeout":10,"type":"command"}]})");
}

std::string codex_trust(const base::Environment& environment, const std::string& path) {
  std::string text;
  const std::string config_path =
      base::join_path(base::home_directory(environment), ".codex/config.toml");
  if (read_followed(config_path, kMaxSettingsBytes, &text) != 0) {
    return "needs trust in the client";
  }
  const harness::CodexConfig config = harness::read_codex_config(text);
  if (config.hooks_feature.has_value() && !*config.hooks_feature) {
    return "switched off by [features] hooks=false";
  }
  const std::optional<Settings> settings = read_json(path);
  const auto place = settings ? codex_place(settings->document.root) : std::nullopt;
  if (!place) {
    return "needs trust in the client";
  }
  const std::string key =
      path + ":pre_tool_use:" + std::to_string(place->first) + ":" + std::to_string(place->second);
  const auto trusted = config.hook_trust.find(key);
  if (trusted == config.hook_trust.end()) {
    return "needs trust in the client";
  }
  return trusted->second.hash == codex_hash() && trusted->second.enabled
             ? "trusted in the client"
             : "needs trust in the client: the trusted hash is another one";
}

DoctorFact client_fact(const WiredClient& wired, const base::Environment& environment) {
  const harness::BrakeClient& client = *wired.client;
  DoctorFact fact{"brake-client-" + std::string(client.id), Finding::ok, {}, {}};
  std::string state = wired_words(wired);
  if (wired.wired() && client.id == "codex_cli") {
    const WiredFile& file = wired.user.state == WiredState::wired ? wired.user : wired.project;
    const std::string trust = codex_trust(environment, file.path);
    state = "wired, " + trust;
    if (trust != "trusted in the client") {
      fact.finding = Finding::warning;
      fact.remedy = "open Codex and trust the hook there: /hooks";
    }
  } else if (wired.wired() && state != "wired") {
    state = "wired, needs trust in the client: unknown whether it has it";
    fact.finding = Finding::unknown;
    fact.remedy = "look into the client";
  } else if (state == "outdated" ||
             (state == "not wired" && !client.user_file.empty() &&
              base::exists(base::parent_path(user_file(client, environment))))) {
    fact.finding = Finding::warning;
    fact.remedy = "robot-council brake wire " + std::string(client.id);
  } else if (state == "the client cannot read its file") {
    fact.finding = Finding::failed;
    fact.remedy = "correct the file, then: robot-council brake wire " + std::string(client.id);
  }
  fact.text =
      std::string(client.id) + ": " + state + " (refusal " + std::string(client.confidence) + ")";
  return fact;
}

}  // namespace

std::vector<DoctorFact> doctor_clients(const base::Context& context, const std::string& checkout) {
  std::vector<DoctorFact> facts;
  for (const WiredClient& wired : find_wired(context.environment, checkout)) {
    facts.push_back(client_fact(wired, context.environment));
  }
  off_switches(facts, context.environment, checkout);
  return facts;
}

}  // namespace robot_council::brake
