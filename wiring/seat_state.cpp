#include "wiring/seat_state.hpp"

#include <algorithm>

#include "base/file_lock.hpp"
#include "sink/seat_lock.hpp"
#include "sink/store.hpp"
#include "sink/wait_budget.hpp"
#include "stop-hook/hook_record.hpp"
#include "stop-hook/wait_record.hpp"
#include "wiring/limits.hpp"

namespace robot_council::wiring {

namespace {

// Fills in the counts; an error is the store's own sentence.
base::Status read_events(SeatState& state) {
  const sink::WaitBudget budget;
  // Ancestors do not matter: all rows are counted, whosever they are.
  auto store = sink::DeliveryStore::open(state.seat.files, sink::Access::read_only, budget);
  if (!store) {
    return store.error();
  }
  SeatState::Events events;
  if (store->has_value()) {
    const auto look = (*store)->look(std::nullopt);
    if (!look) {
      return look.error();
    }
    for (const auto& row : look->rows) {
      if (row.state == sink::RowState::written) {
        ++events.written;
        continue;
      }
      ++events.waiting;
      events.oldest_ms = std::min(events.oldest_ms.value_or(row.stored_ms), row.stored_ms);
    }
    const auto history = (*store)->history(kMaxHistoryRows);
    if (!history) {
      return history.error();
    }
    for (const auto& row : *history) {
      if (row.why == sink::why_text(sink::Why::undelivered)) {
        ++events.undelivered;
      } else if (row.why == sink::why_text(sink::Why::confirmed)) {
        state.confirmed_ms = std::max(state.confirmed_ms.value_or(row.left_ms), row.left_ms);
      }
    }
  }
  state.events = events;
  return {};
}

void read_waiter(const base::Context& context, SeatState& state) {
  for (const auto& waiter : stop_hook::live_waiters(state.seat.files)) {
    if (state.waiter_since_ms && *state.waiter_since_ms > waiter.since_ms) {
      continue;
    }
    state.waiter_since_ms = waiter.since_ms;
    state.waiter_pid = waiter.waiter.pid;
    const std::int64_t now = context.clock.wall_ms();
    const std::int64_t next = stop_hook::next_wake_ms(waiter.wakes, now);
    state.next_wake_ms = next > now ? std::optional<std::int64_t>(next) : std::nullopt;
  }
}

}  // namespace

SeatState read_seat_state(const base::Context& context, const KnownSeat& seat) {
  SeatState state;
  state.seat = seat;
  state.bridge_running = sink::seat_held(seat.files);
  if (state.bridge_running) {
    state.bridge_pid = base::FileLock::owner(seat.files.seat());
  }
  if (auto record = read_bridge_record(seat.files.bridge())) {
    state.record = *record;
  }
  if (const auto hook = stop_hook::read_record(seat.files.hook())) {
    state.hook_ms = hook->at_ms;
    state.hook_answer = std::string(stop_hook::answer_text(hook->answer));
    state.hook_printed = hook->printed;
  }
  read_waiter(context, state);
  if (auto read = read_events(state); !read) {
    state.error = read.error().what;
  }
  return state;
}

}  // namespace robot_council::wiring
