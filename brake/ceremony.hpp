#pragma once

#include <cstdint>
#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace robot_council::brake {

// The controlling terminal of a person. What is asked goes to and comes from /dev/tty, so that a
// pipe cannot answer.
class Terminal {
 public:
  // refused: standard input or output is no terminal, or there is no controlling one.
  [[nodiscard]] static base::Result<Terminal> open();

  enum class Typed : std::uint8_t { line, end, interrupted };
  struct Answer {
    Typed typed = Typed::end;
    std::string text;  // of a line, without its newline
  };
  // Drops what was typed before, writes the question, reads one line. end: end of input, a line
  // over kMaxTypedBytes, or nothing for kTypingWait. interrupted: SIGINT, SIGTERM or SIGHUP came.
  [[nodiscard]] Answer ask(const std::string& question);
  void show(const std::string& text);

 private:
  explicit Terminal(base::Fd tty) : tty_(std::move(tty)) {}
  base::Fd tty_;
};

}  // namespace robot_council::brake
