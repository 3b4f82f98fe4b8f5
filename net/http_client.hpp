#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "net/url.hpp"

namespace robot_council::net {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct ClientLimits {
  base::Milliseconds connect{10000};
  std::size_t max_body = std::size_t{1} << 20U;  // bytes of an answer; over it: Errc::invalid
};

struct ClientRequest {
  std::string method = "GET";
  std::string target;  // path and query, already encoded, beginning "/"
  Headers headers;     // no CR, LF or other control byte in a value (Errc::invalid)
  std::optional<std::string> body;
  std::string content_type = "application/json";
  std::function<void()>
      on_written;  // called once when every byte of the request went out, or the call failed
};

struct ClientResponse {
  int status = 0;
  Headers headers;
  std::string body;
  // First header of that name, any case.
  [[nodiscard]] std::optional<std::string> header(std::string_view name) const;
};

// HTTP/1.1 calls to one service. No redirects, no decompression, no proxy from the environment, no
// keep-alive; certificates always checked; https unless loopback. Threads: one call at a time per
// client; cancel() from any thread.
class HttpClient {
 public:
  [[nodiscard]] static base::Result<HttpClient> open(const Url& url, ClientLimits limits);
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;
  ~HttpClient();

  // One whole call. Any status is a response. Errors: timeout (deadline, also against a dripping
  // peer), refused (connection refused, or cancelled), io (cut off, TLS), invalid (answer over
  // max_body, unusable request). `what` is for a person and holds no header value, body or token.
  [[nodiscard]] base::Result<ClientResponse> send(const ClientRequest& request,
                                                  base::SteadyTime deadline);
  // The call under way ends at once (Errc::refused, "cancelled"); later calls too until
  // reset_cancel().
  void cancel();
  void reset_cancel();

 private:
  struct Impl;
  explicit HttpClient(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace robot_council::net
