#include <signal.h>
#include <unistd.h>

#include "base/context.hpp"
#include "base/signals.hpp"
#include "bridge/bridge.hpp"
#include "pending/engine.hpp"
#include "sink/seat.hpp"
#include "stop-hook/hook.hpp"
#include "tests/crash/fault.hpp"
#include "tests/lib/fault_vfs.hpp"

namespace robot_council::crash {
namespace {

constexpr const char* kRoleWord = "--role";

// The real clock, its wall time moved.
class ShiftedClock final : public base::Clock {
 public:
  explicit ShiftedClock(std::int64_t shift_ms) : shift_ms_(shift_ms) {}
  [[nodiscard]] std::int64_t wall_ms() const override { return real_.wall_ms() + shift_ms_; }
  [[nodiscard]] base::SteadyTime steady() const override { return real_.steady(); }
  [[nodiscard]] base::Milliseconds awake_and_asleep() const override {
    return real_.awake_and_asleep();
  }

 private:
  base::SystemClock real_;
  std::int64_t shift_ms_;
};

void install_faults(const Fault& fault) {
  using Vfs = test::FaultVfs;
  switch (fault.kind) {
    case Fault::Kind::write:
      Vfs::install(Vfs::Fault::kill, fault.at);
      break;
    case Fault::Kind::cut_all:
      Vfs::install(Vfs::Fault::power_cut_all, fault.at);
      break;
    case Fault::Kind::cut_some:
      Vfs::install(Vfs::Fault::power_cut_some, fault.at, fault.seed);
      break;
    default:
      break;
  }
}

base::Result<sink::Seat> seat_of(const base::Environment& environment) {
  const sink::SeatNames names{sink::service_from({}, environment),
                              environment.get_or_empty("ROBOT_COUNCIL_HARNESS"), ""};
  return sink::resolve_seat(names, sink::hook_folder(environment, names.harness), environment);
}

// The defect: what is offered counts as printed before a byte has left.
void mark_offered(const base::Context& context) {
  auto seat = seat_of(context.environment);
  if (!seat) {
    return;
  }
  auto store = sink::DeliveryStore::open(seat->files, sink::Access::read_write, sink::WaitBudget());
  if (!store || !store->has_value()) {
    return;
  }
  const auto look = (*store)->look(std::nullopt);
  if (!look) {
    return;
  }
  for (const sink::Entry& row : look->rows) {
    if (row.state == sink::RowState::offered && row.offer) {
      static_cast<void>((*store)->write(
          sink::WaitBudget(), [&](sink::DeliveryStore::Transaction& transaction) -> base::Status {
            transaction.mark_written(*row.offer, context.clock.wall_ms());
            return {};
          }));
    }
  }
}

pending::StepHook step_hook(const Role& role, const base::Context& context) {
  return [&role, &context](pending::Step step) {
    if (role.mark_first && step == pending::Step::offered) {
      mark_offered(context);
    }
    if (role.fault.kind == Fault::Kind::step && static_cast<int>(step) == role.fault.at) {
      ::raise(SIGKILL);
    }
  };
}

int play_plain(const Role& role, const base::Context& context) {
  auto seat = seat_of(context.environment);
  if (!seat) {
    context.log.error(seat.error().what);
    return 3;
  }
  pending::Request request;
  request.files = seat->files;
  request.harness = seat->names.harness;
  request.output = STDOUT_FILENO;
  request.step = step_hook(role, context);
  const auto outcome = pending::deliver(request, context);
  if (!outcome) {
    context.log.error(outcome.error().what);
  }
  return outcome ? 0 : 3;
}

int play_bridge(const base::Context& context) {
  auto signals = base::SignalReader::open({SIGTERM, SIGINT, SIGHUP});
  if (!signals) {
    return 1;
  }
  bridge::BridgeOptions options;
  options.auto_join = true;
  options.timings.early = base::Milliseconds(20);
  options.timings.flood = base::Milliseconds(20);
  options.timings.backoff = base::Milliseconds(20);
  options.timings.seat_retry = base::Milliseconds(100);
  return bridge::run_bridge(context, options, {STDIN_FILENO, STDOUT_FILENO, signals->fd()});
}

}  // namespace

std::vector<std::string> role_arguments(const Role& role) {
  return {kRoleWord,
          std::to_string(static_cast<int>(role.kind)),
          std::to_string(static_cast<int>(role.fault.kind)),
          std::to_string(role.fault.at),
          std::to_string(role.fault.seed),
          std::to_string(role.clock_shift_ms),
          role.mark_first ? "1" : "0"};
}

std::optional<Role> parse_role(const std::vector<std::string>& arguments) {
  if (arguments.size() != 7 || arguments[0] != kRoleWord) {
    return std::nullopt;
  }
  Role role;
  role.kind = static_cast<Role::Kind>(std::stoi(arguments[1]));
  role.fault.kind = static_cast<Fault::Kind>(std::stoi(arguments[2]));
  role.fault.at = std::stoi(arguments[3]);
  role.fault.seed = static_cast<std::uint32_t>(std::stoul(arguments[4]));
  role.clock_shift_ms = std::stoll(arguments[5]);
  role.mark_first = arguments[6] == "1";
  return role;
}

int play(const Role& role) {
  base::ignore_sigpipe();
  base::StderrLog log;
  const ShiftedClock clock(role.clock_shift_ms);
  const base::ProcessEnvironment environment;
  const base::Context context{clock, environment, log};
  install_faults(role.fault);
  switch (role.kind) {
    case Role::Kind::hook: {
      stop_hook::HookOptions options;
      options.step = step_hook(role, context);
      return stop_hook::run_hook(options, context, STDIN_FILENO, STDOUT_FILENO);
    }
    case Role::Kind::plain:
      return play_plain(role, context);
    case Role::Kind::bridge:
      return play_bridge(context);
  }
  return 1;
}

}  // namespace robot_council::crash
