#include "harness/payload_reader.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/fd.hpp"
#include "harness/payload.hpp"

namespace robot_council::harness {

namespace {

// Bytes of one read: the size of a Linux pipe.
constexpr std::size_t kChunkBytes = 64UL * 1024;

base::Error ended_early(ObjectScanner::State state) {
  return {base::Errc::invalid, state == ObjectScanner::State::before ? "it is empty" : "cut short"};
}

}  // namespace

base::Result<std::string> read_payload(int fd, const PayloadLimits& limits) {
  if (fd < 0) {
    return base::Error{base::Errc::io, "it is closed"};
  }
  if (isatty(fd) == 1) {
    return base::Error{base::Errc::refused,
                       "--hook reads the harness's payload from standard input"};
  }
  const base::SteadyTime end = base::deadline_in(limits.total);
  std::string buffer;
  ObjectScanner scanner;
  std::array<char, kChunkBytes> chunk;  // not zeroed: that would touch 16 pages at each turn end
  while (base::time_left(end).count() > 0) {
    const base::SteadyTime silence = base::deadline_in(limits.silence);
    const base::Result<base::Ready> ready = base::wait_readable(fd, std::min(end, silence));
    if (!ready.ok()) {
      return base::Error{base::Errc::io, ready.error().what};
    }
    if (*ready == base::Ready::timeout && silence < end) {
      return base::Error{base::Errc::timeout,
                         buffer.empty() ? "nothing came in time" : "no more came in time"};
    }
    if (*ready == base::Ready::timeout) {
      continue;
    }
    const base::Result<std::size_t> got = base::read_some(fd, chunk);
    if (!got.ok()) {
      if (got.error().code == base::Errc::busy) {
        continue;  // another reader of a non-blocking pipe was quicker
      }
      return base::Error{base::Errc::io, got.error().what};
    }
    if (*got == 0) {
      return ended_early(scanner.state());
    }
    buffer.append(chunk.data(), *got);
    const ObjectScanner::State state = scanner.advance(buffer);
    if (state == ObjectScanner::State::no_object) {
      return base::Error{base::Errc::invalid, "no JSON object"};
    }
    if (state == ObjectScanner::State::complete) {
      return buffer.substr(scanner.begin(), scanner.end() - scanner.begin());
    }
    if (buffer.size() > limits.max_bytes) {
      return base::Error{base::Errc::invalid,
                         "it is over " + std::to_string(limits.max_bytes) + " bytes"};
    }
  }
  return base::Error{base::Errc::timeout, "it did not end in time"};
}

}  // namespace robot_council::harness
