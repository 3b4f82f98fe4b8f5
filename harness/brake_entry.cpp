#include "harness/brake_entry.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/json.hpp"
#include "base/json_value.hpp"
#include "harness/brake_toml.hpp"
#include "harness/settings_json.hpp"

namespace robot_council::harness {
namespace {

using base::Error;
using base::Result;

constexpr std::string_view kName = "robot-council-brake";

base::Error invalid(std::string what) {
  return Error{base::Errc::invalid, std::move(what)};
}

// One event's place in the file: containers by key, the array last; and what stands in the array.
struct Slot {
  std::vector<std::string> path;
  std::string element;
};

std::string hook_object(const BrakeClient& client) {
  const std::string command = base::quote_json(brake_command(client.id));
  if (client.entry == BrakeEntry::actions) {
    return "{\"command\":" + command + "}";
  }
  if (client.id == "cursor") {
    return "{\"command\":" + command + R"(,"timeout":10,"failClosed":true})";
  }
  if (client.id == "vscode_copilot") {
    return R"({"type":"command","bash":)" + command + ",\"command\":" + command +
           R"(,"timeout":10,"timeoutSec":10})";
  }
  if (client.id == "gemini_cli" || client.id == "tabnine") {
    return R"({"type":"command","name":")" + std::string(kName) + R"(","command":)" + command +
           ",\"timeout\":10000}";
  }
  const std::string failure = client.id == "goose" ? R"(,"on_failure":"block")" : "";
  return R"({"type":"command","command":)" + command + ",\"timeout\":10" + failure + "}";
}

std::vector<Slot> slots_of(const BrakeClient& client) {
  const std::string hook = hook_object(client);
  const std::string group = "{\"hooks\":[" + hook + "]}";
  const std::string event =
      client.id == "gemini_cli" || client.id == "tabnine" ? "BeforeTool" : "PreToolUse";
  switch (client.entry) {
    case BrakeEntry::bare_groups:
      return {{{event}, group}};
    case BrakeEntry::named:
      return {{{std::string(kName), event}, group}};
    case BrakeEntry::flat:
      return {{{"hooks", "preToolUse"}, hook}};
    case BrakeEntry::actions:
      return {{{"hooks", "pre_read_code"}, hook},
              {{"hooks", "pre_write_code"}, hook},
              {{"hooks", "pre_run_command"}, hook},
              {{"hooks", "pre_mcp_tool_use"}, hook}};
    case BrakeEntry::groups:
    case BrakeEntry::toml_block:
      break;
  }
  return {{{"hooks", event}, group}};
}

Result<SettingsDocument> read_strictly(std::string_view text) {
  SettingsDocument document = read_settings(text);
  if (document.encoding != SettingsEncoding::utf8) {
    return invalid("it begins with a byte order mark, or is no UTF-8");
  }
  if (document.blank) {
    return invalid("it is empty");
  }
  if (const auto error = strict_error(document, Comments::refused, TrailingCommas::refused)) {
    return invalid(describe_error(document, *error));
  }
  if (document.bad_utf8) {
    return invalid(describe_error(document, {*document.bad_utf8, "no UTF-8"}));
  }
  if (!document.root.is(SettingsKind::object)) {
    return invalid("it is no JSON object");
  }
  return document;
}

std::string spliced(std::string_view text, std::size_t begin, std::size_t end,
                    std::string_view by) {
  return std::string(text.substr(0, begin)).append(by).append(text.substr(end));
}

bool is_hook_of_ours(const SettingsNode& node) {
  return node.string_at("command").find(kBrakeEntryMark) != std::string::npos ||
         node.string_at("bash").find(kBrakeEntryMark) != std::string::npos;
}

// An element of the event's array that holds a hook of ours: itself, or in its list.
bool is_ours(const SettingsNode& element) {
  if (is_hook_of_ours(element)) {
    return true;
  }
  const SettingsNode* const hooks = element.find("hooks");
  return hooks != nullptr &&
         std::any_of(hooks->elements.begin(), hooks->elements.end(), is_hook_of_ours);
}

// Nothing but our hook is in the element.
bool is_ours_alone(const SettingsNode& element) {
  const SettingsNode* const hooks = element.find("hooks");
  return hooks == nullptr || hooks->elements.size() == 1;
}

bool same_json(std::string_view a, std::string_view b) {
  const Result<base::Json> left = base::parse_bounded(a, a.size());
  const Result<base::Json> right = base::parse_bounded(b, b.size());
  return left.ok() && right.ok() && left.value() == right.value();
}

// White space from the line's beginning to `at` when nothing else stands there, with its line
// break; else "".
std::string line_indent(std::string_view text, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) {
    --begin;
  }
  if (begin == 0 || text[begin - 1] != '\n') {
    return {};
  }
  const bool carriage_return = begin > 1 && text[begin - 2] == '\r';
  return (carriage_return ? "\r\n" : "\n") + std::string(text.substr(begin, at - begin));
}

std::string after_last(std::string_view text, std::size_t last_begin) {
  const std::string indent = line_indent(text, last_begin);
  return "," + (indent.empty() ? std::string(" ") : indent);
}

// The containers that are missing, around the element. Written with a blank after each colon, which
// tells them from a container that was there: unwiring takes back only what it can make again byte
// for byte.
std::string containers(const std::vector<std::string>& path, std::size_t from,
                       const std::string& element) {
  std::string text;
  for (std::size_t at = from; at < path.size(); ++at) {
    text += (at == from ? "" : "{") + base::quote_json(path[at]) + ": ";
  }
  text += "[" + element + "]";
  return text + std::string(path.size() - from - 1, '}');
}

Result<const SettingsNode*> find_array(const SettingsDocument& document, const Slot& slot,
                                       std::size_t* missing_from, const SettingsNode** parent) {
  const SettingsNode* node = &document.root;
  for (std::size_t at = 0; at < slot.path.size(); ++at) {
    const std::string& key = slot.path[at];
    if (!node->is(SettingsKind::object)) {
      return invalid("\"" + slot.path[at - 1] + "\" in it is no object");
    }
    if (node->count(key) > 1) {
      return invalid("\"" + key + "\" is in it twice");
    }
    *parent = node;
    const SettingsNode* const next = node->find(key);
    if (next == nullptr) {
      *missing_from = at;
      return static_cast<const SettingsNode*>(nullptr);
    }
    node = next;
  }
  if (!node->is(SettingsKind::array)) {
    return invalid("\"" + slot.path.back() + "\" in it is no list");
  }
  return node;
}

std::string insert_member(std::string_view text, const SettingsNode& object,
                          const std::string& member) {
  if (object.members.empty()) {
    return spliced(text, object.begin + 1, object.begin + 1, member);
  }
  const SettingsMember& last = object.members.back();
  return spliced(text, last.value.end, last.value.end, after_last(text, last.key_begin) + member);
}

std::string append_element(std::string_view text, const SettingsNode& array,
                           const std::string& element) {
  if (array.elements.empty()) {
    return spliced(text, array.begin + 1, array.begin + 1, element);
  }
  const SettingsNode& last = array.elements.back();
  return spliced(text, last.end, last.end, after_last(text, last.begin) + element);
}

// Takes [begin, end) of item `at` out of a list of spans, with the comma that belongs to it.
struct Span {
  std::size_t begin;
  std::size_t end;
};
std::string without_item(std::string_view text, const std::vector<Span>& items, std::size_t at) {
  if (at > 0) {
    return spliced(text, items[at - 1].end, items[at].end, "");
  }
  return spliced(text, items[at].begin, items.size() > 1 ? items[1].begin : items[at].end, "");
}

std::string without_element(std::string_view text, const SettingsNode& array, std::size_t at) {
  std::vector<Span> spans;
  for (const SettingsNode& element : array.elements) {
    spans.push_back({element.begin, element.end});
  }
  return without_item(text, spans, at);
}

std::string without_member(std::string_view text, const SettingsNode& object,
                           std::string_view key) {
  std::vector<Span> spans;
  std::size_t at = 0;
  for (const SettingsMember& member : object.members) {
    if (member.key == key) {
      at = spans.size();
    }
    spans.push_back({member.key_begin, member.value.end});
  }
  return without_item(text, spans, at);
}

// Takes our hook out of the element `at`: the element itself, or only the hook when foreign ones
// share it.
std::string without_ours(std::string_view text, const SettingsNode& array, std::size_t at) {
  const SettingsNode& element = array.elements[at];
  if (is_hook_of_ours(element) || is_ours_alone(element)) {
    return without_element(text, array, at);
  }
  const SettingsNode* const hooks = element.find("hooks");
  for (std::size_t hook = 0; hook < hooks->elements.size(); ++hook) {
    if (is_hook_of_ours(hooks->elements[hook])) {
      return without_element(text, *hooks, hook);
    }
  }
  return std::string(text);
}

std::vector<std::size_t> ours_in(const SettingsNode& array) {
  std::vector<std::size_t> found;
  for (std::size_t at = 0; at < array.elements.size(); ++at) {
    if (is_ours(array.elements[at])) {
      found.push_back(at);
    }
  }
  return found;
}

// Our element of the array becomes exactly `slot.element`; in a group shared with foreign hooks
// only our hook does.
std::string corrected(std::string_view text, const SettingsNode& element, const Slot& slot,
                      const BrakeClient& client) {
  if (is_hook_of_ours(element) || is_ours_alone(element)) {
    const bool right =
        same_json(text.substr(element.begin, element.end - element.begin), slot.element);
    return right ? std::string(text) : spliced(text, element.begin, element.end, slot.element);
  }
  const std::string hook = hook_object(client);
  for (const SettingsNode& candidate : element.find("hooks")->elements) {
    if (is_hook_of_ours(candidate)) {
      const bool right =
          same_json(text.substr(candidate.begin, candidate.end - candidate.begin), hook);
      return right ? std::string(text) : spliced(text, candidate.begin, candidate.end, hook);
    }
  }
  return std::string(text);
}

Result<std::string> wire_slot(const BrakeClient& client, const Slot& slot, std::string text) {
  while (true) {
    const Result<SettingsDocument> document = read_strictly(text);
    if (!document.ok()) {
      return document.error();
    }
    std::size_t missing_from = 0;
    const SettingsNode* parent = nullptr;
    const Result<const SettingsNode*> array =
        find_array(document.value(), slot, &missing_from, &parent);
    if (!array.ok()) {
      return array.error();
    }
    if (array.value() == nullptr) {
      return insert_member(text, *parent, containers(slot.path, missing_from, slot.element));
    }
    const std::vector<std::size_t> ours = ours_in(*array.value());
    if (ours.empty()) {
      return append_element(text, *array.value(), slot.element);
    }
    if (ours.size() == 1) {
      return corrected(text, array.value()->elements[ours.front()], slot, client);
    }
    text = without_ours(text, *array.value(), ours.back());
  }
}

Result<std::string> wire_all(const BrakeClient& client, std::string text) {
  for (const Slot& slot : slots_of(client)) {
    Result<std::string> wired = wire_slot(client, slot, std::move(text));
    if (!wired.ok()) {
      return wired;
    }
    text = std::move(wired).value();
  }
  return text;
}

// Takes our elements out of one slot. Containers that are empty then go too, at most `levels` of
// them.
Result<std::string> unwire_slot(const Slot& slot, std::string text, std::size_t levels) {
  bool removed = false;
  while (true) {
    const Result<SettingsDocument> document = read_strictly(text);
    if (!document.ok()) {
      return document.error();
    }
    std::size_t missing_from = 0;
    const SettingsNode* parent = nullptr;
    const Result<const SettingsNode*> array =
        find_array(document.value(), slot, &missing_from, &parent);
    if (!array.ok()) {
      return array.error();
    }
    if (array.value() == nullptr) {
      return text;
    }
    const std::vector<std::size_t> ours = ours_in(*array.value());
    if (!ours.empty()) {
      text = without_ours(text, *array.value(), ours.back());
      removed = true;
      continue;
    }
    if (!removed || !array.value()->elements.empty() || levels == 0) {
      return text;
    }
    break;
  }
  for (std::size_t level = 0; level < std::min(levels, slot.path.size()); ++level) {
    const Result<SettingsDocument> document = read_strictly(text);
    if (!document.ok()) {
      return document.error();
    }
    const SettingsNode* parent = &document.value().root;
    for (std::size_t at = 0; at + 1 + level < slot.path.size(); ++at) {
      parent = parent->find(slot.path[at]);
    }
    const std::string& key = slot.path[slot.path.size() - 1 - level];
    const SettingsNode* const container = parent->find(key);
    if (!container->members.empty() || !container->elements.empty()) {
      break;
    }
    text = without_member(text, *parent, key);
  }
  return text;
}

Result<std::string> unwire_all(const BrakeClient& client, std::string text, std::size_t levels) {
  std::vector<Slot> slots = slots_of(client);
  std::reverse(slots.begin(), slots.end());
  for (const Slot& slot : slots) {
    Result<std::string> unwired = unwire_slot(slot, std::move(text), levels);
    if (!unwired.ok()) {
      return unwired;
    }
    text = std::move(unwired).value();
  }
  return text;
}

// Nothing is left but the version that a fresh file has.
bool holds_nothing(std::string_view text) {
  const SettingsDocument document = read_settings(text);
  return document.has_root() &&
         std::all_of(document.root.members.begin(), document.root.members.end(),
                     [](const SettingsMember& member) { return member.key == "version"; });
}

Result<BrakeEdit> unwire_json(const BrakeClient& client, std::string_view text) {
  BrakeEdit edit;
  if (text == fresh_brake_file(client)) {
    edit.changed = true;
    edit.only_ours = true;
    return edit;
  }
  // The state from which wiring makes this very text; the most containers removed first.
  constexpr std::size_t kLevels = 2;
  for (std::size_t removed = 0; removed <= kLevels; ++removed) {
    const Result<std::string> before = unwire_all(client, std::string(text), kLevels - removed);
    if (!before.ok()) {
      return before.error();
    }
    const Result<std::string> again = wire_all(client, before.value());
    if (again.ok() && again.value() == text) {
      edit.text = before.value();
      edit.changed = edit.text != text;
      return edit;
    }
  }
  const Result<std::string> pruned = unwire_all(client, std::string(text), kLevels);
  if (!pruned.ok()) {
    return pruned.error();
  }
  edit.text = pruned.value();
  edit.changed = edit.text != text;
  edit.only_ours = edit.changed && holds_nothing(edit.text);
  return edit;
}

}  // namespace

std::string fresh_brake_file(const BrakeClient& client, const BrakeEntryOptions& options) {
  if (client.entry == BrakeEntry::toml_block) {
    return brake_toml_block(brake_command(client.id), options.old_vibe);
  }
  const std::vector<Slot> slots = slots_of(client);
  std::string events;
  for (const Slot& slot : slots) {
    events += (events.empty() ? "" : ",") + base::quote_json(slot.path.back()) + ":[" +
              slot.element + "]";
  }
  const std::vector<std::string>& path = slots.front().path;
  std::string text = "{" + events + "}";
  if (path.size() > 1) {
    text = base::quote_json(path.front()) + ":" + text;
    text = (client.entry == BrakeEntry::flat ? "{\"version\":1," : "{") + text + "}";
  }
  return text + "\n";
}

Result<BrakeEdit> wire_brake_entry(const BrakeClient& client, std::string_view text,
                                   const BrakeEntryOptions& options) {
  if (client.entry == BrakeEntry::toml_block) {
    return wire_brake_toml(text, brake_toml_block(brake_command(client.id), options.old_vibe));
  }
  Result<std::string> wired = wire_all(client, std::string(text));
  if (!wired.ok()) {
    return wired.error();
  }
  BrakeEdit edit{std::move(wired).value(), false, false};
  edit.changed = edit.text != text;
  return edit;
}

Result<BrakeEdit> unwire_brake_entry(const BrakeClient& client, std::string_view text,
                                     const BrakeEntryOptions& /*options*/) {
  return client.entry == BrakeEntry::toml_block ? unwire_brake_toml(text)
                                                : unwire_json(client, text);
}

BrakeClient droid_hooks_file(const BrakeClient& droid, std::string_view text) {
  BrakeClient client = droid;
  const SettingsDocument document = read_settings(text);
  if (document.has_root() && document.root.find("hooks") == nullptr) {
    client.entry = BrakeEntry::bare_groups;
  }
  return client;
}

}  // namespace robot_council::harness
