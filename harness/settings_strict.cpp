#include "harness/settings_strict.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace robot_council::harness {

namespace {

using Names = std::vector<std::string_view>;

bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What Claude Code 2.1.332 wants of a key; another type there, null included, and it ignores the
// whole file. Other keys were seen to be forgiven.
enum class Wanted : std::uint8_t { boolean, string, object, list };
struct TypedKey {
  std::string_view key;
  Wanted wanted;
};
constexpr std::array<TypedKey, 27> kClaudeKeys = {{
    {"disableAllHooks", Wanted::boolean},
    {"includeCoAuthoredBy", Wanted::boolean},
    {"enableAllProjectMcpServers", Wanted::boolean},
    {"alwaysThinkingEnabled", Wanted::boolean},
    {"spinnerTipsEnabled", Wanted::boolean},
    {"respectGitignore", Wanted::boolean},
    {"allowManagedHooksOnly", Wanted::boolean},
    {"skipWebFetchPreflight", Wanted::boolean},
    {"verbose", Wanted::boolean},
    {"$schema", Wanted::string},
    {"model", Wanted::string},
    {"apiKeyHelper", Wanted::string},
    {"outputStyle", Wanted::string},
    {"awsAuthRefresh", Wanted::string},
    {"language", Wanted::string},
    {"autoUpdatesChannel", Wanted::string},
    {"plansDirectory", Wanted::string},
    {"permissions", Wanted::object},
    {"env", Wanted::object},
    {"statusLine", Wanted::object},
    {"sandbox", Wanted::object},
    {"fileSuggestion", Wanted::object},
    {"attribution", Wanted::object},
    {"enabledPlugins", Wanted::object},
    {"companyAnnouncements", Wanted::list},
    {"availableModels", Wanted::list},
    {"httpHookAllowedEnvVars", Wanted::list},
}};

SettingsKind kind_of(Wanted wanted) {
  switch (wanted) {
    case Wanted::boolean:
      return SettingsKind::boolean;
    case Wanted::string:
      return SettingsKind::string;
    case Wanted::object:
      return SettingsKind::object;
    case Wanted::list:
      break;
  }
  return SettingsKind::array;
}

std::string_view words_for(SettingsKind kind) {
  switch (kind) {
    case SettingsKind::boolean:
      return "true or false";
    case SettingsKind::string:
      return "a string";
    case SettingsKind::object:
      return "an object";
    case SettingsKind::array:
      return "a list";
    case SettingsKind::number:
      return "a number";
    case SettingsKind::null:
      break;
  }
  return "null";
}

class Checker {
 public:
  explicit Checker(Client client) : client_(client) {}

  void event(const SettingsMember& event) {
    const bool guarded = client_ == Client::claude &&
                         (event.key == "PreToolUse" || event.key == "PermissionRequest");
    const bool strict = guarded || (client_ == Client::codex && is_codex_event(event.key));
    // Claude Code takes null for an event that is not there.
    if (guarded && event.value.is(SettingsKind::null)) {
      return;
    }
    if ((strict || client_ == Client::copilot) && !event.value.is(SettingsKind::array)) {
      add(event.value, "\"" + quoted_text(event.key) + "\" is no list",
          "Write a list of groups there.");
      return;
    }
    for (const SettingsNode& group : event.value.elements) {
      if (client_ == Client::goose) {
        goose_group(group);
      } else if (strict) {
        strict_group(event.key, group);
      }
    }
  }

  void claude_root(const SettingsNode& root) {
    for (const TypedKey& typed : kClaudeKeys) {
      const SettingsNode* node = root.find(typed.key);
      if (node != nullptr) {
        want(*node, kind_of(typed.wanted), typed.key);
      }
    }
    const SettingsNode* days = root.find("cleanupPeriodDays");
    if (days != nullptr && (!days->is(SettingsKind::number) || days->text == "0" ||
                            days->text.find_first_not_of("0123456789") != std::string::npos)) {
      add(*days, "\"cleanupPeriodDays\" is no whole number above 0",
          "Write a number of days, or remove it.");
    }
    if (const SettingsNode* permissions = root.find("permissions")) {
      for (const std::string_view key : {"allow", "deny", "ask", "additionalDirectories"}) {
        if (const SettingsNode* rules = permissions->find(key)) {
          want(*rules, SettingsKind::array, "permissions." + std::string(key));
        }
      }
      if (const SettingsNode* mode = permissions->find("defaultMode")) {
        want(*mode, SettingsKind::string, "permissions.defaultMode");
      }
    }
    const SettingsNode* line = root.find("statusLine");
    if (line != nullptr && line->is(SettingsKind::object) &&
        (line->string_at("type").empty() || line->string_at("command").empty())) {
      add(*line, R"("statusLine" has no "type" and "command")", "Write both, or remove it.");
    }
    if (const SettingsNode* plugins = root.find("enabledPlugins")) {
      for (const SettingsMember& plugin : plugins->members) {
        if (!plugin.value.is(SettingsKind::boolean) && !plugin.value.is(SettingsKind::array)) {
          add(plugin.value, "a value of \"enabledPlugins\" is neither true nor false",
              "Write true or false.");
        }
      }
    }
  }

  void version(const SettingsNode& root) {
    const SettingsNode* version = root.find("version");
    const bool required = client_ == Client::cursor;
    if (version == nullptr ? required : version->number() != 1.0) {
      add(version == nullptr ? root : *version, "\"version\" is not 1", "Write \"version\": 1.");
    }
  }

  [[nodiscard]] std::vector<VoidFault> take() { return std::move(faults_); }

 private:
  void add(const SettingsNode& node, std::string what, std::string remedy) {
    faults_.push_back({node.begin, std::move(what), std::move(remedy)});
  }

  void want(const SettingsNode& node, SettingsKind kind, std::string_view key) {
    if (!node.is(kind)) {
      add(node, "\"" + std::string(key) + "\" is " + std::string(words_for(node.kind)),
          "Make it " + std::string(words_for(kind)) + ", or remove it.");
    }
  }

  void goose_group(const SettingsNode& group) {
    on_failure(group);
    if (const SettingsNode* hooks = group.find("hooks")) {
      for (const SettingsNode& entry : hooks->elements) {
        on_failure(entry);
      }
    }
  }

  void on_failure(const SettingsNode& node) {
    const SettingsNode* value = node.find("on_failure");
    if (value != nullptr && value->text != "allow" && value->text != "block") {
      add(*value, "\"on_failure\" is neither allow nor block", "Write allow or block.");
    }
  }

  void strict_group(const std::string& event, const SettingsNode& group) {
    const std::string where = " of " + event;
    if (!group.is(SettingsKind::object)) {
      add(group, "an item" + where + " is no object", "Write {\"hooks\": [...]}.");
      return;
    }
    const SettingsNode* hooks = group.find("hooks");
    const bool must_have = client_ == Client::claude;
    if (hooks == nullptr ? must_have : !hooks->is(SettingsKind::array)) {
      add(hooks == nullptr ? group : *hooks, "a group" + where + " has no list \"hooks\"",
          R"(Write {"hooks": [{"type": "command", "command": ...}]}.)");
      return;
    }
    const SettingsNode* matcher = group.find("matcher");
    const bool null_matcher =
        matcher != nullptr && matcher->is(SettingsKind::null) && client_ == Client::codex;
    if (matcher != nullptr && !matcher->is(SettingsKind::string) && !null_matcher) {
      add(*matcher, "a matcher" + where + " is no string",
          "Write a string, or remove the matcher.");
    }
    if (hooks != nullptr) {
      for (const SettingsNode& entry : hooks->elements) {
        strict_entry(where, entry);
      }
    }
  }

  void strict_entry(const std::string& where, const SettingsNode& entry) {
    if (!entry.is(SettingsKind::object)) {
      add(entry, "an entry" + where + " is no object", "Write an object.");
      return;
    }
    const SettingsNode* type = entry.find("type");
    if (type == nullptr || !is_hook_type(client_, type->text)) {
      add(type == nullptr ? entry : *type,
          std::string(type == nullptr ? "an entry" + where + " has no \"type\""
                                      : "an entry" + where + " has an unknown \"type\""),
          R"(Write "type": "command".)");
      return;
    }
    const std::string_view needed = type->text == "command" ? "command"
                                    : type->text == "http"  ? "url"
                                                            : "";
    const SettingsNode* command = entry.find(needed);
    if (!needed.empty() && (command == nullptr || !command->is(SettingsKind::string))) {
      add(entry, "an entry" + where + " has no \"" + std::string(needed) + "\" that is a string",
          "Write one string there.");
    }
    timeout(where, entry);
  }

  // Codex: whole seconds or null. Claude Code: a number above 0.
  void timeout(const std::string& where, const SettingsNode& entry) {
    const SettingsNode* timeout = entry.find("timeout");
    if (timeout == nullptr || (client_ == Client::codex && timeout->is(SettingsKind::null))) {
      return;
    }
    const bool whole = timeout->is(SettingsKind::number) &&
                       timeout->text.find_first_not_of("0123456789") == std::string::npos;
    const bool positive = timeout->number().value_or(0.0) > 0.0;
    if (client_ == Client::codex ? !whole : !positive) {
      add(*timeout, "the timeout of an entry" + where + " is no number of seconds",
          "Write \"timeout\": 20.");
    }
  }

  Client client_;
  std::vector<VoidFault> faults_;
};

}  // namespace

std::vector<VoidFault> void_faults_of_event(Client client, const SettingsMember& event) {
  Checker checker(client);
  checker.event(event);
  return checker.take();
}

std::vector<VoidFault> void_faults_of_root(Client client, const SettingsNode& root) {
  Checker checker(client);
  if (client == Client::claude) {
    checker.claude_root(root);
  } else if (client == Client::cursor || client == Client::copilot) {
    checker.version(root);
  }
  return checker.take();
}

bool is_hook_type(Client client, std::string_view type) {
  switch (client) {
    case Client::claude:
      return contains({"command", "http", "prompt", "agent", "mcp_tool"}, type);
    case Client::codex:
      return contains({"command", "prompt", "agent"}, type);
    case Client::copilot:
      return contains({"command", "http", "prompt"}, type);
    case Client::cursor:
      return contains({"command", "prompt"}, type);
    case Client::gemini:
    case Client::goose:
      break;
  }
  return type == "command";
}

// Codex 0.171.
bool is_codex_event(std::string_view name) {
  return contains({"PreToolUse", "PermissionRequest", "PostToolUse", "PreCompact", "PostCompact",
                   "SessionStart", "SessionEnd", "UserPromptSubmit", "SubagentStart",
                   "SubagentStop", "Interrupt", "Stop"},
                  name);
}

// One unknown name and Cursor drops the file.
bool is_cursor_event(std::string_view name) {
  return contains({"sessionStart",        "sessionEnd",         "beforeSubmitPrompt",
                   "preToolUse",          "postToolUse",        "postToolUseFailure",
                   "subagentStart",       "subagentStop",       "beforeShellExecution",
                   "afterShellExecution", "beforeMCPExecution", "afterMCPExecution",
                   "beforeReadFile",      "afterFileEdit",      "afterAgentResponse",
                   "afterAgentThought",   "preCompact",         "stop",
                   "beforeTabFileRead",   "afterTabFileEdit"},
                  name);
}

}  // namespace robot_council::harness
