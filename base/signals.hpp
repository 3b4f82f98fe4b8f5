#pragma once

#include <initializer_list>
#include <optional>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace robot_council::base {

// A write to a closed pipe then fails with EPIPE instead of ending the process.
void ignore_sigpipe();

// Blocks the signals for the whole process (so: make it before any thread) and delivers them
// through a descriptor that a poll loop reads. Children start with nothing blocked. The destructor
// unblocks.
class SignalReader {
 public:
  [[nodiscard]] static Result<SignalReader> open(std::initializer_list<int> signals);
  SignalReader(SignalReader&&) noexcept = default;
  SignalReader& operator=(SignalReader&&) noexcept = default;
  SignalReader(const SignalReader&) = delete;
  SignalReader& operator=(const SignalReader&) = delete;
  ~SignalReader() = default;
  [[nodiscard]] int fd() const { return fd_.get(); }
  // The next signal that came, without waiting.
  [[nodiscard]] std::optional<int> take();

 private:
  explicit SignalReader(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

}  // namespace robot_council::base
