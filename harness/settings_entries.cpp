#include "harness/settings_entries.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "harness/settings_limits.hpp"
#include "harness/settings_strict.hpp"

namespace robot_council::harness {

namespace {

using Names = std::vector<std::string_view>;

bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const Names& claude_events() {
  static const Names events = {
      "PreToolUse",   "PostToolUse", "PostToolUseFailure", "PermissionRequest", "Notification",
      "Stop",         "StopFailure", "SubagentStart",      "SubagentStop",      "UserPromptSubmit",
      "SessionStart", "SessionEnd",  "PreCompact",         "PostCompact"};
  return events;
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

bool flat_form(Client client) {
  return client == Client::cursor || client == Client::copilot;
}

class EventsReader {
 public:
  EventsReader(Client client, HookFileKind kind, const SettingsDocument& document)
      : client_(client), kind_(kind), document_(document) {}

  EventsRead read(const SettingsNode& events) {
    for (const SettingsMember& member : events.members) {
      // Of equal keys the last one counts.
      if (events.find_member(member.key) == &member) {
        event(member);
      } else if (client_ == Client::codex && is_codex_event(member.key)) {
        refuse_file(member.key_begin, "\"" + quoted_text(member.key) + R"(" is there twice)",
                    "Keep one of the two.");
      }
    }
    return std::move(read_);
  }

 private:
  [[nodiscard]] std::string title() const { return std::string(client_title(client_)); }
  [[nodiscard]] std::size_t line_of(std::size_t offset) const {
    return settings_place(document_.text, offset).line;
  }

  void add(std::string_view rule, std::size_t offset, std::string text, std::string remedy,
           FaultSeverity severity = FaultSeverity::error) {
    const SettingsPlace place = settings_place(document_.text, offset);
    read_.faults.push_back({severity, std::string(rule), place.line, std::move(text),
                            std::move(remedy), place.column});
  }
  void refuse_file(std::size_t offset, const std::string& why, std::string remedy) {
    add("void", offset, why + "; " + title() + " drops the whole file.", std::move(remedy));
    read_.voids_file = true;
  }

  void event(const SettingsMember& member) {
    if (client_ == Client::cursor && !is_cursor_event(member.key)) {
      refuse_file(member.key_begin, "\"" + quoted_text(member.key) + R"(" is no event of Cursor)",
                  "Remove that event.");
      return;
    }
    const bool at_stop = is_stop_event(client_, member.key);
    if (!at_stop && client_ != Client::cursor && looks_like_stop(member.key)) {
      add("shape", member.key_begin,
          "\"" + quoted_text(member.key) + R"(" is no event of )" + title() +
              ", so nothing below it runs.",
          "Name the event " + std::string(stop_event_name(client_)) + ".");
      return;
    }
    const std::vector<VoidFault> voids = void_faults_of_event(client_, member);
    for (const VoidFault& fault : voids) {
      refuse_file(fault.offset, fault.what, fault.remedy);
    }
    // Gemini CLI takes one group in place of a list.
    const bool one_group = client_ == Client::gemini && member.value.is(SettingsKind::object);
    if (one_group && at_stop) {
      read_group(member.key, at_stop, member.value, 0);
    }
    if (!member.value.is(SettingsKind::array) && !one_group) {
      if (at_stop && voids.empty()) {
        add("shape", member.value.begin,
            "\"" + quoted_text(member.key) + R"(" is no list, so no hook of it runs.)",
            "Write a list there: [...].");
      }
      return;
    }
    if (at_stop || is_wake_event(client_, member.key)) {
      std::size_t index = 0;
      for (const SettingsNode& group : member.value.elements) {
        read_group(member.key, at_stop, group, index++);
      }
    }
  }

  void read_group(const std::string& event, bool at_stop, const SettingsNode& group,
                  std::size_t index) {
    if (!group.is(SettingsKind::object)) {
      shape_of_item(group.begin,
                    R"(an item of ")" + event + R"(" is no object, so it does not run.)",
                    "Write an object.");
      return;
    }
    const SettingsNode* hooks = group.find("hooks");
    if (hooks == nullptr && flat_form(client_)) {
      read_entry(event, at_stop, group, {index, 0});
      return;
    }
    if (hooks == nullptr) {
      add("shape", group.begin,
          R"(the flat form, an entry without an inner "hooks" list, is not run by )" + title() +
              ".",
          R"(Write {"hooks": [{"type": "command", "command": ...}]}.)");
      return;
    }
    if (!hooks->is(SettingsKind::array)) {
      add("shape", hooks->begin, R"("hooks" of this group is no list, so nothing of it runs.)",
          "Write a list there: [...].");
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
      add("shape", matcher->begin,
          R"(the matcher "*" is no pattern that goose takes, so the group does not run.)",
          "Remove the matcher.");
      return false;
    }
    if (client_ != Client::claude || matcher->is(SettingsKind::string)) {
      return true;
    }
    const bool list = matcher->is(SettingsKind::array);
    add("shape", matcher->begin,
        list ? "the matcher is a list: Claude Code drops this group, versions before 2.1.122 the "
               "whole file."
             : "the matcher is no string: Claude Code drops this group, versions before 2.1.122 "
               "the whole file.",
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

  void read_entry(const std::string& event, bool at_stop, const SettingsNode& node,
                  Position position) {
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
    if (!args_ok(node) || !type_ok(node, entry) ||
        (entry.type == "command" && !has_command && !command_missing(node)) ||
        !timeout_ok(node, entry) || !runs_at_stop(node, entry)) {
      entry.accepted = false;
    }
    hash_keys(node, entry);
    unknown_keys(node);
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

  bool args_ok(const SettingsNode& node) {
    const SettingsNode* args = client_ == Client::claude ? node.find("args") : nullptr;
    const bool good = args == nullptr ||
                      (args->is(SettingsKind::array) &&
                       std::all_of(args->elements.begin(), args->elements.end(),
                                   [](const auto& word) { return word.is(SettingsKind::string); }));
    if (!good) {
      shape_of_item(args->begin, R"("args" is no list of strings, so Claude Code drops the entry.)",
                    "Write strings there.");
    }
    return good;
  }

  bool type_ok(const SettingsNode& node, HookEntry& entry) {
    const SettingsNode* type = node.find("type");
    const bool optional =
        client_ == Client::goose || client_ == Client::copilot || client_ == Client::cursor;
    if (type == nullptr && optional) {
      entry.type = "command";
      return true;
    }
    if (type == nullptr) {
      shape_of_item(node.begin, R"(the entry has no "type", so it does not run.)",
                    R"(Add "type": "command".)");
      return false;
    }
    entry.type = type->text;
    if (!type->is(SettingsKind::string) || !is_hook_type(client_, type->text)) {
      shape_of_item(type->begin,
                    R"(the entry's "type" is not one )" + title() + " knows, so it does not run.",
                    R"(Write "type": "command".)");
      return false;
    }
    return true;
  }

  // There is no command text to run; says why. Always false, for the chain of checks.
  bool command_missing(const SettingsNode& node) {
    const std::string_view key =
        client_ == Client::copilot && node.find("command") == nullptr ? "bash" : "command";
    const SettingsNode* command = node.find(key);
    std::string text = R"(the entry has no ")" + std::string(key) + R"(", so nothing runs.)";
    if (command != nullptr) {
      text = command->is(SettingsKind::string)
                 ? "the entry's command is blank, so nothing runs."
                 : "the entry's command is no string, so nothing runs.";
    } else if (client_ == Client::copilot && node.find("powershell") != nullptr) {
      return true;
    }
    shape_of_item(command == nullptr ? node.begin : command->begin, std::move(text),
                  "Write the command as one string.");
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
    if (client_ == Client::claude && timeout != nullptr &&
        (!entry.timeout || *entry.timeout <= 0.0)) {
      shape_of_item(timeout->begin,
                    "the timeout is not a number above 0, so Claude Code drops the entry.",
                    R"(Write seconds, such as "timeout": 20.)");
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
      shape_of_item(node.find_member("if")->key_begin,
                    R"(an entry with "if" does not run at Stop.)", R"(Remove "if".)");
      return false;
    }
    if ((entry.async || entry.async_rewake) && entry.command.delivers()) {
      const std::string_view key = entry.async ? "async" : "asyncRewake";
      shape_of_item(node.find_member(key)->key_begin,
                    R"(the entry runs in the background (")" + std::string(key) +
                        R"("), so what it answers at Stop reaches nobody.)",
                    R"(Remove ")" + std::string(key) + R"(" from it.)");
      return false;
    }
    return true;
  }

  // Said of Cursor only: what it does with a key that it does not know is not proven, and it drops
  // whole files for less.
  void unknown_keys(const SettingsNode& node) {
    static const Names known = {"type",    "command",    "prompt",     "model",
                                "timeout", "loop_limit", "failClosed", "matcher"};
    for (const SettingsMember& member : node.members) {
      if (client_ == Client::cursor && !contains(known, member.key)) {
        add("unknown-key", member.key_begin,
            "\"" + quoted_text(member.key) +
                R"(" is no key of a Cursor hook; what Cursor does )"
                "with the entry is not proven.",
            "Remove it.", FaultSeverity::warning);
      }
    }
  }

  void hash_keys(const SettingsNode& node, HookEntry& entry) {
    static const Names hashed = {"type", "command", "timeout", "async", "statusMessage"};
    entry.hash_known =
        std::all_of(node.members.begin(), node.members.end(),
                    [](const SettingsMember& member) { return contains(hashed, member.key); });
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

EventsRead read_events(Client client, HookFileKind kind, const SettingsDocument& document,
                       const SettingsNode& events) {
  return EventsReader(client, kind, document).read(events);
}

bool is_event_key(Client client, std::string_view key) {
  return client == Client::cursor ? is_cursor_event(key) || looks_like_stop(key)
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
