#include "stops/judges/ask.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/random.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "net/http_client.hpp"
#include "net/url.hpp"
#include "stops/judges/limits.hpp"
#include "stops/judges/wire.hpp"

namespace robot_council::stops {
namespace {

constexpr std::string_view kAnthropicUrl = "https://api.anthropic.com";
constexpr std::string_view kOllamaUrl = "http://127.0.0.1:11434";

// One attempt: an answer, or an error with what its retry would have to wait.
struct Attempt {
  JudgeResult result;
  std::optional<base::Milliseconds> retry_after;  // told by the other side
};

JudgeError error_of(JudgeErrorKind kind, std::string message) {
  return {kind, std::move(message)};
}

// The URL to ask, or why there is none that may be asked.
struct Target {
  net::Url url;
  std::optional<JudgeError> error;
};

Target target_of(const JudgeSettings& settings) {
  std::string text = settings.url;
  if (text.empty() && settings.name == JudgeName::anthropic) {
    text = kAnthropicUrl;
  } else if (text.empty() && settings.name == JudgeName::ollama) {
    text = kOllamaUrl;
  }
  const auto invalid = [](std::string message) {
    return Target{{}, error_of(JudgeErrorKind::invalid_request, std::move(message))};
  };
  const std::string name(judge_text(settings.name));
  if (text.empty()) {
    return invalid("the judge " + name + " has no URL");
  }
  auto url = net::parse_url(text);
  if (!url) {
    return invalid("the URL of the judge " + name + " cannot be used: " + url.error().what);
  }
  if (settings.name == JudgeName::ollama && (url->tls || !url->loopback())) {
    return invalid("ollama is asked on this machine only, over http");
  }
  if (!url->tls && !url->loopback()) {
    return invalid("http is for this machine only; the judge " + name + " needs https");
  }
  if (settings.model.empty()) {
    return invalid("the judge " + name + " has no model");
  }
  if (settings.key.empty() && !url->loopback()) {
    return {{}, error_of(JudgeErrorKind::auth, "the judge " + name + " has no key")};
  }
  return {std::move(*url), std::nullopt};
}

// "https://host/v1" is taken for "https://host": many manuals name the former.
std::string join_target(const std::string& base_path, const std::string& path) {
  constexpr std::string_view kVersion = "/v1";
  std::string_view head = base_path;
  if (head.size() >= kVersion.size() && head.substr(head.size() - kVersion.size()) == kVersion &&
      std::string_view(path).substr(0, kVersion.size() + 1) == "/v1/") {
    head.remove_suffix(kVersion.size());
  }
  return std::string(head) + path;
}

net::ClientRequest http_request(const PipeRequest& request, const net::Url& url) {
  WireRequest wire = wire_request(request.settings, request.request);
  net::ClientRequest http;
  http.method = "POST";
  http.target = join_target(url.path, wire.path);
  http.headers = std::move(wire.headers);
  for (const auto& [name, value] : request.settings.headers) {
    http.headers.erase(std::remove_if(http.headers.begin(), http.headers.end(),
                                      [&key = name](const auto& header) {
                                        return base::equals_ignoring_case(header.first, key);
                                      }),
                       http.headers.end());
    http.headers.emplace_back(name, value);
  }
  http.body = std::move(wire.body);
  return http;
}

JudgeErrorKind kind_of_status(int status) {
  switch (status) {
    case 401:
    case 403:
      return JudgeErrorKind::auth;
    case 429:
      return JudgeErrorKind::rate_limited;
    case 408:
      return JudgeErrorKind::unavailable;
    case 501:
      return JudgeErrorKind::invalid_request;
    default:
      return status >= 400 && status < 500 ? JudgeErrorKind::invalid_request
                                           : JudgeErrorKind::unavailable;
  }
}

// Retry-After: seconds, or an HTTP date (RFC 9110, 10.2.3).
std::optional<base::Milliseconds> retry_after_of(const net::ClientResponse& response,
                                                 const base::Clock& clock) {
  const auto value = response.header("Retry-After");
  if (!value) {
    return std::nullopt;
  }
  const auto text = base::trim(*value);
  if (const auto seconds = base::parse_digits(text)) {
    constexpr std::int64_t kMostSeconds = 86400;
    return base::Milliseconds(std::min(*seconds, kMostSeconds) * 1000);
  }
  if (const auto date = base::parse_http_date(text)) {
    return base::Milliseconds(std::max<std::int64_t>(0, *date - clock.wall_ms()));
  }
  return std::nullopt;
}

JudgeErrorKind kind_of_failure(base::Errc code) {
  switch (code) {
    case base::Errc::timeout:
      return JudgeErrorKind::timeout;
    case base::Errc::invalid:
      return JudgeErrorKind::malformed_response;  // an answer over the limit
    default:
      return JudgeErrorKind::unavailable;
  }
}

Attempt attempt(net::HttpClient& client, const net::ClientRequest& http, const PipeRequest& request,
                const base::Clock& clock, base::SteadyTime deadline) {
  auto response = client.send(http, deadline);
  if (!response) {
    return {error_of(kind_of_failure(response.error().code), response.error().what), std::nullopt};
  }
  if (response->status == 200) {
    return {wire_reply(request.settings, request.request, response->body), std::nullopt};
  }
  return {error_of(kind_of_status(response->status), "HTTP " + std::to_string(response->status)),
          retry_after_of(*response, clock)};
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7F'; });
}

// How long to wait before another attempt; nothing: none is made.
std::optional<base::Milliseconds> pause_before_retry(const Attempt& last,
                                                     base::SteadyTime deadline) {
  const auto* error = std::get_if<JudgeError>(&last.result);
  if (error == nullptr ||
      (error->kind != JudgeErrorKind::rate_limited && error->kind != JudgeErrorKind::unavailable)) {
    return std::nullopt;
  }
  const auto jitter =
      base::Milliseconds(base::random_below(static_cast<std::uint64_t>(kRetryJitter.count())));
  const auto pause = last.retry_after.value_or(kRetryPause + jitter);
  if (pause > kMaxRetryAfter || base::time_left(deadline) < pause + kLeastAttempt) {
    return std::nullopt;
  }
  return pause;
}

}  // namespace

JudgeResult ask_over_http(const PipeRequest& request, const base::Clock& clock,
                          base::SteadyTime deadline) {
  if (!is_net_judge(request.settings.name)) {
    return error_of(JudgeErrorKind::invalid_request, "this judge is not asked over the network");
  }
  const Target target = target_of(request.settings);
  if (target.error) {
    return *target.error;
  }
  const net::ClientRequest http = http_request(request, target.url);
  if (std::any_of(http.headers.begin(), http.headers.end(), [](const auto& header) {
        return has_control(header.first) || has_control(header.second);
      })) {
    return error_of(JudgeErrorKind::invalid_request, "a header holds a control character");
  }
  auto client = net::HttpClient::open(
      target.url, {std::min(kConnectTime, base::time_left(deadline)), kMaxJudgeReplyBytes});
  if (!client) {
    return error_of(JudgeErrorKind::unavailable, client.error().what);
  }
  for (int tries = 1;; ++tries) {
    Attempt last = attempt(*client, http, request, clock, deadline);
    const auto pause = pause_before_retry(last, deadline);
    if (!pause || tries == kAttempts) {
      return std::move(last.result);
    }
    std::this_thread::sleep_for(*pause);
  }
}

std::string answer_pipe(std::string_view bytes, const base::Clock& clock) {
  auto request = decode_request(bytes);
  if (!request) {
    return encode_result(error_of(JudgeErrorKind::invalid_request, request.error().what));
  }
  return encode_result(ask_over_http(*request, clock, base::deadline_in(request->timeout)));
}

}  // namespace robot_council::stops
