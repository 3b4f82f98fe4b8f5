#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/settings_hooks.hpp"

// Codex's TOML files, read only: ~/.codex/config.toml, /etc/codex/config.toml, requirements.toml.
// They are never re-printed.
namespace robot_council::harness {

struct CodexTrust {
  std::string hash;  // "sha256:<hex>", "" if none
  bool enabled = true;
};

struct CodexServer {
  std::size_t line = 0;
  std::string command;
  std::vector<std::string> args;
  std::map<std::string, std::string> env;
};

struct CodexConfig {
  std::optional<SettingsError> error;  // no TOML 1.0; the place below
  SettingsPlace error_place;
  std::optional<bool> hooks_feature;  // [features] hooks, else codex_hooks
  std::size_t hooks_feature_line = 0;
  std::string hooks_feature_key;
  std::optional<bool> managed_hooks_only;  // allow_managed_hooks_only (requirements.toml)
  std::size_t managed_hooks_only_line = 0;
  std::map<std::string, std::string> project_trust;  // folder -> trust_level
  std::map<std::string, CodexTrust> hook_trust;      // "<file>:stop:<group>:<entry>"
  std::vector<HookEntry> entries;                    // [[hooks.Stop]] / [[hooks.Stop.hooks]]
  std::vector<SettingsFault> faults;
  bool stops_client = false;          // a fault with which Codex does not start
  std::optional<CodexServer> server;  // [mcp_servers.robot-council]
  bool servers_table = true;  // false: mcp_servers is there and no table that a block could follow
  bool mentions_us = false;
};

[[nodiscard]] CodexConfig read_codex_config(std::string_view text);

// The hash under which Codex trusts an entry: "sha256:" and 64 hex digits. Nothing if a key of the
// entry is of unknown weight. Source  measured on Codex 0.171 (compact JSON, sorted keys, timeout
// 600 when none is given).
[[nodiscard]] std::optional<std::string> codex_trusted_hash(const HookEntry& entry);

// "<file>:stop:<group>:<entry>"
[[nodiscard]] std::string codex_trust_key(const std::string& file, const HookEntry& entry);

}  // namespace robot_council::harness
