#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/fd.hpp"
#include "base/result.hpp"

namespace robot_council::base {

enum class Stdio : std::uint8_t {
  null,
  inherit,
  pipe,
  given,  // the descriptor named in the options (a file, a pipe made by the caller)
};
enum class Group : std::uint8_t {
  own,
  parents,
  session,  // a session of its own, and with it a group: no controlling terminal, so nothing can be
            // asked there
};

struct ChildOptions {
  std::vector<std::string> argv;  // argv[0]: a path, or a name looked up in PATH of `environment`
  std::vector<std::string> environment;  // "NAME=VALUE"; nothing else is passed
  std::optional<std::string> directory;  // working directory; else ours
  Stdio standard_in = Stdio::null;
  Stdio standard_out = Stdio::null;
  Stdio standard_err = Stdio::inherit;
  std::shared_ptr<const Fd> given_out;  // with Stdio::given; its number is above 2
  std::shared_ptr<const Fd> given_err;
  Group group = Group::own;
};

struct ExitStatus {
  int code = -1;   // exit code, -1 if a signal ended it
  int signal = 0;  // the signal, 0 if it exited
  [[nodiscard]] bool success() const { return code == 0; }
};

// One child process (posix_spawn, no shell, signals at their defaults). The destructor ends it:
// TERM to its group, 500 ms later KILL, and reaps it; at most 2 s.
class Child {
 public:
  [[nodiscard]] static Result<Child> start(const ChildOptions& options);
  Child(Child&&) noexcept;
  Child& operator=(Child&&) noexcept;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  [[nodiscard]] pid_t pid() const { return pid_; }
  // The parent's ends of pipes; invalid unless asked for, or after being moved out.
  Fd standard_in;
  Fd standard_out;
  Fd standard_err;

  // Waits and reaps. timeout: it still runs.
  [[nodiscard]] Result<ExitStatus> wait(SteadyTime deadline);
  // To the child, or its group if it has its own.
  void send_signal(int signal_number) const;
  // TERM, `grace` later KILL, reaped.
  ExitStatus terminate(Milliseconds grace);

 private:
  Child() = default;
  pid_t pid_ = -1;
  bool own_group_ = false;
  std::optional<ExitStatus> ended_;
};

struct Finished {
  ExitStatus status;
  std::string out;
  std::string err;
};

// Runs a child to its end with `input` on stdin. Both outputs are kept up to max_output bytes each,
// the rest is read and dropped. timeout: it was ended at the deadline, with its group.
[[nodiscard]] Result<Finished> run_child(ChildOptions options, std::string_view input,
                                         SteadyTime deadline, std::size_t max_output = 1U << 20U);

// Start time of a process as the system tells it (Linux: field 22 of /proc/<pid>/stat), "" if it is
// gone or not told. pid and start time together name a process for good.
[[nodiscard]] std::string process_start_time(pid_t pid);
// Parent of `pid`, 0 if not to be told.
[[nodiscard]] pid_t parent_of(pid_t pid);
// Whether a process with this pid and start time runs: nothing if that cannot be told.
[[nodiscard]] std::optional<bool> process_alive(pid_t pid, std::string_view start_time);

// First executable `name` in the folders of `path_variable` ("a:b:c"); a name with "/" is itself.
[[nodiscard]] std::optional<std::string> find_program(std::string_view name,
                                                      std::string_view path_variable);

}  // namespace robot_council::base
