#include "harness/settings_toml.hpp"

#include <exception>
#include <utility>

#include "base/json.hpp"
#include "base/sha256.hpp"
#include "base/utf8.hpp"
#include "harness/settings_entries.hpp"
#include "harness/toml_guard.hpp"
#include "harness/toml_library.hpp"

namespace robot_council::harness {

namespace {

std::size_t line_of(const toml::node& node) {
  return node.source().begin.line;
}

std::string text_of(const toml::node* node) {
  if (node == nullptr) {
    return {};
  }
  const auto* text = node->as_string();
  return text == nullptr ? std::string() : unshield_toml(text->get());
}

std::optional<bool> bool_of(const toml::node* node) {
  if (node == nullptr || !node->is_boolean()) {
    return std::nullopt;
  }
  return node->as_boolean()->get();
}

const toml::table* table_of(const toml::table& table, std::string_view key) {
  const toml::node* node = table.get(key);
  return node == nullptr ? nullptr : node->as_table();
}

class ConfigReader {
 public:
  explicit ConfigReader(CodexConfig& config) : config_(config) {}

  void read(const toml::table& root) {
    features(root);
    if (const toml::node* only = root.get("allow_managed_hooks_only")) {
      config_.managed_hooks_only = bool_of(only);
      config_.managed_hooks_only_line = line_of(*only);
    }
    projects(root);
    if (const toml::node* hooks = root.get("hooks")) {
      if (const toml::table* table = hooks->as_table()) {
        hook_table(*table);
      } else {
        refuse(*hooks, "\"hooks\" is no table");
      }
    }
    server(root);
  }

 private:
  void refuse(const toml::node& node, const std::string& what) {
    config_.faults.push_back({FaultSeverity::error, "void", line_of(node),
                              what + "; Codex will not start.",
                              "Write it as [[hooks.Stop]] and [[hooks.Stop.hooks]]."});
    config_.stops_client = true;
  }

  void features(const toml::table& root) {
    const toml::table* features = table_of(root, "features");
    if (features == nullptr) {
      return;
    }
    for (const std::string_view key : {"hooks", "codex_hooks"}) {
      const toml::node* node = features->get(key);
      const auto value = bool_of(node);
      if (value && !config_.hooks_feature) {
        config_.hooks_feature = value;
        config_.hooks_feature_line = line_of(*node);
        config_.hooks_feature_key = "features." + std::string(key);
      }
    }
  }

  void projects(const toml::table& root) {
    const toml::table* projects = table_of(root, "projects");
    if (projects == nullptr) {
      return;
    }
    for (const auto& [folder, value] : *projects) {
      if (const toml::table* table = value.as_table()) {
        config_.project_trust[unshield_toml(folder.str())] = text_of(table->get("trust_level"));
      }
    }
  }

  void hook_table(const toml::table& hooks) {
    if (const toml::table* state = table_of(hooks, "state")) {
      for (const auto& [key, value] : *state) {
        if (const toml::table* table = value.as_table()) {
          config_.hook_trust[unshield_toml(key.str())] = CodexTrust{
              text_of(table->get("trusted_hash")), bool_of(table->get("enabled")).value_or(true)};
        }
      }
    }
    const toml::node* stop = hooks.get("Stop");
    if (stop == nullptr) {
      return;
    }
    const toml::array* groups = stop->as_array();
    if (groups == nullptr) {
      refuse(*stop, "\"hooks.Stop\" is no list of tables");
      return;
    }
    for (std::size_t i = 0; i < groups->size(); ++i) {
      group((*groups)[i], i);
    }
  }

  void group(const toml::node& node, std::size_t index) {
    const toml::table* table = node.as_table();
    if (table == nullptr) {
      refuse(node, "a group of \"hooks.Stop\" is no table");
      return;
    }
    const toml::node* hooks = table->get("hooks");
    if (hooks == nullptr) {
      config_.faults.push_back({FaultSeverity::error, "shape", line_of(node),
                                R"(a group of "hooks.Stop" has no "hooks", so nothing of it runs.)",
                                "Put the command below [[hooks.Stop.hooks]]."});
      return;
    }
    const toml::array* entries = hooks->as_array();
    if (entries == nullptr) {
      refuse(*hooks, "\"hooks.Stop.hooks\" is no list of tables");
      return;
    }
    for (std::size_t i = 0; i < entries->size(); ++i) {
      entry((*entries)[i], index, i);
    }
  }

  void entry(const toml::node& node, std::size_t group, std::size_t index) {
    const toml::table* table = node.as_table();
    const std::string type = table == nullptr ? std::string() : text_of(table->get("type"));
    if (table == nullptr || (type != "command" && type != "prompt" && type != "agent")) {
      refuse(node, R"(an entry of "hooks.Stop.hooks" has no "type" that Codex knows)");
      return;
    }
    HookEntry entry;
    entry.event = "Stop";
    entry.at_stop = true;
    entry.group = group;
    entry.index = index;
    entry.line = line_of(node);
    entry.type = type;
    entry.line_text = text_of(table->get("command"));
    entry.command = read_command(entry.line_text);
    entry.status_message = text_of(table->get("statusMessage"));
    entry.async = bool_of(table->get("async")).value_or(false);
    entry.accepted = type != "command" || !entry.line_text.empty();
    if (const toml::node* timeout = table->get("timeout")) {
      if (!timeout->is_number()) {
        refuse(*timeout, "\"timeout\" is no number");
      }
      entry.timeout = timeout->value<double>();
    }
    entry.timeout_ms = timeout_in_ms(Client::codex, entry.timeout);
    for (const auto& [key, value] : *table) {
      const std::string_view name = key.str();
      if (name != "type" && name != "command" && name != "timeout" && name != "async" &&
          name != "statusMessage") {
        entry.hash_known = false;
      }
    }
    if (entry.async && entry.command.delivers()) {
      entry.accepted = false;
      config_.faults.push_back({FaultSeverity::error, "shape", entry.line,
                                "the entry runs in the background (\"async\"), so what it answers "
                                "at Stop reaches nobody.",
                                "Remove \"async\" from it."});
    }
    entry.hash_known = entry.hash_known && !entry.async;
    config_.entries.push_back(std::move(entry));
  }

  void server(const toml::table& root) {
    const toml::node* servers = root.get("mcp_servers");
    if (servers == nullptr) {
      return;
    }
    const toml::table* table = servers->as_table();
    config_.servers_table = table != nullptr && !table->is_inline();
    const toml::table* ours = table == nullptr ? nullptr : table_of(*table, "robot-council");
    if (ours == nullptr) {
      return;
    }
    CodexServer server;
    server.line = line_of(*ours);
    server.command = text_of(ours->get("command"));
    if (const toml::node* args = ours->get("args"); args != nullptr && args->is_array()) {
      for (const toml::node& word : *args->as_array()) {
        server.args.push_back(text_of(&word));
      }
    }
    if (const toml::table* env = table_of(*ours, "env")) {
      for (const auto& [name, value] : *env) {
        server.env[unshield_toml(name.str())] = text_of(&value);
      }
    }
    config_.server = std::move(server);
  }

  CodexConfig& config_;
};

}  // namespace

CodexConfig read_codex_config(std::string_view text) {
  CodexConfig config;
  if (!base::is_utf8(text)) {
    config.error = SettingsError{0, "the file is no UTF-8"};
    config.stops_client = true;
    return config;
  }
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  const std::string_view body =
      text.substr(0, kMark.size()) == kMark ? text.substr(kMark.size()) : text;
  config.mentions_us = text.find("robot-council-stop-hook") != std::string_view::npos ||
                       text.find("robot-council pending") != std::string_view::npos;
  if (toml_too_deep(body)) {
    config.error = SettingsError{0, "a key has too many parts"};
    config.stops_client = true;
    return config;
  }
  try {
    const toml::table root = toml::parse(shield_toml(body));
    ConfigReader(config).read(root);
  } catch (const toml::parse_error& error) {
    config.error = SettingsError{0, quoted_text(unshield_toml(error.description()))};
    config.error_place = {error.source().begin.line, error.source().begin.column};
    config.stops_client = true;
  } catch (const std::exception& error) {
    config.error = SettingsError{0, quoted_text(error.what())};
    config.stops_client = true;
  }
  return config;
}

std::optional<std::string> codex_trusted_hash(const HookEntry& entry) {
  if (!entry.hash_known || entry.async) {
    return std::nullopt;
  }
  const double timeout = entry.timeout.value_or(600.0);
  const auto whole = static_cast<std::int64_t>(timeout);
  if (timeout < 0.0 || static_cast<double>(whole) != timeout) {
    return std::nullopt;
  }
  std::string json = R"({"event_name":"stop","hooks":[{"async":false,"command":)" +
                     base::quote_json(entry.line_text);
  if (!entry.status_message.empty()) {
    json += R"(,"statusMessage":)" + base::quote_json(entry.status_message);
  }
  json += ",\"timeout\":" + std::to_string(whole) + R"(,"type":"command"}]})";
  return "sha256:" + base::sha256_hex(json);
}

std::string codex_trust_key(const std::string& file, const HookEntry& entry) {
  return file + ":stop:" + std::to_string(entry.group) + ":" + std::to_string(entry.index);
}

}  // namespace robot_council::harness
