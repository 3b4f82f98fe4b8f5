// Entry of the clients' hooks and of the git dispatcher: reads, asks the brake, writes, logs.

#include <unistd.h>

#include <chrono>
#include <string>

#include "base/clock.hpp"
#include "base/fd.hpp"
#include "brake/check.hpp"
#include "brake/decision_log.hpp"
#include "brake/homes.hpp"
#include "brake/limits.hpp"
#include "brake/payload.hpp"
#include "brake/repository.hpp"
#include "brake/watchdog.hpp"
#include "cli/small/brake.hpp"

namespace robot_council::cli {
namespace {

constexpr int kNotWritten = 2;
constexpr base::Milliseconds kWriteWait{1000};

// Every byte of the answer, or exit 2, which most clients take for a refusal.
int write_answer(const brake::Answer& answer) {
  const bool out = base::write_all(STDOUT_FILENO, answer.out, base::deadline_in(kWriteWait)).ok();
  (void)base::write_all(STDERR_FILENO, answer.err, base::deadline_in(kWriteWait));
  return out ? answer.code : kNotWritten;
}

// Ends the process from the watchdog's thread: the main thread hangs in a system call.
[[noreturn]] void answer_late(const brake::Answer& answer) {
  ::_exit(write_answer(answer));
}

// Writes what was found, unless the watchdog was first; then this thread only waits for the end of
// the process. Ends the process itself: to wait for the watchdog's thread would take as long as the
// whole check.
[[noreturn]] void answer_once(const base::Context& context, brake::Watchdog& watchdog,
                              const brake::Checked& checked) {
  while (!watchdog.done()) {
    ::pause();
  }
  const int code = write_answer(checked.answer);
  if (checked.refused) {
    // A log on a disk that hangs must not keep the client waiting either.
    const brake::Watchdog log_watchdog(brake::kLogWait, [code] { ::_exit(code); });
    brake::log_refused(context.environment, context.clock, *checked.refused);
  }
  ::_exit(code);
}

brake::CheckPlace place_of(const base::Context& context) {
  return {context.environment, brake::find_homes(context.environment), brake::process_directory()};
}

[[noreturn]] void check_git_hook(const base::Context& context, const std::string& event) {
  const brake::Answer late = brake::late_git_answer(context.environment);
  brake::Watchdog watchdog(brake::kCheckWait, [&late] { answer_late(late); });
  answer_once(context, watchdog, brake::check_git(place_of(context), event));
}

[[noreturn]] void check_client(const base::Context& context, const std::string& id) {
  const brake::Answer late = brake::late_answer(id);
  brake::Watchdog watchdog(brake::kCheckWait, [&late] { answer_late(late); });
  brake::Checked checked{late, std::nullopt};
  try {
    const brake::HookPayload payload = brake::read_hook_payload(STDIN_FILENO);
    checked = brake::check_tool_call(place_of(context), id, payload);
  } catch (...) {  // NOLINT(bugprone-empty-catch): the late answer refuses
  }
  answer_once(context, watchdog, checked);
}

}  // namespace

int run_brake_check(const base::Context& context, const Args& args) {
  if (const std::optional<std::string> event = args.value("--git")) {
    check_git_hook(context, *event);
  }
  check_client(context, args.value("--client").value_or(""));
}

}  // namespace robot_council::cli
