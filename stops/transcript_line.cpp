#include "stops/transcript_line.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "base/json_scan.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "base/utf8.hpp"
#include "stops/limits.hpp"

namespace robot_council::stops {
namespace {

using View = std::string_view;

// Tags with which the client marks text that no person typed.
constexpr auto kMachineTags = std::to_array<View>({
    "bash-input",
    "bash-stdout",
    "bash-stderr",
    "bash-exit-code",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "command-name",
    "command-message",
    "command-args",
    "tick",
    "task-notification",
    "remote-review",
    "teammate-message",
    "channel",
    "cross-session-message",
    "slack-ping",
    "slack-tag-message",
    "agent-message",
    "fetched-web-content",
    "untrusted-widget-state",
    "coordinator-relay",
    "system-reminder",
    "user-prompt-submit-hook",
    "persisted-output",
    "tool_use_error",
    "ide_opened_file",
    "ide_selection",
});
// How other texts of the client begin.
constexpr auto kMachineStarts = std::to_array<View>({
    "[Request interrupted",
    "[Agent call interrupted:",
    "[Tool call interrupted:",
    "[Tool call did not complete:",
    "[Tool call skipped:",
    "[Tool call result not in this copy:",
    "Stop hook feedback:",
    "This session is being continued from a previous conversation",
});
// Tags that the client puts before a person's own words.
constexpr auto kLeadingTags =
    std::to_array<View>({"system-reminder", "ide_opened_file", "ide_selection"});
// Each of these, set, says that nobody typed the line.
constexpr auto kNotTyped = std::to_array<View>(
    {"isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isVirtual", "turnCompanion",
     "hookText", "textNotTyped", "handedOff", "wakeupSource", "scheduledTaskId"});
constexpr View kPastedOpen = "<pasted_content id=";
constexpr View kPastedClose = "</pasted_content id=";

// One JSON object of validated text, its members looked up by name.
class Object {
 public:
  explicit Object(View json) : members_(base::json_members(json)) {}

  // Bytes of the last member of that name; empty if there is none or it is null.
  [[nodiscard]] View raw(View key) const {
    View found;
    for (const auto& member : members_) {
      if (member.key == key) {
        found = member.value;
      }
    }
    return found == "null" ? View() : found;
  }
  [[nodiscard]] bool has(View key) const { return !raw(key).empty(); }
  // There, and neither false nor empty.
  [[nodiscard]] bool is_set(View key) const {
    const View value = raw(key);
    return !value.empty() && value != "false" && value != "\"\"";
  }
  [[nodiscard]] std::string text(View key) const { return base::json_unescape(raw(key)); }
  [[nodiscard]] Object object(View key) const { return Object(raw(key)); }

 private:
  std::vector<base::JsonMember> members_;
};

bool starts_with(View text, View prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// The text begins with <tag> or <tag ...>.
bool starts_with_tag(View text, View tag) {
  if (text.empty() || text.front() != '<' || !starts_with(text.substr(1), tag)) {
    return false;
  }
  const View rest = text.substr(1 + tag.size());
  return !rest.empty() && (rest.front() == '>' || rest.front() == ' ' || rest.front() == '\n');
}

struct Content {
  std::string text;
  bool attachment = false;
  bool tool_result = false;
};

// A string, or blocks of which the texts count.
Content content_of(View json) {
  Content content;
  if (json.empty()) {
    return content;
  }
  if (base::json_kind(json) == base::JsonKind::string) {
    content.text = base::json_unescape(json);
    return content;
  }
  for (const View block : base::json_elements(json)) {
    const Object fields(block);
    const std::string type = fields.text("type");
    if (type == "text") {
      content.text += content.text.empty() ? "" : "\n";
      content.text += fields.text("text");
    } else if (type == "image" || type == "document") {
      content.attachment = true;
    } else if (type == "tool_result") {
      content.tool_result = true;
    }
  }
  return content;
}

// Without the client's marks around pasted text; true if there were any.
bool unwrap_pasted(std::string& text) {
  bool found = false;
  for (const View mark : {kPastedClose, kPastedOpen}) {
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
      const std::size_t end = text.find('>', at);
      text.erase(at, end == std::string::npos ? std::string::npos : end - at + 1);
      found = true;
    }
  }
  return found;
}

// Without the blocks that the client puts before a person's words.
void strip_leading(std::string& text) {
  View rest = base::trim(text);
  for (bool again = true; again;) {
    again = false;
    for (const View tag : kLeadingTags) {
      const std::string close = "</" + std::string(tag) + ">";
      const std::size_t end = starts_with_tag(rest, tag) ? rest.find(close) : View::npos;
      if (end != View::npos) {
        rest = base::trim(rest.substr(end + close.size()));
        again = true;
      }
    }
  }
  text = std::string(rest);
}

bool is_machine_text(View text) {
  return std::any_of(kMachineTags.begin(), kMachineTags.end(),
                     [text](View tag) { return starts_with_tag(text, tag); }) ||
         std::any_of(kMachineStarts.begin(), kMachineStarts.end(),
                     [text](View start) { return starts_with(text, start); });
}

std::optional<std::int64_t> milliseconds(View number) {
  return base::parse_digits(number.substr(0, number.find('.')));
}

// A prompt that was typed while the agent worked (rule 1).
LineClass class_of_attachment(const Object& attachment, TranscriptLine& line) {
  const std::string mode = attachment.text("commandMode");
  const std::string origin = attachment.object("origin").text("kind");
  if (attachment.text("type") != "queued_command" || (!mode.empty() && mode != "prompt") ||
      attachment.is_set("isMeta") || (attachment.has("origin") && origin != "human")) {
    return LineClass::other;
  }
  Content content = content_of(attachment.raw("prompt"));
  unwrap_pasted(content.text);
  line.text = std::string(base::trim(content.text));
  return LineClass::absorbed;
}

LineClass class_of_queue(const Object& fields, TranscriptLine& line) {
  const std::string operation = fields.text("operation");
  std::string text = content_of(fields.raw("content")).text;
  unwrap_pasted(text);
  line.text = std::string(base::trim(text));
  if (operation == "enqueue") {
    return LineClass::enqueue;
  }
  return operation == "remove" ? LineClass::unqueue : LineClass::other;
}

// Rules 6 to 9: what the line says about its origin. `person` if nothing speaks against one.
LineClass class_by_origin(const Object& fields) {
  if (std::any_of(kNotTyped.begin(), kNotTyped.end(),
                  [&fields](View key) { return fields.is_set(key); })) {
    return LineClass::other;
  }
  const std::string origin = fields.object("origin").text("kind");
  if (fields.has("origin") && origin != "human") {
    return LineClass::machine;
  }
  const std::string source = fields.text("promptSource");
  if (source == "system") {
    return LineClass::machine;
  }
  const bool known =
      source.empty() || source == "typed" || source == "queued" || source == "suggestion_accepted";
  if (!known && origin != "human") {
    return source == "sdk" ? LineClass::sdk : LineClass::other;
  }
  const std::string turn = fields.text("turnOrigin");
  if (!turn.empty() && turn != "human" && !(turn == "sdk" && source == "sdk")) {
    return LineClass::machine;
  }
  return LineClass::person;
}

// Rules 10 to 12: what the words say.
LineClass class_by_text(const Object& fields, View text, bool attachment) {
  if (starts_with_tag(text, "command-message")) {
    return LineClass::command;
  }
  if (starts_with_tag(text, "command-name")) {
    return LineClass::local_command;
  }
  if (starts_with_tag(text, "bash-input")) {
    return LineClass::shell;
  }
  if (is_machine_text(text)) {
    return LineClass::other;
  }
  if (text.empty()) {
    return attachment ? LineClass::person : LineClass::other;
  }
  const bool unmarked = !fields.has("origin") && !fields.has("promptSource");
  if (unmarked && text.size() > 1 && text[0] == '<' && text[1] >= 'a' && text[1] <= 'z') {
    return LineClass::other;
  }
  return LineClass::person;
}

LineClass class_of_user(const Object& fields, TranscriptLine& line) {
  const Object message = fields.object("message");
  if (message.has("role") && message.text("role") != "user") {
    return LineClass::other;
  }
  line.from_user = true;
  if (fields.is_set("isSidechain") || fields.has("agentId") || fields.has("toolUseResult")) {
    return LineClass::other;
  }
  Content content = content_of(message.raw("content"));
  if (content.tool_result) {
    return LineClass::other;
  }
  const LineClass by_origin = class_by_origin(fields);
  if (by_origin != LineClass::person) {
    return by_origin;
  }
  const std::string source = fields.text("promptSource");
  line.queued = source == "queued" || (source.empty() && !fields.has("origin"));
  const bool pasted = unwrap_pasted(content.text);
  strip_leading(content.text);
  line.attachment = content.attachment || pasted;
  const LineClass by_text = class_by_text(fields, content.text, line.attachment);
  line.text = std::move(content.text);
  return by_text;
}

}  // namespace

bool worth_parsing(std::string_view line) {
  return line.find("\"user\"") != View::npos || line.find("\"queued_command\"") != View::npos ||
         line.find("\"queue-operation\"") != View::npos;
}

base::Result<TranscriptLine> classify_line(std::string_view bytes) {
  while (!bytes.empty() && (bytes.front() == '\0' || bytes.front() == '\r')) {
    bytes.remove_prefix(1);
  }
  while (!bytes.empty() && (bytes.back() == '\0' || bytes.back() == '\r')) {
    bytes.remove_suffix(1);
  }
  std::string repaired;
  if (!base::is_utf8(bytes)) {
    repaired = base::to_utf8(bytes);
    bytes = repaired;
  }
  if (auto valid = base::validate_json(bytes, kMaxTranscriptDepth); !valid) {
    return base::Error{base::Errc::invalid, valid.error().what};
  }
  if (base::json_kind(bytes) != base::JsonKind::object) {
    return base::Error{base::Errc::invalid, "no object"};
  }
  const Object fields(bytes);
  TranscriptLine line;
  line.time_ms = base::parse_iso(fields.text("timestamp"));
  line.sent_ms = milliseconds(fields.raw("sentAtMs"));
  line.prompt_id = fields.text("promptId");
  line.parent_uuid = fields.text("parentUuid");
  line.session_id = fields.text("sessionId");
  const std::string type = fields.text("type");
  if (type == "attachment") {
    line.kind = class_of_attachment(fields.object("attachment"), line);
  } else if (type == "queue-operation") {
    line.kind = class_of_queue(fields, line);
  } else if (type == "user") {
    line.kind = class_of_user(fields, line);
  }
  return line;
}

}  // namespace robot_council::stops
