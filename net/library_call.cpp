#include "net/library_call.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <optional>
#include <utility>

#include "net/answer.hpp"
#include "net/http_syntax.hpp"
#include "net/httplib_checked.hpp"
#include "net/library_stream.hpp"

namespace robot_council::net {
namespace {

constexpr Refusal kFailed{500, "The service failed."};

// A request in memory, and the place for its answer.
class MemoryStream final : public LibraryStream {
 public:
  MemoryStream(std::string in, std::string peer) : in_(std::move(in)), peer_(std::move(peer)) {}
  std::string take_answer() { return std::move(out_); }

  ssize_t read(char* into, std::size_t size) override {
    const std::size_t taken = std::min(size, in_.size() - at_);
    std::memcpy(into, in_.data() + at_, taken);
    at_ += taken;
    return static_cast<ssize_t>(taken);
  }
  ssize_t write(const char* bytes, std::size_t size) override {
    out_.append(bytes, size);
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    ip = peer_;
    port = 0;
  }
  void get_local_ip_and_port(std::string& ip, int& port) const override {
    ip.clear();
    port = 0;
  }

 private:
  [[nodiscard]] bool has_input() const override { return at_ < in_.size(); }

  std::string in_;
  std::string peer_;
  std::string out_;
  std::size_t at_ = 0;
};

bool sendable(const ServerResponse& response) {
  const bool type_ok =
      std::none_of(response.content_type.begin(), response.content_type.end(), is_control);
  return type_ok && response.status >= 200 && response.status <= 599 &&
         std::all_of(response.headers.begin(), response.headers.end(), [](const auto& field) {
           return is_token(field.first) &&
                  std::none_of(field.second.begin(), field.second.end(), is_control);
         });
}

}  // namespace

class LibraryCall::Parser final : public httplib::Server {
 public:
  Parser(std::function<HandlerResult(ServerRequest&)> dispatch,
         std::function<void(const ServerRequest&)> on_throw)
      : dispatch_(std::move(dispatch)), on_throw_(std::move(on_throw)) {
    // Before the library's own routes, which match paths with std::regex; there are none, and no
    // mount points.
    set_pre_routing_handler([this](const httplib::Request&, httplib::Response& response) {
      answer(response);
      return HandlerResponse::Handled;
    });
    // Without it the library sends the text of the exception to the peer.
    set_exception_handler(
        [](const httplib::Request&, httplib::Response& response, const std::exception_ptr&) {
          fill(response, message_response(kFailed.status, kFailed.why));
        });
  }

  Outcome run(WholeRequest& request) {
    current_ = &request.request;
    park_.reset();
    MemoryStream stream(
        current_->method + " " + request.target + " HTTP/1.1\r\nHost: service\r\n\r\n",
        current_->peer);
    const bool done = call(&Parser::process_request, stream);
    current_ = nullptr;
    if (park_) {
      return *park_;
    }
    std::string bytes = stream.take_answer();
    return done && !bytes.empty() ? bytes : refusal_bytes(kFailed);
  }

 private:
  using Setup = std::function<void(httplib::Request&)>;
  // process_request() as 0.11 declares it, and as later versions do.
  using Early = bool (httplib::Server::*)(httplib::Stream&, bool, bool&, const Setup&);
  using Later = bool (httplib::Server::*)(httplib::Stream&, const std::string&, int,
                                          const std::string&, int, bool, bool&, const Setup&);

  bool call(Early process, httplib::Stream& stream) {
    bool closed = false;
    return (this->*process)(stream, true, closed, nullptr);
  }
  [[maybe_unused]] bool call(Later process, httplib::Stream& stream) {
    bool closed = false;
    return (this->*process)(stream, current_->peer, 0, {}, 0, true, closed, nullptr);
  }

  static void fill(httplib::Response& out, const ServerResponse& response) {
    out.status = response.status;
    for (const auto& [name, value] : response.headers) {
      out.set_header(name, value);
    }
    if (!response.body.empty()) {
      out.set_content(response.body, response.content_type);
    }
  }

  void answer(httplib::Response& out) {
    try {
      HandlerResult result = dispatch_(*current_);
      if (const Park* park = std::get_if<Park>(&result)) {
        park_ = *park;
        return;
      }
      const auto& response = std::get<ServerResponse>(result);
      if (sendable(response)) {
        fill(out, response);
        return;
      }
    } catch (...) {  // its text may hold what a request held
    }
    on_throw_(*current_);
    fill(out, message_response(kFailed.status, kFailed.why));
  }

  std::function<HandlerResult(ServerRequest&)> dispatch_;
  std::function<void(const ServerRequest&)> on_throw_;
  ServerRequest* current_ = nullptr;
  std::optional<Park> park_;
};

LibraryCall::LibraryCall(std::function<HandlerResult(ServerRequest&)> dispatch,
                         std::function<void(const ServerRequest&)> on_throw)
    : parser_(std::make_unique<Parser>(std::move(dispatch), std::move(on_throw))) {}
LibraryCall::LibraryCall(LibraryCall&&) noexcept = default;
LibraryCall& LibraryCall::operator=(LibraryCall&&) noexcept = default;
LibraryCall::~LibraryCall() = default;

Outcome LibraryCall::run(WholeRequest& request) {
  return parser_->run(request);
}

}  // namespace robot_council::net
