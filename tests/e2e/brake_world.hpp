#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::test {

// A person's home and a real git repository, for the real program. As root everything runs as the
// user "nobody", whose home in the password database is not there, so that $HOME is the only home
// and file permissions count.
class BrakeWorld {
 public:
  BrakeWorld();

  using Environment = std::map<std::string, std::string>;
  // Gives all files to the user that the commands run as.
  void settle() const;
  // HOME, PATH with the program's link in ~/.local/bin first, and no agent's variable.
  [[nodiscard]] Environment environment(const Environment& more = {}) const;
  // argv as the user, in the repository unless `directory` is given.
  Ran command(const std::vector<std::string>& argv, const Environment& more = {},
              std::string_view input = {}, const std::string& directory = {}) const;
  Ran council(std::vector<std::string> words, const Environment& more = {},
              std::string_view input = {}, const std::string& directory = {}) const;
  // brake-check --client, fed a payload of the repository.
  Ran check(const std::string& client = "claude_code", const Environment& more = {}) const;
  Ran git(std::vector<std::string> words, const Environment& more = {}) const;
  // Words that change the user; empty when we are not root.
  [[nodiscard]] std::vector<std::string> as_user(const std::vector<std::string>& argv) const;

  [[nodiscard]] std::string payload() const;
  [[nodiscard]] std::string stops() const { return home + "/.robot-council/stops"; }
  [[nodiscard]] std::string checkout_copy() const { return repo + "/.robot-council/stop.json"; }
  // The one home copy.
  [[nodiscard]] std::string home_copy() const;
  [[nodiscard]] std::string log() const;  // the decision log's text, "" if there is none

  TempDir folder;
  std::string home = folder / "home";
  std::string repo = folder / "shop";
};

// The hook command of a client, as the contract spells it (its own copy, so that a change of the
// product is seen).
[[nodiscard]] std::string brake_command(const std::string& id);

// robot-council where the user of BrakeWorld may run it: as root that is nobody, who may not enter
// a checkout below /root.
[[nodiscard]] const std::string& brake_program();

// A program under a terminal of its own, in a session of its own.
class Pty {
 public:
  enum class Stdin : unsigned char { terminal, null };
  Pty(const std::vector<std::string>& argv, const BrakeWorld::Environment& environment,
      const std::string& directory, Stdin standard_in = Stdin::terminal);
  Pty(const Pty&) = delete;
  Pty& operator=(const Pty&) = delete;
  Pty(Pty&&) = delete;
  Pty& operator=(Pty&&) = delete;
  ~Pty();

  // Reads until the text was seen; false when the program ended or the time is over first.
  bool expect(const std::string& text);
  void type(const std::string& text);
  // Reads to the end. Exit code, or 1000 + the signal.
  int finish();
  [[nodiscard]] const std::string& screen() const { return screen_; }

 private:
  bool read_more();
  base::Fd master_;
  pid_t pid_ = -1;
  std::string screen_;
};

}  // namespace robot_council::test
