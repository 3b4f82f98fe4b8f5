#pragma once

#include <functional>
#include <string_view>

#include "base/fd.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"

namespace robot_council::bridge {

// The harness's end of the conversation: whole lines of protocol, one after the other, from any
// thread. A reader that does not read holds the writers up, and nobody else; close() lets them go.
class Output {
 public:
  // `fd` is not owned and stays as it is (also its blocking mode: it may be shared with another
  // process).
  [[nodiscard]] static base::Result<Output> open(int fd);
  Output(Output&& other) noexcept;
  Output& operator=(Output&&) = delete;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() = default;

  // Called once, from the writing thread, when the reader is gone.
  void on_broken(std::function<void()> callback);
  // Writes `line` and a newline. Dropped after close() or once the reader is gone.
  void write_line(std::string_view line);
  // Nothing is written any more; a blocked writer returns. Idempotent.
  void close();

 private:
  Output(int fd, base::Pipe wake) : fd_(fd), wake_(std::move(wake)) {}
  // False: the reader is gone, or close() was called.
  [[nodiscard]] bool write_all(std::string_view bytes) RC_REQUIRES(mu_);

  int fd_;
  base::Pipe wake_;  // readable once closed
  base::Mutex mu_;
  bool dead_ RC_GUARDED_BY(mu_) = false;
  std::function<void()> on_broken_ RC_GUARDED_BY(mu_);
};

}  // namespace robot_council::bridge
