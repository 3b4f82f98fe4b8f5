#include "net/poller.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "net/answer.hpp"
#include "net/limits.hpp"
#include "net/listener.hpp"

namespace robot_council::net {
namespace {

constexpr std::uint64_t kListenerKey = Readiness::kNotified - 1;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
constexpr Refusal kStopping{503, "The service is stopping."};
constexpr Refusal kBusy{503, "The service holds too many requests."};
constexpr base::Milliseconds kLongestWait{3600000};

// Which interest goes with a stage.
Interest interest_of(Stage stage) {
  switch (stage) {
    case Stage::reading:
    case Stage::draining:
      return Interest::read;
    case Stage::parked:
      return Interest::closed;
    case Stage::answering:
      return Interest::write;
    case Stage::running:
      break;
  }
  return Interest::none;
}

enum class Got : std::uint8_t { bytes, nothing, end };

Got receive(const Connection& connection, std::vector<char>& into, std::size_t& size) {
  const ssize_t got = ::recv(connection.fd.get(), into.data(), into.size(), MSG_DONTWAIT);
  if (got > 0) {
    size = static_cast<std::size_t>(got);
    return Got::bytes;
  }
  return got < 0 && (errno == EAGAIN || errno == EINTR) ? Got::nothing : Got::end;
}

}  // namespace

base::Result<std::unique_ptr<Poller>> Poller::open(PollerSetup setup, WorkQueue& queue,
                                                   base::Log& log) {
  base::Result<Readiness> readiness = Readiness::open();
  if (!readiness.ok()) {
    return readiness.error();
  }
  return std::unique_ptr<Poller>(
      new Poller(std::move(setup), std::move(readiness).value(), queue, log));
}

Poller::Poller(PollerSetup setup, Readiness readiness, WorkQueue& queue, base::Log& log)
    : setup_(std::move(setup)),
      readiness_(std::move(readiness)),
      queue_(queue),
      log_(log),
      chunk_(kReadChunk) {}

// --- messages from other threads ---

void Poller::complete(Job job, Outcome outcome) {
  {
    const base::MutexLock lock(mu_);
    inbox_.completions.push_back({std::move(job), std::move(outcome)});
  }
  readiness_.notify();
}

void Poller::wake(std::vector<RequestId> requests) {
  {
    const base::MutexLock lock(mu_);
    inbox_.wakes.insert(inbox_.wakes.end(), requests.begin(), requests.end());
  }
  readiness_.notify();
}

void Poller::begin_stop(base::SteadyTime deadline) {
  {
    const base::MutexLock lock(mu_);
    inbox_.stop = deadline;
  }
  readiness_.notify();
}

void Poller::take_inbox() {
  Inbox inbox;
  {
    const base::MutexLock lock(mu_);
    std::swap(inbox, inbox_);
  }
  // First the wakes: one that came before the handler parked then finds it running, and the parking
  // finds the mark. One that came after it does too; the handler then runs once more.
  for (const RequestId id : inbox.wakes) {
    wake_one(id);
  }
  for (Completion& completion : inbox.completions) {
    finish(std::move(completion));
  }
  if (inbox.stop) {
    stop(*inbox.stop);
  }
}

// --- the loop ---

void Poller::run() {
  now_ = clock_.steady();
  listening_ = Interest::listen;
  if (!readiness_.set(setup_.listener.get(), kListenerKey, Interest::none, Interest::listen).ok()) {
    log_.error("the service cannot wait for connections");
    return;
  }
  std::vector<ReadyEvent> ready;
  while (true) {
    if (base::Status waited = readiness_.wait(next_wait(), ready); !waited.ok()) {
      log_.error("the service stops serving: " + waited.error().what);
      break;
    }
    now_ = clock_.steady();
    for (const ReadyEvent& event : ready) {
      handle(event);
    }
    take_inbox();
    expire();
    const bool busy = connections_.count(Stage::running) + connections_.count(Stage::answering) > 0;
    if (stop_by_ && (!busy || now_ >= *stop_by_)) {
      break;
    }
  }
  while (true) {
    Connection* left = nullptr;
    for (const Stage stage :
         {Stage::draining, Stage::answering, Stage::parked, Stage::running, Stage::reading}) {
      left = left == nullptr ? connections_.oldest(stage) : left;
    }
    if (left == nullptr) {
      break;
    }
    close(*left);
  }
}

base::SteadyTime Poller::next_wait() const {
  base::SteadyTime until = now_ + kLongestWait;
  for (const std::optional<base::SteadyTime>& limit :
       {connections_.next_deadline(), accept_again_, stop_by_}) {
    if (limit) {
      until = std::min(until, *limit);
    }
  }
  return until;
}

void Poller::handle(const ReadyEvent& event) {
  if (event.key == Readiness::kNotified) {
    return;  // the inbox is emptied each turn
  }
  if (event.key == kListenerKey) {
    accept_some();
    return;
  }
  Connection* connection = connections_.find(event.key);
  if (connection == nullptr) {
    return;  // closed earlier in this turn
  }
  switch (connection->stage) {
    case Stage::reading:
      read_request(*connection);
      break;
    case Stage::parked:
      if (event.hung_up) {
        close(*connection);
      }
      break;
    case Stage::answering:
      send_answer(*connection);
      break;
    case Stage::draining:
      drain(*connection);
      break;
    case Stage::running:
      break;
  }
}

void Poller::expire() {
  if (accept_again_ && *accept_again_ <= now_) {
    accept_again_.reset();
    if (readiness_.set(setup_.listener.get(), kListenerKey, listening_, Interest::listen).ok()) {
      listening_ = Interest::listen;
    }
  }
  while (Connection* connection = connections_.expired(now_)) {
    if (connection->stage == Stage::parked) {
      run_again(*connection, Turn::over);
    } else {
      close(*connection);
    }
  }
}

// --- accepting ---

void Poller::accept_some() {
  std::size_t failed = 0;
  for (std::size_t i = 0; i < kAcceptsPerTurn && listening_ == Interest::listen; ++i) {
    if (connections_.size() >= setup_.max_open && !drop_oldest()) {
      pause_accepting();
      return;
    }
    AcceptResult accepted = accept_from(setup_.listener);
    switch (accepted.outcome) {
      case Accepted::none:
        return;
      case Accepted::failed:
        if (++failed > kAcceptFailures) {
          pause_accepting();
          return;
        }
        break;
      case Accepted::no_descriptors:
        if (!drop_oldest()) {
          pause_accepting();
          return;
        }
        break;
      case Accepted::connection: {
        Connection& connection = connections_.add(std::move(accepted.fd), std::move(accepted.peer));
        connections_.set_deadline(connection, now_ + setup_.options.incomplete);
        set_interest(connection, Interest::read);
        break;
      }
    }
  }
}

bool Poller::drop_oldest() {
  Connection* oldest = connections_.oldest(Stage::draining);
  if (oldest == nullptr) {
    oldest = connections_.oldest(Stage::reading);
    if (oldest == nullptr) {
      return false;
    }
    ++dropped_;
    say_dropped();
  }
  close(*oldest);
  return true;
}

void Poller::pause_accepting() {
  (void)readiness_.set(setup_.listener.get(), kListenerKey, listening_, Interest::none);
  listening_ = Interest::none;
  accept_again_ = now_ + kAcceptPause;
  say_dropped();
}

void Poller::say_dropped() {
  if (said_dropped_ && now_ - *said_dropped_ < kSayDroppedEvery) {
    return;
  }
  said_dropped_ = now_;
  log_.warning("all " + std::to_string(connections_.size()) + " connections are in use; " +
               std::to_string(dropped_) + " unfinished requests were dropped so far");
}

// --- reading ---

void Poller::read_request(Connection& connection) {
  std::size_t size = 0;
  switch (receive(connection, chunk_, size)) {
    case Got::nothing:
      return;
    case Got::end:
      close(connection);
      return;
    case Got::bytes:
      break;
  }
  connection.in.append(chunk_.data(), size);
  if (connection.head_size == 0) {
    read_head(connection);
  } else {
    start_if_whole(connection);
  }
}

void Poller::read_head(Connection& connection) {
  const auto end = find_head_end(connection.in, connection.scanned);
  if (const Refusal* refusal = std::get_if<Refusal>(&end)) {
    refuse(connection, *refusal);
    return;
  }
  const std::optional<std::size_t> size = std::get<0>(end);
  if (!size) {
    connection.scanned = connection.in.size();
    return;
  }
  auto guarded = guard_head(std::string_view(connection.in).substr(0, *size), setup_.rules);
  if (const Refusal* refusal = std::get_if<Refusal>(&guarded)) {
    refuse(connection, *refusal);
    return;
  }
  connection.head = std::move(std::get<RequestHead>(guarded));
  connection.head_size = *size;
  if (connection.head.expects_continue && connection.in.size() == *size) {
    // Into an empty buffer of the system: goes out whole, or the peer is gone, which the next read
    // tells.
    (void)::send(connection.fd.get(), kContinue.data(), kContinue.size(),
                 MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  start_if_whole(connection);
}

void Poller::start_if_whole(Connection& connection) {
  RequestHead& head = connection.head;
  if (connection.in.size() - connection.head_size < head.content_length) {
    return;
  }
  auto whole = std::make_unique<WholeRequest>();
  whole->target = std::move(head.target);
  ServerRequest& request = whole->request;
  request.id = connection.id;
  request.method = std::move(head.method);
  request.path = std::move(head.path);
  request.query = std::move(head.query);
  request.headers = std::move(head.headers);
  request.body = connection.in.substr(connection.head_size, head.content_length);
  request.peer = connection.peer;
  if (setup_.options.behind_proxy) {
    request.peer = forwarded_peer(request.headers).value_or(connection.peer);
  }
  connection.in = std::string();
  connection.head = RequestHead();
  connection.request = std::move(whole);
  run_again(connection, Turn::first);
}

void Poller::refuse(Connection& connection, const Refusal& refusal) {
  connection.in = std::string();
  answer(connection, refusal_bytes(refusal));
}

// --- running and parking ---

void Poller::run_again(Connection& connection, Turn turn) {
  connections_.set_deadline(connection, std::nullopt);
  move_to(connection, Stage::running);
  connection.turn = turn;
  connection.wake_pending = false;
  connection.request->request.turn = turn;
  queue_.push({connection.id, std::move(connection.request)});
}

void Poller::wake_one(RequestId id) {
  Connection* connection = connections_.find(id);
  if (connection == nullptr) {
    return;
  }
  if (connection->stage == Stage::parked) {
    run_again(*connection, Turn::woken);
  } else {
    connection->wake_pending = true;
  }
}

void Poller::finish(Completion completion) {
  Connection* connection = connections_.find(completion.job.id);
  if (connection == nullptr) {
    return;
  }
  if (const Park* wanted = std::get_if<Park>(&completion.outcome)) {
    park(*connection, std::move(completion.job.request), *wanted);
    return;
  }
  connection->held = false;
  answer(*connection, std::move(std::get<std::string>(completion.outcome)));
}

void Poller::park(Connection& connection, std::unique_ptr<WholeRequest> request, const Park& park) {
  connection.request = std::move(request);
  connection.held = true;
  // A handler that parks in its last turn, or again after its time with no time left, would run for
  // ever.
  if (connection.turn == Turn::stopping) {
    answer(connection, refusal_bytes(kStopping));
  } else if (stop_by_) {
    run_again(connection, Turn::stopping);
  } else if (connection.wake_pending) {
    run_again(connection, Turn::woken);
  } else if (connections_.count(Stage::parked) >= setup_.max_parked || park.until <= now_) {
    if (connection.turn == Turn::over) {
      answer(connection, refusal_bytes(kBusy));
    } else {
      run_again(connection, Turn::over);
    }
  } else {
    move_to(connection, Stage::parked);
    connections_.set_deadline(connection, park.until);
  }
}

// --- answering ---

void Poller::answer(Connection& connection, std::string bytes) {
  if (std::exchange(connection.held, false) && on_gone_) {
    on_gone_(connection.id);  // a refusal of ours: its handler gave no answer
  }
  connection.request.reset();
  connection.out = std::move(bytes);
  connection.sent = 0;
  connections_.set_deadline(connection, now_ + kAnswerTime);
  move_to(connection, Stage::answering);
  send_answer(connection);
}

void Poller::send_answer(Connection& connection) {
  while (connection.sent < connection.out.size()) {
    const ssize_t put =
        ::send(connection.fd.get(), connection.out.data() + connection.sent,
               connection.out.size() - connection.sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) {
      continue;
    }
    if (put < 0 && errno == EAGAIN) {
      return;
    }
    if (put < 0) {
      close(connection);
      return;
    }
    connection.sent += static_cast<std::size_t>(put);
  }
  // A close with bytes unread resets the connection, and the peer loses the answer.
  connection.out = std::string();
  (void)::shutdown(connection.fd.get(), SHUT_WR);
  connections_.set_deadline(connection, now_ + kDrainTime);
  move_to(connection, Stage::draining);
}

void Poller::drain(Connection& connection) {
  std::size_t size = 0;
  const Got got = receive(connection, chunk_, size);
  connection.drained += size;
  if (got == Got::end || connection.drained > kMaxDrain) {
    close(connection);
  }
}

void Poller::close(Connection& connection) {
  const RequestId id = connection.id;
  const bool held = connection.held;
  if (connection.stage == Stage::draining) {
    std::size_t size = 0;
    (void)receive(connection, chunk_, size);  // what has come by now; see send_answer()
  }
  connections_.erase(id);  // closes it, which ends its being waited for
  parked_.store(connections_.count(Stage::parked), std::memory_order_relaxed);
  if (held && on_gone_) {
    on_gone_(id);
  }
}

// --- stopping ---

void Poller::stop(base::SteadyTime deadline) {
  stop_by_ = deadline;
  accept_again_.reset();
  (void)readiness_.set(setup_.listener.get(), kListenerKey, listening_, Interest::none);
  listening_ = Interest::none;
  setup_.listener.reset();
  while (Connection* unfinished = connections_.oldest(Stage::reading)) {
    close(*unfinished);
  }
  while (Connection* parked = connections_.oldest(Stage::parked)) {
    run_again(*parked, Turn::stopping);
  }
}

// --- small ones ---

void Poller::set_interest(Connection& connection, Interest interest) {
  if (readiness_.set(connection.fd.get(), connection.id, connection.interest, interest).ok()) {
    connection.interest = interest;
  }
}

void Poller::move_to(Connection& connection, Stage stage) {
  connections_.set_stage(connection, stage);
  set_interest(connection, interest_of(stage));
  parked_.store(connections_.count(Stage::parked), std::memory_order_relaxed);
}

}  // namespace robot_council::net
