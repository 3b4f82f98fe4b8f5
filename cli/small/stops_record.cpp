// `stops record`, called by a client's stop hook: prints nothing and exits with 0, whatever
// happens. Any other end could keep an agent from stopping.

#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaltstack() is POSIX
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>

#include "base/text.hpp"
#include "brake/watchdog.hpp"
#include "cli/dispatch.hpp"
#include "cli/small/stops.hpp"
#include "stops/limits.hpp"
#include "stops/own_judges.hpp"
#include "stops/record.hpp"

namespace robot_council::cli {
namespace {

// The group of a judge's child while it runs, 0 else. Initialised at compile time, so that a signal
// handler may read it.
std::atomic<pid_t>& child_group() {
  static constinit std::atomic<pid_t> group{0};
  return group;
}

// Only calls that a signal handler may make: not that of the address checker at a call without a
// return either, which takes memory and so waits for ever where taking memory was interrupted.
[[noreturn]] __attribute__((no_sanitize("address"))) void end_with_child() {
  if (const pid_t group = child_group().load(); group > 0) {
    (void)::kill(-group, SIGKILL);
  }
  ::_exit(0);
}

// A crash is no decision of the agent's turn either.
extern "C" __attribute__((no_sanitize("address"))) void end_quietly(int signal_number) {
  // A child that is being started has no group to end yet: its starter hears of it and ends it.
  pid_t starting = stops::kGroupStarting;
  const bool asked = signal_number == SIGTERM || signal_number == SIGHUP || signal_number == SIGINT;
  if (asked && child_group().compare_exchange_strong(starting, stops::kGroupEndAsked)) {
    return;
  }
  end_with_child();
}

void survive_signals() {
  constexpr std::size_t kStack = 65536;
  static std::array<char, kStack> stack;  // of the handler, when the crash is a full stack
  stack_t alternate{};
  alternate.ss_sp = stack.data();
  alternate.ss_size = stack.size();
  (void)::sigaltstack(&alternate, nullptr);
  struct sigaction quiet {};
  quiet.sa_handler = end_quietly;
  quiet.sa_flags = SA_ONSTACK;
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGHUP, SIGINT}) {
    (void)::sigaction(number, &quiet, nullptr);
  }
  struct sigaction ignored {};
  ignored.sa_handler = SIG_IGN;
  (void)::sigaction(SIGPIPE, &ignored, nullptr);
  (void)::sigaction(SIGXFSZ, &ignored, nullptr);  // a log at its size limit is a full disk
}

// Nothing that is written by anyone from here on gets out.
void close_outputs(const base::Context& context) {
  const bool debug = context.environment.get_or_empty("ROBOT_COUNCIL_STOPS_DEBUG") == "1";
  const int null = ::open("/dev/null", O_RDWR);
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    if (fd == STDERR_FILENO && debug) {
      continue;
    }
    if (null < 0 || ::dup2(null, fd) < 0) {
      (void)::close(fd);
    }
  }
  if (null > STDERR_FILENO) {
    (void)::close(null);
  }
}

base::Milliseconds hard_deadline(const Args& args) {
  const auto given = base::parse_digits(args.value("--deadline").value_or(""));
  if (!given || *given <= 0) {
    return stops::kHardDeadline;
  }
  return std::min(base::Milliseconds(*given), base::Milliseconds(stops::kMaxHardDeadline));
}

}  // namespace

int run_stops_record(const base::Context& context, const Args& args) {
  close_outputs(context);
  survive_signals();
  const auto late = [] { end_with_child(); };
  try {
    const base::Milliseconds limit = hard_deadline(args);
    const brake::Watchdog watchdog(limit, late);
    std::unique_ptr<brake::Watchdog> judge_watchdog;
    stops::RecordOptions options;
    options.seat.service = args.value("--service").value_or("");
    options.seat.harness = args.value("--harness").value_or("");
    options.seat.project = args.value("--project").value_or("");
    options.deadline = base::deadline_in(limit);
    options.net_program = network_executable();
    options.child_group = &child_group();
    options.arm = [&judge_watchdog, &late](base::Milliseconds time) {
      judge_watchdog = std::make_unique<brake::Watchdog>(time, late);
    };
    stops::record(options, context, STDIN_FILENO);
  } catch (...) {  // NOLINT(bugprone-empty-catch): the stop itself must go on
  }
  return 0;
}

}  // namespace robot_council::cli
