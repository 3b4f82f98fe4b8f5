#include "bridge/reader.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "bridge/limits.hpp"

namespace robot_council::bridge {

namespace {

// Whether `fd` can be read now; waits for it, or for `wake`, when asked to.
enum class Wait : unsigned char { none, for_ever };
bool readable(int fd, int wake, Wait wait) {
  std::array<pollfd, 2> watched = {pollfd{fd, POLLIN, 0}, pollfd{wake, POLLIN, 0}};
  const nfds_t count = wait == Wait::none ? 1 : 2;
  while (::poll(watched.data(), count, wait == Wait::none ? 0 : -1) < 0) {
    if (errno != EINTR) {
      return true;  // let read(2) say what is wrong
    }
  }
  return watched[0].revents != 0;
}

}  // namespace

base::Result<std::unique_ptr<Reader>> Reader::start(int fd, Inbox& inbox, WaitingRoom& room) {
  base::Result<base::Pipe> wake = base::Pipe::open();
  if (!wake.ok()) {
    return wake.error();
  }
  std::unique_ptr<Reader> reader(new Reader(fd, *std::move(wake), inbox, room));
  reader->thread_ = std::thread([self = reader.get()] { self->run(); });
  return reader;
}

Reader::~Reader() {
  stop();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void Reader::order(Order order) {
  Order expected = Order::go;
  if (!order_.compare_exchange_strong(expected, order)) {
    if (order == Order::stop) {
      order_.store(order);
    }
  }
  room_.open_wide();
  const char byte = 0;
  const ssize_t ignored = ::write(wake_.write_end.get(), &byte, 1);
  static_cast<void>(ignored);
}

void Reader::finish() {
  order(Order::finish);
}

void Reader::stop() {
  order(Order::stop);
}

bool Reader::hand_over() {
  while (std::optional<Frame> frame = framer_.next()) {
    if (order_.load() == Order::stop) {
      return false;
    }
    switch (frame->kind) {
      case FrameKind::content_length:
        inbox_.push(ContentLengthFraming{});
        return false;
      case FrameKind::too_long:
        inbox_.push(LineTooLong{});
        break;
      case FrameKind::line: {
        WaitingRoom::Ticket ticket = room_.enter(frame->text.size());
        inbox_.push(Incoming{classify(std::move(frame->text)), std::move(ticket)});
        break;
      }
    }
  }
  return true;
}

bool Reader::read_once(std::string& buffer) {
  while (true) {
    const ssize_t n = ::read(fd_, buffer.data(), buffer.size());
    if (n > 0) {
      framer_.feed(std::string_view(buffer.data(), static_cast<std::size_t>(n)));
      return true;
    }
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0 && errno == EAGAIN) {
      return true;
    }
    return false;
  }
}

void Reader::run() {
  std::string buffer(kReadBytes, '\0');
  bool framed = false;
  while (order_.load() == Order::go) {
    if (!readable(fd_, wake_.read_end.get(), Wait::for_ever)) {
      continue;
    }
    if (order_.load() != Order::go) {
      break;
    }
    const bool more = read_once(buffer);
    if (!hand_over()) {
      framed = true;
      break;
    }
    if (!more) {
      break;
    }
  }
  if (order_.load() == Order::finish && !framed) {
    for (std::size_t i = 0; i < kFinalReads; ++i) {
      if (!readable(fd_, -1, Wait::none) || !read_once(buffer) || !hand_over()) {
        break;
      }
    }
  }
  if (!framed) {
    inbox_.push(EndOfInput{});
  }
}

}  // namespace robot_council::bridge
