#include "brake/payload.hpp"

#include <algorithm>
#include <array>

#include "base/clock.hpp"
#include "base/fd.hpp"
#include "base/json_scan.hpp"
#include "base/result.hpp"
#include "brake/limits.hpp"

namespace robot_council::brake {
namespace {

constexpr std::size_t kMaxKeyBytes = 64;  // longer than every key of ours
constexpr std::size_t kMaxLiteralBytes = 16;
constexpr std::size_t kReadBytes = std::size_t{64} * 1024;

struct Key {
  std::string_view name;
  Field field;
};

constexpr std::array<Key, 16> kKeys = {{
    {"agent_action_name", Field::agent_action_name},
    {"conversation_id", Field::conversation_id},
    {"conversationId", Field::conversation_id_c},
    {"cursor_version", Field::cursor_version},
    {"event", Field::event},
    {"event_type", Field::event_type},
    {"hook_event_name", Field::hook_event_name},
    {"hookEventName", Field::hook_event_name_c},
    {"model", Field::model},
    {"session_id", Field::session_id},
    {"sessionId", Field::session_id_c},
    {"toolArgs", Field::tool_args},
    {"tool_name", Field::tool_name},
    {"toolName", Field::tool_name_c},
    {"trajectory_id", Field::trajectory_id},
    {"turn_id", Field::turn_id},
}};

bool is_space(char byte) {
  return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

bool is_hex(char byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f') ||
         (byte >= 'A' && byte <= 'F');
}

bool is_literal(char byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || byte == '-' ||
         byte == '+' || byte == '.' || byte == 'E';
}

bool is_root_key(std::string_view key) {
  return key == "cwd" || key == "working_dir" || key == "workspaceRoot";
}
bool is_roots_key(std::string_view key) {
  return key == "workspace_roots" || key == "workspacePaths";
}

std::string first_of(std::initializer_list<std::string> texts) {
  for (const std::string& text : texts) {
    if (!text.empty()) {
      return text;
    }
  }
  return {};
}

}  // namespace

std::string HookPayload::tool() const {
  return first_of({text(Field::tool_name), text(Field::tool_name_c), text(Field::tool_call_name),
                   text(Field::agent_action_name)});
}

std::string HookPayload::session() const {
  return first_of({text(Field::session_id), text(Field::session_id_c), text(Field::conversation_id),
                   text(Field::conversation_id_c), text(Field::trajectory_id)});
}

void PayloadReader::feed(std::string_view bytes) {
  if (first_bytes_ && !bytes.empty()) {
    first_bytes_ = false;
    // Cursor has been seen to begin with a byte order mark; a pipe delivers it in one piece.
    if (bytes.substr(0, 3) == "\xEF\xBB\xBF") {
      bytes.remove_prefix(3);
    }
  }
  for (std::size_t at = 0; at < bytes.size() && !failed_;) {
    if (in_ == In::string) {
      at = skip_string(bytes, at);
      if (at == bytes.size()) {
        break;
      }
    }
    if (!take(bytes[at])) {
      failed_ = true;
    }
    ++at;
  }
}

HookPayload PayloadReader::finish() {
  payload_.readable = !failed_ && in_ == In::none && expect_ == Expect::nothing;
  return std::move(payload_);
}

// The plain bytes of a string: to its next quote or backslash.
std::size_t PayloadReader::skip_string(std::string_view bytes, std::size_t at) {
  const std::size_t end = std::min(bytes.find_first_of("\"\\", at), bytes.size());
  if (keeping_) {
    kept_ += end - at;
    if (kept_ > kMaxPayloadKept) {
      failed_ = true;
      return bytes.size();
    }
    buffer_.append(bytes.substr(at, end - at));
  }
  return end;
}

bool PayloadReader::take(char byte) {
  switch (in_) {
    case In::string:
      return take_in_string(byte);
    case In::escape:
    case In::hex:
      return take_in_escape(byte);
    case In::literal:
      if (is_literal(byte)) {
        return take_literal(byte);
      }
      return end_literal() && (is_space(byte) || take_structure(byte));
    case In::none:
      return is_space(byte) || take_structure(byte);
  }
  // LCOV_EXCL_START: every enumerator is above
  return false;
  // LCOV_EXCL_STOP
}

bool PayloadReader::take_in_string(char byte) {
  if (byte == '\\') {
    in_ = In::escape;
    if (keeping_) {
      buffer_ += byte;
    }
    return true;
  }
  return end_string();
}

bool PayloadReader::take_in_escape(char byte) {
  if (keeping_) {
    buffer_ += byte;
    ++kept_;
  }
  if (in_ == In::hex) {
    --hex_left_;
    if (hex_left_ == 0) {
      in_ = In::string;
    }
    return is_hex(byte);
  }
  constexpr std::string_view kEscapes = "\"\\/bfnrtu";
  in_ = byte == 'u' ? In::hex : In::string;
  hex_left_ = 4;
  return kEscapes.find(byte) != std::string_view::npos;
}

bool PayloadReader::take_literal(char byte) {
  if (literal_.size() < kMaxLiteralBytes) {
    literal_ += byte;
  }
  return true;
}

bool PayloadReader::end_literal() {
  in_ = In::none;
  const char first = literal_.front();
  const bool word = literal_ == "true" || literal_ == "false" || literal_ == "null";
  if (!word && first != '-' && (first < '0' || first > '9')) {
    return false;
  }
  if (sink_ == Sink::field && literal_ != "null") {
    store({});
  }
  after_value();
  return true;
}

bool PayloadReader::take_structure(char byte) {
  switch (byte) {
    case '{':
    case '[':
    case '"':
      if (byte == '"' && (expect_ == Expect::key || expect_ == Expect::key_or_end)) {
        return begin_string(expect_);
      }
      return begin_value(byte);
    case '}':
      return close(true);
    case ']':
      return close(false);
    case ':':
      if (expect_ != Expect::colon) {
        return false;
      }
      expect_ = Expect::value;
      return true;
    case ',':
      if (expect_ != Expect::comma_or_end) {
        return false;
      }
      expect_ = objects_.back() ? Expect::key : Expect::value;
      return true;
    default:
      return is_literal(byte) && begin_value(byte);
  }
}

bool PayloadReader::begin_value(char byte) {
  if (expect_ != Expect::value && expect_ != Expect::value_or_end) {
    return false;
  }
  if (objects_.empty() && byte != '{') {
    return false;  // a payload is an object
  }
  choose_sink();
  if (byte == '{' || byte == '[') {
    return open(byte == '{');
  }
  if (byte == '"') {
    return begin_string(Expect::value);
  }
  literal_.clear();
  literal_ += byte;
  in_ = In::literal;
  return true;
}

// Where the value that begins now goes.
void PayloadReader::choose_sink() {
  sink_ = Sink::none;
  const std::size_t level = objects_.size();
  if (level == 1) {
    if (is_root_key(key_)) {
      sink_ = Sink::root;
      return;
    }
    if (key_ == "toolCall") {
      sink_ = Sink::field;
      field_ = Field::tool_call;
      return;
    }
    const auto* const found = std::find_if(kKeys.begin(), kKeys.end(),
                                           [this](const Key& key) { return key.name == key_; });
    if (found != kKeys.end()) {
      sink_ = Sink::field;
      field_ = found->field;
    }
  } else if (level == 2 && in_roots_) {
    sink_ = Sink::root;
  } else if (level == 2 && in_tool_call_ && key_ == "name") {
    sink_ = Sink::field;
    field_ = Field::tool_call_name;
  }
}

bool PayloadReader::begin_string(Expect as) {
  string_is_key_ = as != Expect::value;
  const bool level_of_keys = objects_.size() == 1 || (objects_.size() == 2 && in_tool_call_);
  keeping_ = string_is_key_ ? level_of_keys : sink_ != Sink::none;
  in_ = In::string;
  buffer_.clear();
  if (keeping_) {
    buffer_ += '"';
  }
  return true;
}

bool PayloadReader::end_string() {
  in_ = In::none;
  if (keeping_) {
    buffer_ += '"';
  }
  if (string_is_key_) {
    if (keeping_) {
      // A key is not kept for good: what it cost is free again.
      kept_ -= std::min(kept_, buffer_.size());
      key_ = buffer_.size() <= kMaxKeyBytes ? base::json_unescape(buffer_) : std::string();
    }
    expect_ = Expect::colon;
  } else {
    if (keeping_) {
      store(base::json_unescape(buffer_));
    }
    after_value();
  }
  keeping_ = false;
  return true;
}

bool PayloadReader::open(bool object) {
  if (sink_ == Sink::field) {
    store({});
  }
  if (objects_.size() == 1) {
    in_roots_ = !object && is_roots_key(key_);
    in_tool_call_ = object && key_ == "toolCall";
  }
  objects_.push_back(object);
  expect_ = object ? Expect::key_or_end : Expect::value_or_end;
  return true;
}

bool PayloadReader::close(bool object) {
  const Expect empty = object ? Expect::key_or_end : Expect::value_or_end;
  if (objects_.empty() || objects_.back() != object ||
      (expect_ != empty && expect_ != Expect::comma_or_end)) {
    return false;
  }
  objects_.pop_back();
  if (objects_.size() <= 1) {
    in_roots_ = false;
    in_tool_call_ = false;
  }
  after_value();
  return true;
}

void PayloadReader::after_value() {
  expect_ = objects_.empty() ? Expect::nothing : Expect::comma_or_end;
}

void PayloadReader::store(std::string text) {
  if (sink_ == Sink::root) {
    payload_.roots.push_back(std::move(text));
  } else if (sink_ == Sink::field) {
    payload_.fields.at(static_cast<std::size_t>(field_)) = std::move(text);
  }
}

HookPayload read_hook_payload(int fd) {
  PayloadReader reader;
  const base::SteadyTime deadline = base::deadline_in(kPayloadWait);
  std::array<char, kReadBytes> block;  // not zeroed: that would touch 16 pages at each tool call
  std::size_t total = 0;
  while (fd >= 0) {
    const base::Result<base::Ready> ready = base::wait_readable(fd, deadline);
    if (!ready.ok() || ready.value() == base::Ready::timeout) {
      break;
    }
    const base::Result<std::size_t> got = base::read_some(fd, block);
    // LCOV_EXCL_START: another reader of the same pipe was quicker
    if (!got.ok() && got.error().code == base::Errc::busy) {
      continue;
    }
    // LCOV_EXCL_STOP
    if (!got.ok()) {
      break;
    }
    if (got.value() == 0) {
      return reader.finish();
    }
    total += got.value();
    if (total > kMaxPayloadBytes) {
      break;
    }
    reader.feed(std::string_view(block.data(), got.value()));
  }
  HookPayload payload = reader.finish();
  payload.readable = false;
  return payload;
}

}  // namespace robot_council::brake
