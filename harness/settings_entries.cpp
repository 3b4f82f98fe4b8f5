#include "harness/settings_entries.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "harness/settings_limits.hpp"

namespace robot_council::harness {

namespace {

using Names = std::vector<std::string_view>;

bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const Names& claude_events() {
  static const Names kEvents = {
      "PreToolUse",   "PostToolUse",      "PostToolUseFailure", "PermissionRequest", "Notification",
      "Stop",         "StopFailure",      "SubagentStart",      "SubagentStop",      "UserPromptSubmit",
      "SessionStart", "SessionEnd",       "PreCompact",         "PostCompact"};
  return kEvents;
}

// One unknown name here and Cursor drops the file.
const Names& cursor_events() {
  static const Names kEvents = {
      "sessionStart",        "sessionEnd",          "beforeSubmitPrompt", "preToolUse",
      "postToolUse",         "postToolUseFailure",  "subagentStart",      "subagentStop",
      "beforeShellExecution", "afterShellExecution", "beforeMCPExecution", "afterMCPExecution",
      "beforeReadFile",      "afterFileEdit",       "afterAgentResponse", "afterAgentThought",
      "preCompact",          "stop",                "beforeTabFileRead",  "afterTabFileEdit"};
  return kEvents;
}

// Events that Codex 0.171 knows: it reads their lists strictly and ignores all others.
const Names& codex_events() {
  static const Names kEvents = {"PreToolUse",   "PermissionRequest", "PostToolUse", "PreCompact",
                                "PostCompact",  "SessionStart",      "SessionEnd",  "UserPromptSubmit",
                                "SubagentStart", "SubagentStop",     "Interrupt",   "Stop"};
  return kEvents;
}

// The spellings of the stop event in all clients, in lower case.
bool looks_like_stop(std::string_view event) {
  const std::string lower = base::to_lower_ascii(event);
  return lower == "stop" || lower == "agentstop" || lower == "afteragent";
}

bool is_stop_event(Client client, std::string_view event) {
  return event == stop_event_name(client) || (client == Client::copilot && event == "Stop");
}

bool is_wake_event(Client client, std::string_view event) {
  return client == Client::claude && (event == "SessionStart" || event == "UserPromptSubmit");
}

bool known_type(Client client, std::string_view type) {
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

bool flat_form(Client client) { return client == Client::cursor || client == Client::copilot; }

class EventsReader {
 public:
  EventsReader(Client client, HookFileKind kind, const SettingsDocument& document)
      : client_(client), kind_(kind), document_(document) {}

  EventsRead read(const SettingsNode& events) {
    for (const SettingsMember& member : events.members) {
      // Of equal keys the last one counts.
      if (events.find_member(member.key) == &member) {
        event(member);
      } else if (client_ == Client::codex && contains(codex_events(), member.key)) {
        refuse_file(member.key_begin, "\"" + quoted_text(member.key) + "\" is there twice", "Keep one of the two.");
      }
    }
    return std::move(read_);
  }

 private:
  [[nodiscard]] std::string title() const { return std::string(client_title(client_)); }
  [[nodiscard]] std::size_t line_of(std::size_t offset) const { return settings_place(document_.text, offset).line; }

  void add(std::string_view rule, std::size_t offset, std::string text, std::string remedy) {
    read_.faults.push_back(
        {FaultSeverity::error, std::string(rule), line_of(offset), std::move(text), std::move(remedy)});
  }
  void refuse_file(std::size_t offset, const std::string& why, std::string remedy) {
    add("void", offset, why + "; " + title() + " drops the whole file.", std::move(remedy));
    read_.voids_file = true;
  }

  void event(const SettingsMember& member) {
    if (client_ == Client::cursor && !contains(cursor_events(), member.key)) {
      refuse_file(member.key_begin, "\"" + quoted_text(member.key) + "\" is no event of Cursor", "Remove that event.");
      return;
    }
    const bool at_stop = is_stop_event(client_, member.key);
    if (!at_stop && client_ != Client::cursor && looks_like_stop(member.key)) {
      add("shape", member.key_begin,
          "\"" + quoted_text(member.key) + "\" is no event of " + title() + ", so nothing below it runs.",
          "Name the event " + std::string(stop_event_name(client_)) + ".");
      return;
    }
    if (!member.value.is(SettingsKind::array)) {
      event_of_wrong_type(member, at_stop);
      return;
    }
    check_other_event(member);
    if (at_stop || is_wake_event(client_, member.key)) {
      std::size_t index = 0;
      for (const SettingsNode& group : member.value.elements) {
        read_group(member.key, at_stop, group, index++);
      }
    }
  }

  void event_of_wrong_type(const SettingsMember& member, bool at_stop) {
    const std::string what = "\"" + quoted_text(member.key) + "\" is no list";
    const bool guarded = client_ == Client::claude && (member.key == "PreToolUse" || member.key == "PermissionRequest");
    const bool strict = client_ == Client::codex && contains(codex_events(), member.key);
    if (guarded || strict || client_ == Client::copilot) {
      refuse_file(member.value.begin, what, "Write a list of groups there.");
    } else if (at_stop) {
      add("shape", member.value.begin, what + ", so no hook of it runs.", "Write a list there: [...].");
    }
  }

  // Faults of other events that cost the whole file, and with it the stop hook.
  void check_other_event(const SettingsMember& member) {
    const bool guarded = client_ == Client::claude && (member.key == "PreToolUse" || member.key == "PermissionRequest");
    const bool strict = client_ == Client::codex && contains(codex_events(), member.key);
    if (!guarded && !strict && client_ != Client::goose) {
      return;
    }
    for (const SettingsNode& group : member.value.elements) {
      if (client_ == Client::goose) {
        check_on_failure(group);
      } else if (strict && !codex_group_ok(group)) {
        continue;
      }
      const SettingsNode* hooks = group.find("hooks");
      if (hooks == nullptr) {
        continue;
      }
      for (const SettingsNode& entry : hooks->elements) {
        if (client_ == Client::goose) {
          check_on_failure(entry);
        } else if (strict) {
          check_codex_entry(entry);
        } else if (entry.find("type") == nullptr) {
          refuse_file(entry.begin, "an entry of " + member.key + " has no \"type\"", "Add \"type\": \"command\" to it.");
        }
      }
    }
  }

  bool codex_group_ok(const SettingsNode& group) {
    const SettingsNode* hooks = group.find("hooks");
    const SettingsNode* matcher = group.find("matcher");
    if (!group.is(SettingsKind::object)) {
      refuse_file(group.begin, "an item of an event is no object", "Write {\"hooks\": [...]}.");
    } else if (hooks != nullptr && !hooks->is(SettingsKind::array)) {
      refuse_file(hooks->begin, "\"hooks\" of a group is no list", "Write a list there: [...].");
    } else if (matcher != nullptr && !matcher->is(SettingsKind::string) && !matcher->is(SettingsKind::null)) {
      refuse_file(matcher->begin, "a matcher is no string", "Write a string, or remove the matcher.");
    } else {
      return true;
    }
    return false;
  }

  void check_on_failure(const SettingsNode& node) {
    const SettingsNode* on_failure = node.find("on_failure");
    if (on_failure != nullptr && on_failure->text != "allow" && on_failure->text != "block") {
      refuse_file(on_failure->begin, "\"on_failure\" is neither allow nor block", "Write allow or block.");
    }
  }

  void check_codex_entry(const SettingsNode& entry) {
    const SettingsNode* type = entry.find("type");
    if (type == nullptr || !type->is(SettingsKind::string) || !known_type(client_, type->text)) {
      refuse_file(entry.begin, type == nullptr ? "an entry has no \"type\"" : "an entry has an unknown \"type\"",
                  "Write \"type\": \"command\".");
    }
    const SettingsNode* command = entry.find("command");
    if (entry.string_at("type") == "command" && (command == nullptr || !command->is(SettingsKind::string))) {
      refuse_file(entry.begin, "an entry has no \"command\" that is a string", "Write the command as one string.");
    }
    const SettingsNode* timeout = entry.find("timeout");
    if (timeout != nullptr && !timeout->is(SettingsKind::null) &&
        (!timeout->is(SettingsKind::number) || timeout->text.find_first_not_of("0123456789") != std::string::npos)) {
      refuse_file(timeout->begin, "\"timeout\" is no whole number of seconds", "Write \"timeout\": 20.");
    }
  }

  void read_group(const std::string& event, bool at_stop, const SettingsNode& group, std::size_t index) {
    if (!group.is(SettingsKind::object)) {
      shape_of_item(group.begin, "an item of \"" + event + "\" is no object, so it does not run.", "Write an object.");
      return;
    }
    const SettingsNode* hooks = group.find("hooks");
    if (hooks == nullptr && flat_form(client_)) {
      read_entry(event, at_stop, group, {index, 0});
      return;
    }
    if (hooks == nullptr) {
      add("shape", group.begin,
          "the flat form, an entry without an inner \"hooks\" list, is not run by " + title() + ".",
          "Write {\"hooks\": [{\"type\": \"command\", \"command\": ...}]}.");
      return;
    }
    if (!hooks->is(SettingsKind::array)) {
      add("shape", hooks->begin, "\"hooks\" of this group is no list, so nothing of it runs.", "Write a list there: [...].");
      return;
    }
    const bool group_kept = matcher_ok(group);
    std::size_t entry_index = 0;
    for (const SettingsNode& entry : hooks->elements) {
      const std::size_t before = read_.entries.size();
      read_entry(event, at_stop, entry, {index, entry_index++});
      if (!group_kept && read_.entries.size() > before) {
        read_.entries.back().accepted = false;
      }
    }
  }

  bool matcher_ok(const SettingsNode& group) {
    const SettingsNode* matcher = group.find("matcher");
    if (matcher == nullptr) {
      return true;
    }
    if (client_ == Client::goose && matcher->text == "*") {
      add("shape", matcher->begin, "the matcher \"*\" is no pattern that goose takes, so the group does not run.",
          "Remove the matcher.");
      return false;
    }
    if (client_ != Client::claude || matcher->is(SettingsKind::string)) {
      return true;
    }
    const bool list = matcher->is(SettingsKind::array);
    add("shape", matcher->begin,
        list ? "the matcher is a list: Claude Code drops this group, versions before 2.1.122 the whole file."
             : "the matcher is no string: Claude Code drops this group, versions before 2.1.122 the whole file.",
        "Write a string, or remove the matcher.");
    return false;
  }

  struct Position {
    std::size_t group = 0;
    std::size_t index = 0;
  };

  void shape_of_item(std::size_t offset, std::string text, std::string remedy) {
    if (client_ == Client::codex && read_.voids_file) {
      return;  // said already: one bad item costs Codex the file
    }
    add("shape", offset, std::move(text), std::move(remedy));
    if (client_ == Client::copilot && kind_ != HookFileKind::hooks_file) {
      refuse_file(offset, "one item is not as Copilot CLI wants it", "Correct that item.");
    }
  }

  void read_entry(const std::string& event, bool at_stop, const SettingsNode& node, Position position) {
    if (!node.is(SettingsKind::object)) {
      shape_of_item(node.begin, "an entry is no object, so it does not run.", "Write an object.");
      return;
    }
    HookEntry entry;
    entry.event = event;
    entry.at_stop = at_stop;
    entry.group = position.group;
    entry.index = position.index;
    entry.line = line_of(node.begin);
    entry.name = node.string_at("name");
    entry.status_message = node.string_at("statusMessage");
    entry.async = node.boolean_at("async").value_or(false);
    entry.async_rewake = node.boolean_at("asyncRewake").value_or(false);
    const bool has_command = read_command_of(node, entry);
    if (!at_stop && entry.command.form != CommandForm::wait) {
      return;
    }
    entry.accepted = true;
    if (!type_ok(node, entry) || (entry.type == "command" && !has_command && !command_missing(node)) ||
        !timeout_ok(node, entry) || !runs_at_stop(node, entry)) {
      entry.accepted = false;
    }
    hash_keys(node, entry);
    read_.entries.push_back(std::move(entry));
  }

  bool read_command_of(const SettingsNode& node, HookEntry& entry) {
    const SettingsNode* command = node.find("command");
    if (client_ == Client::copilot && node.find("bash") != nullptr) {
      command = node.find("bash");
    }
    if (command == nullptr || !command->is(SettingsKind::string) || base::is_blank(command->text)) {
      entry.line_text = node.string_at("url");
      return false;
    }
    entry.line_text = command->text;
    entry.line = line_of(command->begin);
    const SettingsNode* args = client_ == Client::claude ? node.find("args") : nullptr;
    if (args != nullptr && args->is(SettingsKind::array)) {
      std::vector<std::string> words;
      for (const SettingsNode& word : args->elements) {
        words.push_back(word.text);
      }
      entry.exec_form = true;
      entry.command = read_command(command->text, words);
    } else {
      entry.command = read_command(command->text);
    }
    return true;
  }

  bool type_ok(const SettingsNode& node, HookEntry& entry) {
    const SettingsNode* type = node.find("type");
    const bool optional = client_ == Client::goose || client_ == Client::copilot || client_ == Client::cursor;
    if (type == nullptr && optional) {
      entry.type = "command";
      return true;
    }
    if (type == nullptr) {
      shape_of_item(node.begin, "the entry has no \"type\", so it does not run.", "Add \"type\": \"command\".");
      return false;
    }
    entry.type = type->text;
    if (!type->is(SettingsKind::string) || !known_type(client_, type->text)) {
      shape_of_item(type->begin, "the entry's \"type\" is not one " + title() + " knows, so it does not run.",
                    "Write \"type\": \"command\".");
      return false;
    }
    return true;
  }

  // There is no command text to run; says why. Always false, for the chain of checks.
  bool command_missing(const SettingsNode& node) {
    const std::string_view key = client_ == Client::copilot && node.find("command") == nullptr ? "bash" : "command";
    const SettingsNode* command = node.find(key);
    std::string text = "the entry has no \"" + std::string(key) + "\", so nothing runs.";
    if (command != nullptr) {
      text = command->is(SettingsKind::string) ? "the entry's command is blank, so nothing runs."
                                               : "the entry's command is no string, so nothing runs.";
    } else if (client_ == Client::copilot && node.find("powershell") != nullptr) {
      return true;
    }
    shape_of_item(command == nullptr ? node.begin : command->begin, std::move(text), "Write the command as one string.");
    return false;
  }

  bool timeout_ok(const SettingsNode& node, HookEntry& entry) {
    const SettingsNode* timeout = node.find("timeout");
    if (client_ == Client::copilot && node.find("timeoutSec") != nullptr) {
      timeout = node.find("timeoutSec");
    }
    if (timeout != nullptr) {
      entry.timeout = timeout->number();
      if (!entry.timeout && client_ == Client::gemini && timeout->is(SettingsKind::string)) {
        if (const auto digits = base::parse_digits(base::trim(timeout->text))) {
          entry.timeout = static_cast<double>(*digits);
        }
      }
    }
    entry.timeout_ms = timeout_in_ms(client_, entry.timeout);
    if (client_ == Client::claude && timeout != nullptr && (!entry.timeout || *entry.timeout <= 0.0)) {
      shape_of_item(timeout->begin, "the timeout is not a number above 0, so Claude Code drops the entry.",
                    "Write seconds, such as \"timeout\": 20.");
      return false;
    }
    return true;
  }

  // What keeps an entry at the stop event from running or from being heard.
  bool runs_at_stop(const SettingsNode& node, const HookEntry& entry) {
    if (!entry.at_stop) {
      return true;
    }
    if (client_ == Client::claude && node.find("if") != nullptr) {
      shape_of_item(node.find_member("if")->key_begin, "an entry with \"if\" does not run at Stop.", "Remove \"if\".");
      return false;
    }
    if ((entry.async || entry.async_rewake) && entry.command.delivers()) {
      const std::string_view key = entry.async ? "async" : "asyncRewake";
      shape_of_item(node.find_member(key)->key_begin,
                    "the entry runs in the background (\"" + std::string(key) +
                        "\"), so what it answers at Stop reaches nobody.",
                    "Remove \"" + std::string(key) + "\" from it.");
      return false;
    }
    return true;
  }

  void hash_keys(const SettingsNode& node, HookEntry& entry) {
    static const Names kHashed = {"type", "command", "timeout", "async", "statusMessage"};
    entry.hash_known = std::all_of(node.members.begin(), node.members.end(),
                                   [](const SettingsMember& member) { return contains(kHashed, member.key); });
    if (entry.async) {
      entry.hash_known = false;
    }
  }

  Client client_;
  HookFileKind kind_;
  const SettingsDocument& document_;
  EventsRead read_;
};

}  // namespace

EventsRead read_events(Client client, HookFileKind kind, const SettingsDocument& document, const SettingsNode& events) {
  return EventsReader(client, kind, document).read(events);
}

bool is_event_key(Client client, std::string_view key) {
  return client == Client::cursor ? contains(cursor_events(), key) || looks_like_stop(key)
                                  : contains(claude_events(), key) || looks_like_stop(key);
}

std::int64_t timeout_in_ms(Client client, std::optional<double> timeout) {
  if (timeout && *timeout >= 0.0 && *timeout < 1e12) {
    return static_cast<std::int64_t>(client == Client::gemini ? *timeout : *timeout * 1000.0);
  }
  switch (client) {
    case Client::gemini:
      return kDefaultGeminiTimeoutMs;
    case Client::copilot:
    case Client::goose:
      return kDefaultShortTimeoutMs;
    case Client::claude:
    case Client::codex:
    case Client::cursor:
      break;
  }
  return kDefaultTimeoutMs;
}

}  // namespace robot_council::harness
