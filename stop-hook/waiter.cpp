#include "stop-hook/waiter.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <utility>

#include "base/child.hpp"
#include "base/files.hpp"
#include "base/os.hpp"
#include "brake/decision.hpp"
#include "pending/transcript.hpp"
#include "stop-hook/hook_run.hpp"
#include "stop-hook/limits.hpp"

namespace robot_council::stop_hook {

namespace {

constexpr int kNothing = 0;

std::uint64_t inode_of(const std::string& path) {
  const base::Result<base::FileInfo> info = base::file_info(path, base::Links::dont);
  return info.ok() ? info->inode : 0;
}

base::SteadyTime now_steady() {
  return base::deadline_in(base::Milliseconds(0));
}

base::Milliseconds since(base::SteadyTime begin) {
  return std::chrono::duration_cast<base::Milliseconds>(now_steady() - begin);
}

}  // namespace

WaiterStart waiter_start(const harness::Payload& payload) {
  if (payload.event == "UserPromptSubmit") {
    return WaiterStart::prompt;
  }
  if (payload.source == "compact") {
    return WaiterStart::compact;
  }
  return payload.source == "startup" || payload.source == "resume" ? WaiterStart::fresh
                                                                   : WaiterStart::other;
}

Waiter::Waiter(const Setup& setup)
    : setup_(setup),
      start_(waiter_start(setup.payload)),
      midturn_(read_midturn(setup.context.environment)),
      parent_pid_(getppid()),
      life_end_(base::deadline_in(setup.options.times.life)),
      again_(life_end_),
      transcript_grew_(now_steady()) {
  mine_.client = setup.client;
  mine_.session = setup.payload.session;
  mine_.waiter = sink::own_process();
  mine_.since_ms = setup.started_ms;
}

int Waiter::run() {
  base::Result<base::SignalReader> signals = base::SignalReader::open({SIGTERM, SIGHUP, SIGINT});
  if (!signals.ok()) {
    return kNothing;
  }
  if (start_ == WaiterStart::fresh) {
    note_start_of_sink();
  }
  base::Result<std::string> generation = take_over(setup_.seat.files, mine_);
  if (!generation.ok()) {
    return kNothing;
  }
  mine_.generation = std::move(*generation);
  SinkWatch watch(setup_.seat.files, {&*signals, setup_.stderr_fd});
  while (base::time_left(life_end_).count() > 0) {
    again_ = std::min(life_end_, base::deadline_in(setup_.options.times.look_again));
    if (watch.hung_up()) {
      return kNothing;
    }
    switch (turn()) {
      case Next::handed_over:
        return kHandedOver;
      case Next::leave:
        return kNothing;
      case Next::wait:
        break;
    }
    base::os::forget_program_pages();  // one waiter a session, nearly always asleep
    if (watch.sleep(again_) != SinkWatch::Woke::look) {
      return kNothing;
    }
  }
  return kNothing;
}

bool Waiter::client_there() const {
  return getppid() == parent_pid_ &&
         base::process_alive(static_cast<pid_t>(setup_.client.pid), setup_.client.started)
             .value_or(false);
}

bool Waiter::braked() const {
  return brake::decide_for_seat(setup_.context.environment, setup_.seat.names.harness,
                                hook_folders(setup_.seat, setup_.payload))
      .refused();
}

void Waiter::watch_transcript() {
  const std::optional<std::int64_t> size =
      setup_.payload.transcript.empty() ? std::nullopt
                                        : pending::transcript_size(setup_.payload.transcript);
  if (size != transcript_size_) {
    transcript_size_ = size;
    transcript_grew_ = now_steady();
  }
}

WakeView Waiter::view() const {
  WakeView view;
  view.start = start_;
  view.midturn = midturn_;
  view.started_ms = setup_.started_ms;
  view.now_ms = setup_.context.clock.wall_ms();
  if (base::Result<HookRecord> hook = read_record(setup_.seat.files.hook()); hook.ok()) {
    view.hook = std::move(*hook);
  }
  view.session = setup_.payload.session;
  view.transcript_still = since(transcript_grew_);
  if (const std::optional<WaitRecord> record = read_wait_record(setup_.seat.files); record) {
    if (const WaitClient* client = record->find(setup_.client); client != nullptr) {
      view.wakes = client->wakes;
    }
  }
  return view;
}

void Waiter::note_start_of_sink() {
  sink_inode_ = inode_of(setup_.seat.files.database());
  const base::Result<pending::Waiting> waiting = pending::look(request(Take::all));
  after_seq_ = waiting.ok() ? waiting->last_seq : 0;
}

pending::Request Waiter::request(Take take) const {
  pending::Request request;
  request.files = setup_.seat.files;
  request.harness = setup_.seat.names.harness;
  request.call.kind = sink::CallKind::wake;
  request.call.session = setup_.payload.session;
  if (!setup_.payload.turn.empty()) {
    request.call.turn = setup_.payload.turn;
  }
  if (!setup_.payload.transcript.empty()) {
    request.call.transcript = setup_.payload.transcript;
  }
  request.shape = pending::Shape::text;
  request.filter.urgent_only = take == Take::urgent;
  // A new file counts its rows anew, and all of them came later.
  request.filter.after_seq = inode_of(setup_.seat.files.database()) == sink_inode_ ? after_seq_ : 0;
  request.output = setup_.stderr_fd;
  request.step = setup_.options.step;
  return request;
}

Waiter::Next Waiter::turn() {
  if (!client_there() || !still_mine(setup_.seat.files, mine_)) {
    return Next::leave;
  }
  watch_transcript();
  const WakeView now = view();
  const WakeChoice choice = choose_take(now, setup_.options.times);
  if (choice.take == Take::nothing || braked()) {
    gathering_.reset();
    if (choice.again_ms > now.now_ms) {
      again_ =
          std::min(again_, base::deadline_in(base::Milliseconds(choice.again_ms - now.now_ms)));
    }
    return Next::wait;
  }
  return look(choice.take);
}

// Lets arrivals gather, so that a burst is one hand-over.
Waiter::Next Waiter::look(Take take) {
  base::Result<pending::Waiting> waiting = pending::look(request(take));
  if (waiting.ok() && waiting->last_seq < after_seq_) {
    after_seq_ = 0;  // another file under the same inode number
    waiting = pending::look(request(take));
  }
  if (!waiting.ok() || waiting->rows == 0) {
    gathering_.reset();
    return Next::wait;
  }
  const base::SteadyTime now = now_steady();
  if (!gathering_) {
    gathering_ = Gathering{now, now, *waiting};
  } else if (gathering_->seen.rows != waiting->rows ||
             gathering_->seen.last_seq != waiting->last_seq) {
    gathering_->newest = now;
    gathering_->seen = *waiting;
  }
  const WakeTimes& times = setup_.options.times;
  const base::SteadyTime due =
      std::min(gathering_->newest + times.gather_quiet, gathering_->first + times.gather_total);
  if (due > now) {
    again_ = std::min(again_, due);
    return Next::wait;
  }
  gathering_.reset();
  return hand_over(take);
}

Waiter::Next Waiter::hand_over(Take take) {
  bool leave = false;
  pending::Request wanted = request(take);
  const SinkWatch at_the_end(setup_.seat.files, {nullptr, setup_.stderr_fd});
  wanted.still_wanted = [&] {
    leave = !still_mine(setup_.seat.files, mine_) || !client_there() || at_the_end.hung_up();
    return !leave && !braked();
  };
  const base::Result<pending::Outcome> outcome = pending::deliver(wanted, setup_.context);
  if (!outcome.ok()) {
    return Next::wait;
  }
  switch (outcome->end) {
    case pending::End::printed:
      (void)note_wake(setup_.seat.files, mine_, setup_.context.clock.wall_ms());
      return Next::handed_over;
    case pending::End::reader_gone:
      return Next::leave;
    case pending::End::unwanted:
      return leave ? Next::leave : Next::wait;
    case pending::End::nothing_waiting:
    case pending::End::guarded:
    case pending::End::same_turn_end:
      break;
  }
  return Next::wait;
}

}  // namespace robot_council::stop_hook
