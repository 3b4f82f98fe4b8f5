#include "account/command.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <thread>
#include <utility>

#include "base/fd.hpp"
#include "base/mutex.hpp"
#include "base/signals.hpp"

namespace robot_council::account {

namespace {

constexpr base::Milliseconds kWriteTime{30000};  // a reader that takes nothing for so long is gone

class SignalInterrupt final : public Interrupt {
 public:
  SignalInterrupt(base::SignalReader reader, base::Pipe end)
      : reader_(std::move(reader)), end_(std::move(end)), thread_([this] { watch(); }) {}
  SignalInterrupt(const SignalInterrupt&) = delete;
  SignalInterrupt& operator=(const SignalInterrupt&) = delete;
  SignalInterrupt(SignalInterrupt&&) = delete;
  SignalInterrupt& operator=(SignalInterrupt&&) = delete;
  ~SignalInterrupt() override {
    end_.write_end.reset();  // the thread sees the end of the pipe
    thread_.join();
  }

  [[nodiscard]] bool requested() const override { return requested_; }

  [[nodiscard]] bool pause_until(base::SteadyTime until) override {
    const base::MutexLock lock(mu_);
    while (!requested_ && changed_.wait_until(mu_, until)) {
    }
    return !requested_;
  }

  void on_request(std::function<void()> action) override {
    const base::MutexLock lock(mu_);
    action_ = std::move(action);
    if (requested_ && action_) {
      action_();
    }
  }

 private:
  void watch() {
    while (true) {
      std::array<pollfd, 2> entries = {pollfd{reader_.fd(), POLLIN, 0},
                                       pollfd{end_.read_end.get(), POLLIN, 0}};
      if (::poll(entries.data(), entries.size(), -1) < 0 && errno != EINTR) {
        return;
      }
      if (entries[1].revents != 0) {
        return;
      }
      if (reader_.take()) {
        const base::MutexLock lock(mu_);
        requested_ = true;
        if (action_) {
          action_();
        }
        changed_.notify_all();
      }
    }
  }

  base::SignalReader reader_;
  base::Pipe end_;
  std::atomic<bool> requested_{false};
  base::Mutex mu_;
  base::CondVar changed_;
  std::function<void()> action_ RC_GUARDED_BY(mu_);
  std::thread thread_;
};

}  // namespace

base::Status write_stdout(std::string_view bytes) {
  return base::write_all(STDOUT_FILENO, bytes, base::deadline_in(kWriteTime));
}

base::Result<std::unique_ptr<Interrupt>> Interrupt::open() {
  auto reader = base::SignalReader::open({SIGINT, SIGTERM, SIGHUP});
  if (!reader) {
    return reader.error();
  }
  auto end = base::Pipe::open();
  if (!end) {
    return end.error();
  }
  return std::unique_ptr<Interrupt>(
      std::make_unique<SignalInterrupt>(std::move(*reader), std::move(*end)));
}

ProgressLine::ProgressLine(bool show, std::function<void(std::string_view)> write)
    : show_(show), write_(std::move(write)) {}

ProgressLine::~ProgressLine() {
  clear();
}

void ProgressLine::draw(const std::string& text) {
  if (!show_) {
    return;
  }
  // Blanks instead of an escape sequence: NO_COLOR and plain terminals get the same line.
  const std::string over = drawn_ > text.size() ? std::string(drawn_ - text.size(), ' ') : "";
  write_("\r" + text + over);
  drawn_ = text.size();
}

void ProgressLine::clear() {
  if (show_ && drawn_ > 0) {
    write_("\r" + std::string(drawn_, ' ') + "\r");
    drawn_ = 0;
  }
}

}  // namespace robot_council::account
