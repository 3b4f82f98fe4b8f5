#include "net/http_client.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/signals.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "net/client_socket.hpp"
#include "net/client_stream.hpp"
#include "net/http_syntax.hpp"
#include "net/httplib_checked.hpp"
#include "net/limits.hpp"
#include "net/patience.hpp"

namespace robot_council::net {
namespace {

constexpr std::string_view kCancelled = "cancelled";  // wait_for()

base::Error unusable(std::string_view why) {
  return {base::Errc::invalid, "unusable request: " + std::string(why)};
}

// Fields that the client writes itself: two of them would be read differently by different servers.
bool is_own_field(std::string_view name) {
  return base::equals_ignoring_case(name, "Host") ||
         base::equals_ignoring_case(name, "Content-Length") ||
         base::equals_ignoring_case(name, "Transfer-Encoding") ||
         base::equals_ignoring_case(name, "Connection");
}

base::Status check_request(const ClientRequest& request) {
  if (!is_token(request.method)) {
    return unusable("its method");
  }
  const bool printable = std::all_of(request.target.begin(), request.target.end(),
                                     [](char c) { return c > 0x20 && c < 0x7f; });
  if (request.target.empty() || request.target.front() != '/' || !printable ||
      request.target.find('#') != std::string::npos) {
    return unusable("its target");
  }
  for (const auto& [name, value] : request.headers) {
    if (!is_token(name) || is_own_field(name)) {
      return unusable("the name of a header");
    }
    if (std::any_of(value.begin(), value.end(), is_control)) {
      return unusable("a control byte in a header value");
    }
  }
  if (std::any_of(request.content_type.begin(), request.content_type.end(), is_control)) {
    return unusable("a control byte in its content type");
  }
  return {};
}

// The library's writing of a request and reading of an answer, over a stream of ours: it connects,
// resolves, follows and decompresses nothing.
class Exchange final : public httplib::ClientImpl {
 public:
  explicit Exchange(const Url& url) : httplib::ClientImpl(url.host, url.port) {
    keep_target(*this);
  }
  bool run(httplib::Stream& stream, httplib::Request& request, httplib::Response& response) {
    httplib::Error ignored = httplib::Error::Success;  // the stream and the receivers know better
    decompress_ = false;
    return process_request(stream, request, response, true, ignored);
  }

 private:
  // The target is encoded already. Later versions of the library call the setter by another name.
  template <class Client>
  static void keep_target(Client& client) {
    if constexpr (requires { client.set_path_encode(false); }) {
      client.set_path_encode(false);
    } else {
      client.set_url_encode(false);
    }
  }
};

httplib::Request to_library(const ClientRequest& request, const Url& url) {
  httplib::Request out;
  out.method = request.method;
  out.path = request.target;
  const std::string origin = url.origin();
  out.set_header("Host", origin.substr(origin.find("//") + 2));
  bool has_agent = false;
  bool has_accept_encoding = false;
  for (const auto& [name, value] : request.headers) {
    out.set_header(name, value);
    has_agent = has_agent || base::equals_ignoring_case(name, "User-Agent");
    has_accept_encoding =
        has_accept_encoding || base::equals_ignoring_case(name, "Accept-Encoding");
  }
  if (!has_agent) {
    out.set_header("User-Agent", "robot-council/" + std::string(base::version()));
  }
  if (!has_accept_encoding) {
    out.set_header("Accept-Encoding", "identity");
  }
  if (request.body) {
    out.set_header("Content-Type", request.content_type);
    out.body = *request.body;
  }
  return out;
}

ClientResponse from_library(const httplib::Response& response, std::string body) {
  ClientResponse out;
  out.status = response.status;
  out.body = std::move(body);
  for (const auto& [name, value] : response.headers) {
    // The library has decoded %0d%0a in it.
    std::string clean = value;
    clean.erase(std::remove_if(clean.begin(), clean.end(), is_control), clean.end());
    out.headers.emplace_back(name, std::move(clean));
  }
  return out;
}

base::Error too_long(std::size_t limit) {
  return {base::Errc::invalid, "the answer is over " + std::to_string(limit) + " bytes"};
}

std::size_t announced_length(const httplib::Response& response) {
  const std::optional<std::int64_t> length =
      base::parse_digits(response.get_header_value("Content-Length"));
  return length ? static_cast<std::size_t>(*length) : 0;
}

// Calls its function once, at the latest at its end.
class Once {
 public:
  explicit Once(std::function<void()> call) : call_(std::move(call)) {}
  ~Once() { (*this)(); }
  Once(const Once&) = delete;
  Once& operator=(const Once&) = delete;
  Once(Once&&) = delete;
  Once& operator=(Once&&) = delete;
  void operator()() {
    if (call_) {
      std::exchange(call_, nullptr)();
    }
  }

 private:
  std::function<void()> call_;
};

}  // namespace

std::optional<std::string> ClientResponse::header(std::string_view name) const {
  return first_value(headers, name);
}

struct HttpClient::Impl {
  Impl(Url service, ClientLimits its_limits, Interrupt its_interrupt)
      : url(std::move(service)), limits(its_limits), interrupt(std::move(its_interrupt)) {}

  Url url;
  ClientLimits limits;
  Interrupt interrupt;

  base::Result<ClientResponse> exchange(const ClientRequest& request, base::SteadyTime deadline,
                                        Once& written);
};

base::Result<ClientResponse> HttpClient::Impl::exchange(const ClientRequest& request,
                                                        base::SteadyTime deadline,
                                                        Once& written) try {
  const Patience connecting{std::min(deadline, base::deadline_in(limits.connect)), interrupt.fd()};
  base::Result<ClientSocket> socket = ClientSocket::open(url, connecting);
  if (!socket.ok()) {
    return socket.error();
  }
  ClientStream stream(*socket, Patience{deadline, interrupt.fd()}, limits.max_body,
                      [&written] { written(); });
  std::string body;
  std::optional<base::Error> over;
  httplib::Request library_request = to_library(request, url);
  library_request.response_handler = [&](const httplib::Response& head) {
    stream.head_is_read();
    if (announced_length(head) > limits.max_body) {
      over = too_long(limits.max_body);
    }
    return !over;
  };
  library_request.content_receiver = [&](const char* bytes, std::size_t size, std::uint64_t,
                                         std::uint64_t) {
    if (size > limits.max_body - body.size()) {
      over = too_long(limits.max_body);
      return false;
    }
    body.append(bytes, size);
    return true;
  };
  httplib::Response response;
  const bool done = Exchange(url).run(stream, library_request, response);
  if (over) {
    return *over;
  }
  if (stream.failure()) {
    return *stream.failure();
  }
  if (!done) {
    return base::Error{base::Errc::io, "the answer was cut off or is no HTTP"};
  }
  return from_library(response, std::move(body));
} catch (const std::exception&) {
  return base::Error{base::Errc::io,
                     "the answer could not be read"};  // its text may hold what the peer sent
}

base::Result<HttpClient> HttpClient::open(const Url& url, ClientLimits limits) {
  if (url.host.empty() || url.port == 0) {
    return base::Error{base::Errc::invalid, "the URL has no host or port"};
  }
  if (base::Status checked = check_transport(url); !checked.ok()) {
    return checked.error();
  }
  base::ignore_sigpipe();
  base::Result<Interrupt> interrupt = Interrupt::open();
  if (!interrupt.ok()) {
    return interrupt.error();
  }
  return HttpClient(std::make_unique<Impl>(url, limits, std::move(interrupt).value()));
}

HttpClient::HttpClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;
HttpClient::~HttpClient() = default;

base::Result<ClientResponse> HttpClient::send(const ClientRequest& request,
                                              base::SteadyTime deadline) {
  Once written(request.on_written);
  if (base::Status checked = check_request(request); !checked.ok()) {
    return checked.error();
  }
  base::Result<ClientResponse> response = impl_->exchange(request, deadline, written);
  if (!response.ok() && response.error().code != base::Errc::invalid &&
      response.error().what != kCancelled) {
    return base::Error{response.error().code, impl_->url.origin() + ": " + response.error().what};
  }
  return response;
}

void HttpClient::cancel() {
  impl_->interrupt.raise();
}
void HttpClient::reset_cancel() {
  impl_->interrupt.clear();
}

}  // namespace robot_council::net
