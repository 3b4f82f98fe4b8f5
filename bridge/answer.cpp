#include "bridge/answer.hpp"

#include <algorithm>

#include "base/json_scan.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "base/utf8.hpp"
#include "bridge/limits.hpp"
#include "bridge/message.hpp"
#include "bridge/texts.hpp"

namespace robot_council::bridge {

namespace {

constexpr int kOkFirst = 200;
constexpr int kOkLast = 299;

bool is_success(int status) {
  return status >= kOkFirst && status <= kOkLast;
}

Reply failure(std::string_view id, std::string text, bool said) {
  Reply reply;
  reply.line = error_line(id, kInternalError, text);
  if (said) {
    reply.said = std::move(text);
  }
  return reply;
}

enum class Wanted : unsigned char { result_or_error, error };

// The message for the harness if `body` is one with the request's id; its id is put back in the
// request's own spelling.
std::optional<Reply> message_for(std::string_view body, std::string_view id, Wanted wanted) {
  if (!base::validate_json(body, kMaxDepth).ok() ||
      base::json_kind(body) != base::JsonKind::object) {
    return std::nullopt;
  }
  const std::string_view error = base::json_member(body, "error");
  const std::string_view result = base::json_member(body, "result");
  if (error.empty() && (result.empty() || wanted == Wanted::error)) {
    return std::nullopt;
  }
  const std::string_view theirs = base::json_member(body, "id");
  if (!same_id(theirs, id)) {
    const bool unnamed = !theirs.empty() && base::json_kind(theirs) == base::JsonKind::null;
    if (!unnamed || error.empty() || wanted == Wanted::error) {
      return std::nullopt;
    }
  }
  Reply reply;
  reply.success = error.empty();
  if (theirs == id) {
    reply.line = on_one_line(body);
    return reply;
  }
  const auto before = static_cast<std::size_t>(theirs.data() - body.data());
  std::string text(body.substr(0, before));
  text.append(id).append(body.substr(before + theirs.size()));
  reply.line = on_one_line(text);
  return reply;
}

// The data of each event of a text/event-stream body (HTML standard, server-sent events): lines
// joined by LF.
std::vector<std::string> event_stream_data(std::string_view body) {
  std::vector<std::string> events;
  std::string data;
  bool any = false;
  while (!body.empty()) {
    const std::size_t end = body.find_first_of("\r\n");
    const std::string_view line = body.substr(0, end);
    if (end == std::string_view::npos) {
      body = {};
    } else {
      const bool pair = body[end] == '\r' && end + 1 < body.size() && body[end + 1] == '\n';
      body.remove_prefix(end + (pair ? 2U : 1U));
    }
    if (line.empty()) {
      if (any) {
        events.push_back(std::move(data));
        data.clear();
        any = false;
      }
    } else if (line.substr(0, 5) == "data:") {
      std::string_view value = line.substr(5);
      if (!value.empty() && value.front() == ' ') {
        value.remove_prefix(1);
      }
      if (any) {
        data.push_back('\n');
      }
      data.append(value);
      any = true;
    }
  }
  if (any) {
    events.push_back(std::move(data));  // a stream cut after its last line still gave it whole
  }
  return events;
}

bool is_event_stream(const net::ClientResponse& response) {
  const std::string type = response.header("Content-Type").value_or("");
  return base::starts_with_ignoring_case(base::trim(type), "text/event-stream");
}

std::string http_text(const net::ClientResponse& response) {
  std::string text = "The service answered HTTP " + std::to_string(response.status) + ".";
  const std::string message = service_message(response.body);
  if (!message.empty()) {
    text.append(" ").append(message);
  }
  return text;
}

std::string failure_text(const base::Error& error) {
  if (error.code == base::Errc::invalid) {
    return std::string(text::kAnswerTooLarge);
  }
  return "The fleet could not be reached: " + transport_text(error);
}

// A batch is refused by one error without an id: its words are the only reason there is.
std::string batch_refusal(const net::ClientResponse& response) {
  std::string text = http_text(response);
  if (base::validate_json(response.body, kMaxDepth).ok() &&
      base::json_kind(response.body) == base::JsonKind::object) {
    const std::string message = service_message(base::json_member(response.body, "error"));
    if (!message.empty()) {
      text.append(" ").append(message);
    }
  }
  return text;
}

}  // namespace

std::string transport_text(const base::Error& error) {
  std::string what = error.what;
  while (!what.empty() && what.back() == '.') {
    what.pop_back();
  }
  return base::for_display(what);
}

std::string on_one_line(std::string_view json) {
  std::string line(base::trim(json));
  std::replace(line.begin(), line.end(), '\r', ' ');
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

std::string service_message(std::string_view body) {
  if (!base::validate_json(body, kMaxDepth).ok() ||
      base::json_kind(body) != base::JsonKind::object) {
    return {};
  }
  const std::string_view value = base::json_member(body, "message");
  if (value.empty() || base::json_kind(value) != base::JsonKind::string) {
    return {};
  }
  const std::string message = base::json_unescape(value);
  const std::size_t characters = base::count_code_points(message);
  if (characters == 0 || characters > kMaxShownCharacters) {
    return {};
  }
  return text::printable(message);
}

std::optional<std::int64_t> retry_after_s(const net::ClientResponse& response,
                                          std::int64_t wall_ms) {
  const std::optional<std::string> header = response.header("Retry-After");
  if (!header) {
    return std::nullopt;
  }
  const std::string_view value = base::trim(*header);
  if (const std::optional<std::int64_t> seconds = base::parse_digits(value)) {
    return seconds;
  }
  if (const std::optional<std::int64_t> at = base::parse_http_date(value)) {
    constexpr std::int64_t kMsPerSecond = 1000;
    return std::max<std::int64_t>(0, (*at - wall_ms + kMsPerSecond - 1) / kMsPerSecond);
  }
  return std::nullopt;
}

Reply reply_to_request(const base::Result<net::ClientResponse>& answer, std::string_view id) {
  if (!answer.ok()) {
    return failure(id, failure_text(answer.error()), answer.error().code != base::Errc::invalid);
  }
  const net::ClientResponse& response = *answer;
  if (!is_success(response.status)) {
    if (std::optional<Reply> reply = message_for(response.body, id, Wanted::error)) {
      return *std::move(reply);
    }
    return failure(id, http_text(response), false);
  }
  if (base::is_blank(response.body)) {
    return failure(id, std::string(text::kAnswerEmpty), false);
  }
  if (is_event_stream(response)) {
    for (const std::string& data : event_stream_data(response.body)) {
      if (std::optional<Reply> reply = message_for(data, id, Wanted::result_or_error)) {
        return *std::move(reply);
      }
    }
    return failure(id, std::string(text::kNotProtocol), true);
  }
  if (std::optional<Reply> reply = message_for(response.body, id, Wanted::result_or_error)) {
    return *std::move(reply);
  }
  return failure(id, std::string(text::kNotProtocol), true);
}

BatchReply reply_to_batch(const base::Result<net::ClientResponse>& answer,
                          const std::vector<std::string>& ids) {
  BatchReply reply;
  std::string why;
  if (!answer.ok()) {
    why = failure_text(answer.error());
  } else if (base::validate_json(answer->body, kMaxDepth).ok() &&
             base::json_kind(answer->body) == base::JsonKind::array) {
    reply.lines.push_back(
        on_one_line(answer->body));  // whatever the status: its errors have their ids
  } else if (!is_success(answer->status)) {
    why = batch_refusal(*answer);
  } else if (base::is_blank(answer->body)) {
    why = ids.empty() ? std::string() : std::string(text::kAnswerEmpty);
  } else {
    why = text::kNotProtocol;
  }
  if (!why.empty()) {
    for (const std::string& id : ids) {
      reply.lines.push_back(error_line(id, kInternalError, why));
    }
    reply.said = std::move(why);
  }
  return reply;
}

}  // namespace robot_council::bridge
