#include "brake/ceremony.hpp"

#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "base/clock.hpp"
#include "base/signals.hpp"
#include "brake/limits.hpp"

namespace robot_council::brake {
namespace {

constexpr base::Milliseconds kWriteWait{5000};

enum class Waited : std::uint8_t { input, signal, over };

Waited wait_for_input(int tty, int signals, base::SteadyTime deadline) {
  while (true) {
    std::array<pollfd, 2> polled = {{{tty, POLLIN, 0}, {signals, POLLIN, 0}}};
    const int left = static_cast<int>(base::time_left(deadline).count());
    const int count = ::poll(polled.data(), polled.size(), left);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return Waited::over;
    }
    return polled[1].revents != 0 ? Waited::signal : Waited::input;
  }
}

}  // namespace

base::Result<Terminal> Terminal::open() {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0) {
    return base::Error{base::Errc::refused, "standard input and output are not both a terminal"};
  }
  base::Result<base::Fd> tty = base::open_file("/dev/tty", O_RDWR | O_NOCTTY);
  if (!tty.ok()) {
    return base::Error{base::Errc::refused,
                       "there is no controlling terminal (" + tty.error().what + ")"};
  }
  return Terminal(std::move(tty).value());
}

void Terminal::show(const std::string& text) {
  (void)base::write_all(tty_.get(), text, base::deadline_in(kWriteWait));
}

Terminal::Answer Terminal::ask(const std::string& question) {
  base::Result<base::SignalReader> signals = base::SignalReader::open({SIGINT, SIGTERM, SIGHUP});
  if (!signals.ok()) {
    return {};
  }
  ::tcflush(tty_.get(), TCIFLUSH);
  show(question);
  const base::SteadyTime deadline = base::deadline_in(kTypingWait);
  std::string line;
  std::array<char, 512> block{};
  while (line.size() <= kMaxTypedBytes) {
    const Waited waited = wait_for_input(tty_.get(), signals.value().fd(), deadline);
    if (waited == Waited::signal) {
      return Answer{Typed::interrupted, {}};
    }
    if (waited == Waited::over) {
      break;
    }
    const base::Result<std::size_t> got = base::read_some(tty_.get(), block);
    if (!got.ok() || got.value() == 0) {
      break;
    }
    line.append(block.data(), got.value());
    const std::size_t end = line.find('\n');
    if (end != std::string::npos) {
      line.resize(end);
      return Answer{Typed::line, line};
    }
  }
  return {};
}

}  // namespace robot_council::brake
