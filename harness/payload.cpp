#include "harness/payload.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "harness/payload_parser.hpp"

namespace robot_council::harness {

namespace {

bool has_text(const Payload& payload, std::string_view key) {
  const PayloadMember* found = payload.member(key);
  return found != nullptr && found->kind == base::JsonKind::string;
}

std::optional<bool> boolean(const Payload& payload, std::string_view key) {
  const PayloadMember* found = payload.member(key);
  if (found == nullptr || found->kind != base::JsonKind::boolean) {
    return std::nullopt;
  }
  return found->text == "true";
}

// A whole number in the way JavaScript programs write one; a negative one counts as 0.
std::optional<std::int64_t> count(const Payload& payload, std::string_view key) {
  const PayloadMember* found = payload.member(key);
  if (found == nullptr || found->kind != base::JsonKind::number) {
    return std::nullopt;
  }
  std::string_view digits = found->text;
  const bool negative = digits.starts_with('-');
  digits.remove_prefix(negative ? 1 : 0);
  if (const std::size_t point = digits.find('.'); point != std::string_view::npos) {
    const std::string_view fraction = digits.substr(point + 1);
    if (fraction.find_first_not_of('0') != std::string_view::npos) {
      return std::nullopt;
    }
    digits = digits.substr(0, point);
  }
  const std::optional<std::int64_t> value = base::parse_digits(digits);
  if (value && negative) {
    return 0;
  }
  return value;
}

std::string first_text(const Payload& payload, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (const std::string_view text = payload.text(key); !text.empty()) {
      return std::string(text);
    }
  }
  return {};
}

PayloadKind find_kind(const Payload& payload) {
  if (has_text(payload, "cursor_version") || payload.loop_count) {
    return PayloadKind::cursor;
  }
  if (has_text(payload, "event") && !has_text(payload, "hook_event_name")) {
    return PayloadKind::goose;
  }
  if (has_text(payload, "prompt_response") || payload.event == "AfterAgent") {
    return PayloadKind::gemini;
  }
  if (has_text(payload, "turn_id")) {
    return PayloadKind::codex;
  }
  if (has_text(payload, "stopReason") || has_text(payload, "stop_reason")) {
    return PayloadKind::copilot;
  }
  return has_text(payload, "hook_event_name") ? PayloadKind::claude : PayloadKind::unknown;
}

bool find_stop_event(const Payload& payload) {
  constexpr std::array<std::string_view, 4> kStopNames = {"Stop", "stop", "AfterAgent",
                                                          "agentStop"};
  if (has_text(payload, "hook_event_name") || has_text(payload, "event")) {
    return std::find(kStopNames.begin(), kStopNames.end(), payload.event) != kStopNames.end();
  }
  return payload.tells_continuation || has_text(payload, "stopReason");
}

void find_session(Payload& payload) {
  switch (payload.kind) {
    case PayloadKind::cursor:
      payload.session = first_text(payload, {"conversation_id", "session_id"});
      payload.turn = payload.text("generation_id");
      break;
    case PayloadKind::copilot:
      payload.session = first_text(payload, {"sessionId", "session_id"});
      break;
    case PayloadKind::codex:
      payload.session = payload.text("session_id");
      payload.turn = payload.text("turn_id");
      break;
    case PayloadKind::claude:
    case PayloadKind::unknown:
      payload.session = first_text(payload, {"session_id", "sessionId"});
      payload.turn = payload.text("prompt_id");
      break;
    case PayloadKind::gemini:
    case PayloadKind::goose:
      payload.session = payload.text("session_id");
      break;
  }
}

}  // namespace

std::string_view kind_name(PayloadKind kind) {
  switch (kind) {
    case PayloadKind::claude:
      return "claude";
    case PayloadKind::codex:
      return "codex";
    case PayloadKind::cursor:
      return "cursor";
    case PayloadKind::gemini:
      return "gemini";
    case PayloadKind::copilot:
      return "copilot";
    case PayloadKind::goose:
      return "goose";
    case PayloadKind::unknown:
      break;
  }
  return "unknown";
}

const PayloadMember* Payload::member(std::string_view key) const {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [key](const PayloadMember& member) { return member.key == key; });
  return found == members.end() ? nullptr : &*found;
}

std::string_view Payload::text(std::string_view key) const {
  const PayloadMember* found = member(key);
  return found != nullptr && found->kind == base::JsonKind::string ? std::string_view(found->text)
                                                                   : std::string_view();
}

base::Result<Payload> parse_payload(std::string_view bytes) {
  ObjectScanner scanner;
  switch (scanner.advance(bytes)) {
    case ObjectScanner::State::before:
      return base::Error{base::Errc::invalid, "it is empty"};
    case ObjectScanner::State::no_object:
      return base::Error{base::Errc::invalid, "no JSON object"};
    case ObjectScanner::State::inside:
      return base::Error{base::Errc::invalid, "cut short"};
    case ObjectScanner::State::complete:
      break;
  }
  Payload payload;
  PayloadParser parser(bytes.substr(scanner.begin(), scanner.end() - scanner.begin()));
  if (!parser.parse(payload.members)) {
    return base::Error{base::Errc::invalid, "not JSON"};
  }
  payload.event = has_text(payload, "hook_event_name") ? payload.text("hook_event_name")
                                                       : payload.text("event");
  payload.loop_count = count(payload, "loop_count");
  const std::optional<bool> active = boolean(payload, "stop_hook_active");
  payload.tells_continuation = active.has_value() || payload.loop_count.has_value();
  payload.kind = find_kind(payload);
  payload.stop_event = find_stop_event(payload);
  payload.continuation = payload.kind == PayloadKind::cursor ? payload.loop_count.value_or(0) > 0
                                                             : active.value_or(false);
  find_session(payload);
  payload.agent_id = payload.text("agent_id");
  payload.transcript = first_text(payload, {"transcript_path", "transcriptPath"});
  payload.cwd = first_text(payload, {"cwd", "working_dir"});
  payload.status = payload.text("status");
  payload.last_message = first_text(payload, {"last_assistant_message", "prompt_response"});
  payload.prompt = payload.text("prompt");
  payload.source = payload.text("source");
  return payload;
}

}  // namespace robot_council::harness
