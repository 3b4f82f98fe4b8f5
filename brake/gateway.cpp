#include "brake/gateway.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <thread>
#include <utility>

#include "base/child.hpp"
#include "base/fd.hpp"
#include "base/files.hpp"
#include "base/mutex.hpp"
#include "base/signals.hpp"
#include "brake/decision_log.hpp"
#include "brake/disk.hpp"
#include "brake/gateway_line.hpp"
#include "brake/limits.hpp"
#include "brake/texts.hpp"

namespace robot_council::brake {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{64} * 1024;
constexpr int kCannotStart = 1;
constexpr int kUsage = 2;
constexpr int kSignalBase = 128;
// A client that does not read for so long is gone: nothing more can be told to it.
constexpr base::Milliseconds kClientWait{600000};

class Gateway {
 public:
  Gateway(const base::Context& context, const GatewayRequest& request,
          const std::function<std::vector<std::string>()>& homes, std::string repo)
      : context_(context), request_(request), homes_(homes), repo_(std::move(repo)) {}

  int run(base::Child& server, base::SignalReader& signals);

 private:
  enum class Event : std::uint8_t { client, writable, server_gone };

  void copy_server_output(int from, int done);
  void send_to_client(std::string_view bytes) RC_EXCLUDES(out_mu_);
  Event wait(bool for_writing);
  bool send_to_server(std::string_view bytes);
  bool take_line(std::string_view line);
  Decision decide_now() const;
  void log(const GatewayLine& line, const Decision& decision) const;
  bool feed(std::string_view bytes);

  const base::Context& context_;
  const GatewayRequest& request_;
  const std::function<std::vector<std::string>()>& homes_;
  std::string repo_;
  base::Child* server_ = nullptr;
  base::SignalReader* signals_ = nullptr;
  int done_fd_ = -1;
  std::string caller_;
  std::string pending_;     // the client's line so far
  bool oversized_ = false;  // the rest of a line that is too long is dropped
  base::Mutex out_mu_;
};

void Gateway::send_to_client(std::string_view bytes) {
  const base::MutexLock lock(out_mu_);
  (void)base::write_all(request_.client_out, bytes, base::deadline_in(kClientWait));
}

// Whole lines only, so that an answer of ours never lands inside one of the server's. Runs on its
// own thread.
void Gateway::copy_server_output(int from, int done) {
  std::string held;
  std::vector<char> block(kBlockBytes);
  while (true) {
    const base::Result<std::size_t> got = base::read_some(from, block);
    if (!got.ok() || got.value() == 0) {
      break;
    }
    held.append(block.data(), got.value());
    const std::size_t end = held.rfind('\n');
    if (end != std::string::npos) {
      send_to_client(std::string_view(held).substr(0, end + 1));
      held.erase(0, end + 1);
    }
  }
  send_to_client(held);
  (void)base::write_all(done, "x", base::deadline_in(kClientWait));
}

// Waits for the client's input or for room in the server's; hands signals on meanwhile.
Gateway::Event Gateway::wait(bool for_writing) {
  while (true) {
    const int side = for_writing ? server_->standard_in.get() : request_.client_in;
    const short wanted = for_writing ? POLLOUT : POLLIN;
    std::array<pollfd, 3> polled = {
        {{done_fd_, POLLIN, 0}, {signals_->fd(), POLLIN, 0}, {side, wanted, 0}}};
    if (::poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) {
      return Event::server_gone;
    }
    if (polled[1].revents != 0) {
      while (const std::optional<int> signal_number = signals_->take()) {
        server_->send_signal(*signal_number);
      }
    }
    if (polled[0].revents != 0) {
      return Event::server_gone;
    }
    if (polled[2].revents != 0) {
      return for_writing ? Event::writable : Event::client;
    }
  }
}

bool Gateway::send_to_server(std::string_view bytes) {
  while (!bytes.empty()) {
    if (wait(true) == Event::server_gone) {
      return false;
    }
    const ssize_t sent = ::write(server_->standard_in.get(), bytes.data(), bytes.size());
    if (sent < 0 && (errno == EINTR || errno == EAGAIN)) {
      continue;
    }
    if (sent < 0) {
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

Decision Gateway::decide_now() const {
  try {
    struct ::stat info {};
    if (look_through(repo_, &info) != 0 || !S_ISDIR(info.st_mode)) {
      return cannot_run();
    }
    return judge(survey_stops(homes_(), {repo_}, ForeignStops::when_unknown), {caller_});
  } catch (const std::exception&) {
    return cannot_run();
  }
}

void Gateway::log(const GatewayLine& line, const Decision& decision) const {
  for (const GatewayCall& message : line.messages) {
    if (message.is_call) {
      log_refused(
          context_.environment, context_.clock,
          RefusedCall{Surface::gateway, caller_, {}, "mcp:" + message.tool, decision.repository});
    }
  }
}

// One line of the client, with its newline if it has one. False: the server is gone.
bool Gateway::take_line(std::string_view line) {
  const GatewayLine read = read_gateway_line(line);
  if (read.client_name) {
    caller_ = std::string(gateway_caller(*read.client_name));
  }
  if (read.kind == GatewayLine::Kind::broken) {
    if (!decide_now().refused()) {
      return send_to_server(line);
    }
    send_to_client(gateway_parse_error());
    return true;
  }
  if (!read.has_call()) {
    return send_to_server(line);
  }
  const Decision decision = decide_now();
  if (decision.refused()) {
    send_to_client(gateway_refusal(read, decision.text));
    log(read, decision);
    return true;
  }
  if (read.has_bad_params()) {
    send_to_client(gateway_refusal(read, "params of tools/call must be an object"));
    return true;
  }
  return send_to_server(line);
}

bool Gateway::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::size_t taken = end == std::string_view::npos ? bytes.size() : end + 1;
    if (!oversized_) {
      pending_.append(bytes.substr(0, taken));
    }
    bytes.remove_prefix(taken);
    if (pending_.size() > kMaxGatewayLineBytes) {
      pending_.clear();
      oversized_ = true;
      context_.log.warning("a line of over 64 MiB from the client was dropped");
      send_to_client(gateway_parse_error());
    }
    if (end == std::string_view::npos) {
      return true;
    }
    if (!std::exchange(oversized_, false) && !take_line(std::exchange(pending_, {}))) {
      return false;
    }
  }
  return true;
}

int Gateway::run(base::Child& server, base::SignalReader& signals) {
  server_ = &server;
  signals_ = &signals;
  base::Result<base::Pipe> done = base::Pipe::open();
  if (!done.ok() || !base::set_nonblocking(server.standard_in.get()).ok()) {
    context_.log.error("cannot make a pipe");
    return kCannotStart;
  }
  done_fd_ = done.value().read_end.get();
  std::thread copier([this, from = server.standard_out.get(), to = done.value().write_end.get()] {
    copy_server_output(from, to);
  });
  std::vector<char> block(kBlockBytes);
  bool server_there = true;
  while (server_there && wait(false) == Event::client) {
    const base::Result<std::size_t> got = base::read_some(request_.client_in, block);
    if (!got.ok() && got.error().code == base::Errc::busy) {
      continue;
    }
    if (!got.ok() || got.value() == 0) {
      (void)(pending_.empty() || take_line(std::exchange(pending_, {})));
      break;
    }
    server_there = feed(std::string_view(block.data(), got.value()));
  }
  server.standard_in.reset();
  // The server ends when it likes; its exit is seen by the end of its output, signals are handed on
  // until then.
  std::array<pollfd, 2> polled = {{{done_fd_, POLLIN, 0}, {signals.fd(), POLLIN, 0}}};
  while (polled[0].revents == 0) {
    if (::poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) {
      break;
    }
    while (const std::optional<int> signal_number = signals.take()) {
      server.send_signal(*signal_number);
    }
  }
  copier.join();
  const base::Result<base::ExitStatus> ended = server.wait(base::deadline_in(kServerEndWait));
  const base::ExitStatus status =
      ended.ok() ? ended.value() : server.terminate(base::Milliseconds(500));
  return status.signal != 0 ? kSignalBase + status.signal : status.code;
}

}  // namespace

int run_gateway(const base::Context& context, const GatewayRequest& request,
                const std::function<std::vector<std::string>()>& homes) {
  const base::Result<std::string> repo = base::real_path(request.repo);
  struct ::stat info {};
  if (!repo.ok() || look_through(repo.value(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    context.log.error("--repo " + request.repo + ": no directory");
    return kUsage;
  }
  if (request.command.empty()) {
    context.log.error("gateway needs a command: robot-council gateway -- COMMAND...");
    return kUsage;
  }
  base::Result<base::SignalReader> signals = base::SignalReader::open({SIGINT, SIGTERM, SIGHUP});
  if (!signals.ok()) {
    context.log.error(signals.error().what);
    return kCannotStart;
  }
  base::ChildOptions options;
  options.argv = request.command;
  options.environment = context.environment.all();
  options.standard_in = base::Stdio::pipe;
  options.standard_out = base::Stdio::pipe;
  base::Result<base::Child> server = base::Child::start(options);
  if (!server.ok()) {
    context.log.error("cannot start " + request.command.front() + ": " + server.error().what);
    return kCannotStart;
  }
  Gateway gateway(context, request, homes, repo.value());
  return gateway.run(server.value(), signals.value());
}

}  // namespace robot_council::brake
