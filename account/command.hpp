#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace robot_council::account {

// Exit numbers of the commands of this room and of wiring/online (account contract, section 1; the
// same as cli::Exit).
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitInterrupted = 130;

// Where a command's answer goes; an error makes the command exit 1.
using Output = std::function<base::Status(std::string_view)>;
// All bytes to stdout, or an error.
[[nodiscard]] base::Status write_stdout(std::string_view bytes);

// SIGINT and SIGTERM as something a command can look at, wait beside, and that cancels its call
// under way. Make it before any thread. The destructor ends its thread.
class Interrupt {
 public:
  [[nodiscard]] static base::Result<std::unique_ptr<Interrupt>> open();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  Interrupt(Interrupt&&) = delete;
  Interrupt& operator=(Interrupt&&) = delete;
  virtual ~Interrupt() = default;

  [[nodiscard]] virtual bool requested() const = 0;
  // Waits; false: interrupted.
  [[nodiscard]] virtual bool pause_until(base::SteadyTime until) = 0;
  // What a signal does at once, on the watching thread; nullptr: nothing any more. Returns when a
  // call under way has ended.
  virtual void on_request(std::function<void()> action) = 0;

 protected:
  Interrupt() = default;
};

// One line on a terminal that is drawn over, and nothing anywhere else.
class ProgressLine {
 public:
  // show: whether there is a terminal that can redraw; write: where it goes.
  ProgressLine(bool show, std::function<void(std::string_view)> write);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ProgressLine(ProgressLine&&) = delete;
  ProgressLine& operator=(ProgressLine&&) = delete;
  ~ProgressLine();
  void draw(const std::string& text);
  void clear();

 private:
  bool show_;
  std::function<void(std::string_view)> write_;
  std::size_t drawn_ = 0;  // characters on the line
};

}  // namespace robot_council::account
