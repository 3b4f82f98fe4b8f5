#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/json.hpp"
#include "base/json_scan.hpp"
#include "tests/crash/sink_view.hpp"
#include "tests/crash/world.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::crash {
namespace {

constexpr base::Milliseconds kJoinLimit{20000};
constexpr base::Milliseconds kEndLimit{20000};
constexpr int kMostHealers = 30;
constexpr int kMostWrites = 160;  // a join and some pages of a bridge

std::shared_ptr<const base::Fd> file_for(const std::string& path) {
  auto fd = base::open_file(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  return fd ? std::make_shared<const base::Fd>(std::move(*fd)) : nullptr;
}

}  // namespace

bool World::bridge_runs() {
  if (!bridge_) {
    return false;
  }
  const auto status = bridge_->wait(base::deadline_in(base::Milliseconds(0)));
  if (!status) {
    return true;
  }
  tell("the bridge ended: code " + std::to_string(status->code) + ", signal " +
       std::to_string(status->signal));
  killed_ += status->signal == SIGKILL || status->code == 77 ? 1 : 0;
  if (status->code != 77 && status->signal != SIGKILL) {
    judge_.broken("the bridge ended by itself, code " + std::to_string(status->code) + ", signal " +
                  std::to_string(status->signal));
  }
  bridge_.reset();
  return false;
}

// Where the next session begins to read: at the head of the feed, as a service says it, or earlier,
// so that what a dead bridge had not stored is read by its successor.
std::int64_t World::join_from() {
  const auto cursor = judge_.cursor_of(session_);
  if (!cursor || one_in(4)) {
    return judge_.head();
  }
  const std::int64_t from = one_in(2) ? *cursor : *cursor - random(6);
  return std::max({from, judge_.join_floor(session_), replay_floor_});
}

void World::start_bridge() {
  if (bridge_runs()) {
    return;
  }
  look();
  const std::int64_t from = join_from();
  fleet_.join_from(from);
  const std::string token = fleet_.token();
  Role role;
  role.kind = Role::Kind::bridge;
  role.clock_shift_ms = clock_shift_ms_;
  bridge_real_ = last_ || (!plan_.power && one_in(2));
  if (!last_ && !bridge_real_ && (plan_.power || one_in(2))) {
    role.fault.kind = !plan_.power ? Fault::Kind::write
                      : one_in(2)  ? Fault::Kind::cut_all
                                   : Fault::Kind::cut_some;
    role.fault.at = random(kMostWrites);
    role.fault.seed = static_cast<std::uint32_t>(random_());
  }
  base::ChildOptions options;
  options.argv = argv_of(role, bridge_real_);
  options.environment = environment_.all();
  options.directory = folder_ + "/work";
  options.standard_in = base::Stdio::pipe;
  options.standard_out = base::Stdio::null;
  options.standard_err = base::Stdio::given;
  options.given_err = file_for(folder_ + "/bridge.err");
  auto child = base::Child::start(options);
  if (!child) {
    judge_.broken("a bridge could not be started: " + child.error().what);
    return;
  }
  ++processes_;
  bridge_ = std::move(*child);
  tell(std::string("bridge: ") + (bridge_real_ ? "the program" : "in its role") +
       (role.fault.kind == Fault::Kind::none
            ? ""
            : ", dies before write " + std::to_string(role.fault.at)) +
       ", reads from " + std::to_string(from));
  static_cast<void>(test::wait_until(
      [&] {
        if (!bridge_runs()) {
          return true;
        }
        const std::lock_guard<std::mutex> lock(mu_);
        return fleet_.token() != token && asked_.count(fleet_.token()) != 0;
      },
      kJoinLimit));
  if (fleet_.token() == token) {
    if (bridge_runs()) {
      judge_.broken("a bridge did not join");
    }
    return;
  }
  bridge_token_ = fleet_.token();
  session_ = fleet_.session();
  judge_.joined(session_, from);
  tell("session " + std::to_string(session_));
}

void World::note_asked() {
  const std::lock_guard<std::mutex> lock(mu_);
  if (asked_.count(bridge_token_) != 0) {
    judge_.asked(session_, asked_[bridge_token_]);
  }
}

void World::kill_bridge(const std::string& how) {
  if (!bridge_runs()) {
    note_asked();
    return;
  }
  tell("the bridge is killed " + how);
  ++killed_;
  bridge_->send_signal(SIGKILL);
  static_cast<void>(bridge_->wait(base::deadline_in(kEndLimit)));
  bridge_.reset();
  note_asked();
}

// The end of a session: its harness closes stdin or sends SIGTERM.
void World::end_bridge() {
  if (!bridge_runs()) {
    return;
  }
  const bool by_signal = one_in(2);
  tell(by_signal ? "SIGTERM to the bridge" : "the bridge's input ends");
  if (by_signal) {
    bridge_->send_signal(SIGTERM);
  } else {
    bridge_->standard_in.reset();
  }
  const auto status = bridge_->wait(base::deadline_in(kEndLimit));
  if (!status) {
    judge_.broken("a bridge did not end");
  } else if (status->code != 0 && status->signal != SIGKILL && status->code != 77) {
    judge_.broken("a bridge ended with code " + std::to_string(status->code) + ", signal " +
                  std::to_string(status->signal));
  }
  bridge_.reset();
  note_asked();
}

void World::wait_stored(base::Milliseconds limit) {
  const bool stored = test::wait_until(
      [&] {
        if (!bridge_runs()) {
          return true;
        }
        const std::lock_guard<std::mutex> lock(mu_);
        return asked_[bridge_token_] >= judge_.head();
      },
      limit);
  if (!stored && last_) {
    judge_.broken("the last bridge did not catch up");
  }
}

void World::feed(int count) {
  tell("feed: " + std::to_string(count) + " from " + std::to_string(judge_.head() + 1));
  for (int i = 0; i < count; ++i) {
    const int size = one_in(12) ? 3000 + random(9000) : random(60);
    const std::int64_t id = judge_.head() + 1;
    judge_.fed(fleet_.directive("event " + std::to_string(id) + " " +
                                std::string(static_cast<std::size_t>(size), 'x')));
  }
}

void World::look() {
  if (damaged_) {
    return;
  }
  note_asked();
  const SinkView view = read_sink(files_.database(), judge_.history_seen());
  judge_.saw(view);
  const bool gap_waits = std::any_of(view.rows.begin(), view.rows.end(),
                                     [](const auto& row) { return row.type == "bridge.sink-gap"; });
  if (view.exists && !gap_waits) {
    judge_.gap_taken_in();
  }
}

// A person moves the sink away, or a disk spoils it, while a bridge runs: the bridge begins another
// and says what may be missing.
void World::damage_sink() {
  if (!bridge_runs() || !bridge_real_) {
    return;
  }
  wait_stored(base::Milliseconds(10000));
  look();
  const SinkView before = read_sink(files_.database(), judge_.history_seen());
  if (!before.exists) {
    return;
  }
  judge_.sink_gone(before);
  damaged_ = true;
  replay_floor_ = judge_.head();
  const bool away = one_in(2);
  tell(away ? "the sink is moved away" : "the sink is spoilt");
  if (away) {
    static_cast<void>(::rename(files_.database().c_str(), (folder_ + "/moved.db").c_str()));
  } else {
    std::ofstream(files_.database(), std::ios::trunc) << std::string(9000, 'z');
  }
  if (one_in(2)) {
    calls(1);
  }
  if (!away && one_in(3)) {
    feed(1);
    kill_bridge("beside the spoilt sink");
  }
  // Its successors may be killed while they heal.
  for (int tries = 0; tries < kMostHealers; ++tries) {
    start_bridge();
    feed(1);
    wait_stored(base::Milliseconds(20000));
    if (bridge_runs()) {
      break;
    }
  }
  damaged_ = false;
  const SinkView after = read_sink(files_.database(), 0);
  bool said = false;
  for (const SinkView::Row& row : after.rows) {
    if (row.type == "bridge.sink-gap") {
      const std::string body = base::json_unescape(base::json_member(row.json, "body"));
      const std::size_t at = body.find("after=");
      said = at != std::string::npos;
      judge_.gap_said(session_, said ? std::stoll(body.substr(at + 6)) : 0);
    }
  }
  if (!said) {
    judge_.broken("a bridge began another sink and said no gap");
  }
  look();
}

}  // namespace robot_council::crash
