#include "net/client_stream.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "net/limits.hpp"

namespace robot_council::net {

ssize_t ClientStream::fail(base::Error error) {
  if (!failure_) {
    failure_ = std::move(error);
  }
  return -1;
}

bool ClientStream::fill() {
  base::Result<std::size_t> got = socket_.read_some(buffer_, patience_);
  if (!got.ok()) {
    (void)fail(got.error());
    return false;
  }
  begin_ = 0;
  end_ = *got;
  wire_bytes_ += *got;
  return true;
}

bool ClientStream::within_limits(std::size_t taken) {
  if (!head_read_) {
    head_bytes_ += taken;
    if (head_bytes_ > kMaxAnswerHead || (!status_line_read_ && head_bytes_ > kMaxStatusLine)) {
      (void)fail({base::Errc::invalid, "the head of the answer is too long"});
      return false;
    }
    return true;
  }
  if ((wire_bytes_ - std::min(wire_bytes_, kMaxAnswerHead)) / kMaxFraming > max_body_) {
    (void)fail({base::Errc::invalid, "the answer is too long"});
    return false;
  }
  return true;
}

ssize_t ClientStream::read(char* into, std::size_t size) {
  if (failure_ || !flush()) {
    return -1;
  }
  if (on_written_) {
    std::exchange(on_written_, nullptr)();
  }
  if (begin_ == end_ && !fill()) {
    return -1;
  }
  const std::size_t taken = std::min(size, end_ - begin_);
  std::memcpy(into, buffer_.data() + begin_, taken);
  if (!within_limits(taken)) {
    return -1;
  }
  status_line_read_ = status_line_read_ || std::memchr(into, '\n', taken) != nullptr;
  begin_ += taken;
  return static_cast<ssize_t>(taken);
}

bool ClientStream::flush() {
  std::string_view rest = pending_;
  while (!rest.empty() && !write_broken_) {
    base::Result<std::size_t> put = socket_.write_some(rest, patience_);
    if (put.ok()) {
      rest.remove_prefix(*put);
    } else if (put.error().code == base::Errc::io) {
      // The peer takes no more, but may have answered (a refusal of what we send): read on.
      write_broken_ = true;
    } else {
      (void)fail(put.error());
      return false;
    }
  }
  pending_.clear();
  return true;
}

ssize_t ClientStream::write(const char* bytes, std::size_t size) {
  if (failure_) {
    return -1;
  }
  // The library writes head and body apart: together they are one packet.
  pending_.append(bytes, size);
  if (pending_.size() >= kWriteChunk && !flush()) {
    return -1;
  }
  return static_cast<ssize_t>(size);
}

void ClientStream::get_remote_ip_and_port(std::string& ip, int& port) const {
  ip.clear();
  port = 0;
}

void ClientStream::get_local_ip_and_port(std::string& ip, int& port) const {
  ip.clear();
  port = 0;
}

}  // namespace robot_council::net
