// One real bridge against a service at its worst, for as long as asked.
// usage: rc_soak [--seconds N] [--seed S]      default 30 s and a random seed, which is printed
// It ends with "ok" and 0, or with what was wrong and 1: an event that is neither in the sink nor
// in a gap that was said, an event stored twice, an answer too few or too many, stdout that is not
// whole JSON lines, memory, threads or descriptors that grow, a busy loop, a bridge that does not
// end as asked.

#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/environment.hpp"
#include "base/json.hpp"
#include "base/signals.hpp"
#include "base/text.hpp"
#include "sink/delivery_store.hpp"
#include "sink/seat.hpp"
#include "tests/lib/support.hpp"
#include "tests/soak/bridge_client.hpp"
#include "tests/soak/misbehaving_fleet.hpp"

namespace robot_council::test {
namespace {

using base::Milliseconds;
using base::SteadyTime;

// How a bridge of the run is ended.
enum class End : unsigned char { by_fleet, killed, end_of_input, signal };

constexpr std::size_t kMostOwed = 24;         // requests in flight
constexpr std::size_t kMostThreads = 16;      // main, reader, router, 8 workers, keeper, follower,
                                              // announcer; two to spare
constexpr std::size_t kMostDescriptors = 48;  // pipes, lock, sink, ten connections
constexpr std::int64_t kGrowthKb = 6 * 1024;  // between the halves of a bridge's life
constexpr std::int64_t kMostResidentKb = 160 * 1024;  // eight answers of 6 MiB, twice each
constexpr double kMostCpu = 0.6;           // of one core, under load; a spin takes all of it
constexpr Milliseconds kSettle{30000};     // for what is owed to arrive, once the fleet is calm
constexpr Milliseconds kRolePause{64000};  // twice what lies between two renewals, and some
constexpr Milliseconds kBetweenActs{4};
constexpr Milliseconds kBetweenLooks{20};  // each locks the sink
constexpr Milliseconds kIdle{1500};
constexpr Milliseconds kMostIdleCpu{300};  // in that time

class Soak {
 public:
  explicit Soak(std::uint64_t seed) : random_(seed), fleet_(seed ^ 0x50A4U) {
    for (const char* folder : {"/work", "/home", "/config"}) {
      static_cast<void>(::mkdir((dir_.path() + folder).c_str(), 0700));
    }
    // A repository of its own: outside of one, stop files of any repository of the user would
    // count.
    for (const char* folder : {"/work/.git", "/work/.git/objects", "/work/.git/refs"}) {
      static_cast<void>(::mkdir((dir_.path() + folder).c_str(), 0700));
    }
    write_text(dir_ / "work/.git/HEAD", "ref: refs/heads/main\n");
    const std::string folder = dir_ / "config/robot-council";
    write_text(folder + "/credentials.json",
               "{" + base::quote_json(fleet_.url() + "|claude") + R"(:"I|secret"})");
    static_cast<void>(::chmod(folder.c_str(), 0700));
    static_cast<void>(::chmod((folder + "/credentials.json").c_str(), 0600));
  }

  // One bridge from its start to its end.
  // `loads`: with a quiet time after each, which are compared.
  void life(Milliseconds time, int loads, End end);
  void finish() { fleet_.stop(); }
  [[nodiscard]] const std::vector<std::string>& wrong() const { return wrong_; }
  [[nodiscard]] std::string done() { return fleet_.done(); }

 private:
  [[nodiscard]] std::map<std::string, std::string> environment() const {
    return {{"HOME", dir_ / "home"},
            {"XDG_STATE_HOME", dir_ / "state"},
            {"XDG_CONFIG_HOME", dir_ / "config"},
            {"PATH", "/usr/bin:/bin"}};
  }
  void complain(const std::string& what) {
    wrong_.push_back(what);
    std::cerr << "FAILED: " << what << "\n" << (client_ ? client_->said() : "") << std::flush;
  }
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  bool begin();
  void load(Milliseconds time);
  void act();
  void send_odd_line();
  void large(int step);
  void sample();
  void look();
  void settle();
  void idle();
  void stop(End end);
  void judge(Milliseconds took, const Usage& last);
  [[nodiscard]] std::size_t missing(std::string* which);

  std::mt19937_64 random_;
  TempDir dir_;
  MisbehavingFleet fleet_;
  std::unique_ptr<BridgeClient> client_;
  std::vector<std::pair<SteadyTime, std::int64_t>> to_cancel_;
  std::set<std::string> seen_;
  std::string unread_;        // why the newest look at the sink saw nothing
  bool left_behind_ = false;  // by a bridge that was killed
  Usage most_;                // under load
  std::vector<Usage> quiet_;  // each time the load was over
  std::vector<std::string> wrong_;
};

bool Soak::begin() {
  seen_.clear();
  most_ = {};
  quiet_.clear();
  to_cancel_.clear();
  const std::size_t ends = fleet_.ends();
  client_ = std::make_unique<BridgeClient>(fleet_.url(), environment(), dir_ / "work");
  client_->request("initialize", R"({"protocolVersion":"2025-11-25","capabilities":{}})");
  client_->line(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  const std::string joined = client_->ask("join", Milliseconds(20000));
  if (joined.find("Joined the fleet as session") == std::string::npos) {
    complain("the bridge did not join: " + joined);
    for (const std::string& what : client_->wrong()) {
      complain(what);
    }
    return false;
  }
  if (left_behind_ && fleet_.ends() == ends) {
    complain("the session of the killed bridge was not ended by the next one");
  }
  left_behind_ = false;
  return true;
}

void Soak::send_odd_line() {
  static const std::vector<std::string> lines = {
      "not json",
      "{}",
      "[]",
      "5",
      "",
      "\xff\xfe broken",
      std::string(150, '[') + std::string(150, ']'),
      R"({"jsonrpc":"2.0","id":true,"method":"ping"})",
      R"({"jsonrpc":"2.0","id":77777777,"result":{}})",
      R"({"jsonrpc":"2.0","method":"notifications/progress","params":{}})",
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"none"}})",
      R"([{"jsonrpc":"2.0","id":"batch1","method":"tools/list"},{"jsonrpc":"2.0","id":"batch2","method":"ping"}])",
      R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":"task_list"}})",
  };
  client_->line(lines.at(draw(lines.size())));
}

void Soak::act() {
  const SteadyTime now = std::chrono::steady_clock::now();
  while (!to_cancel_.empty() && to_cancel_.front().first <= now) {
    client_->cancel(to_cancel_.front().second);
    to_cancel_.erase(to_cancel_.begin());
  }
  if (client_->owed() >= kMostOwed) {
    return;
  }
  const std::uint64_t what = draw(100);
  if (what < 12) {
    client_->request("ping");
  } else if (what < 22) {
    client_->request("tools/list");
  } else if (what < 26) {
    client_->request("resources/list");
  } else if (what < 66) {
    client_->call(draw(6) == 0 ? "events_read" : "task_list");
  } else if (what < 70) {
    client_->call("task_create", R"({"text":")" + std::string(draw(200000), 'y') + "\"}");
  } else if (what < 76 && to_cancel_.size() < 4) {
    to_cancel_.emplace_back(now + Milliseconds(200), client_->call("hang"));
  } else if (what < 86) {
    send_odd_line();
  }
}

void Soak::large(int step) {
  switch (step % 3) {
    case 0:
      client_->call("large");
      client_->call("large");
      break;
    case 1:
      client_->call("too_large");
      break;
    default:
      client_->line(std::string(std::size_t{10} << 20U, 'x'));
  }
}

void Soak::sample() {
  const std::optional<Usage> now = usage_of(client_->child().pid());
  if (!now) {
    return;
  }
  most_.resident_kb = std::max(most_.resident_kb, now->resident_kb);
  most_.threads = std::max(most_.threads, now->threads);
  most_.descriptors = std::max(most_.descriptors, now->descriptors);
}

void Soak::look() {
  const base::MapEnvironment variables(environment());
  const sink::SeatFiles files =
      sink::resolve_bridge_seat({fleet_.url(), "claude", ""}, dir_ / "work", variables).seat.files;
  auto store = sink::DeliveryStore::open(files, sink::Access::read_only, sink::WaitBudget());
  if (!store.ok() || !*store) {
    unread_ = store.ok() ? "there is no sink" : store.error().what;
    return;
  }
  auto look = (*store)->look(std::nullopt);
  if (!look.ok()) {
    unread_ = look.error().what;
    return;
  }
  unread_.clear();
  std::set<std::pair<std::int64_t, std::int64_t>> ids;
  for (const sink::Entry& row : look->rows) {
    if (row.event_id && !ids.emplace(row.join_no, *row.event_id).second) {
      complain("event " + std::to_string(*row.event_id) + " is stored twice");
    }
    const std::size_t at = row.json.find(R"("body":"n)");
    if (at != std::string::npos) {
      const std::size_t begin = at + 8;
      seen_.insert(row.json.substr(begin, row.json.find(' ', begin) - begin));
    }
  }
}

void Soak::load(Milliseconds time) {
  const SteadyTime begun = std::chrono::steady_clock::now();
  const SteadyTime end = begun + time;
  SteadyTime post_at = begun;
  SteadyTime look_at = begun;
  // A role is followed by a renewal, and renewals by themselves are 30 s apart: so first the role,
  // then tokens that are refused, which a call has renewed at once.
  SteadyTime role_at = begun + (quiet_.empty() ? Milliseconds(800) : kRolePause);
  SteadyTime expire_at = quiet_.empty() ? role_at + Milliseconds(1500) : role_at - kRolePause;
  int step = 0;
  while (true) {
    const SteadyTime now = std::chrono::steady_clock::now();
    if (now >= end) {
      return;
    }
    act();
    if (now >= post_at) {
      fleet_.post();
      post_at = now + Milliseconds(100 + draw(200));
    }
    if (now >= look_at) {
      look();
      sample();
      look_at = now + Milliseconds(300);
    }
    if (now >= expire_at && role_at - now > kRolePause / 2) {
      fleet_.expire_token();
      expire_at = now + Milliseconds(3000 + draw(4000));
    }
    if (now >= role_at) {
      fleet_.change_role();
      role_at = now + 2 * kRolePause;
    }
    constexpr int kSteps = 5;  // the same in every load, so that they can be compared
    if (now >= begun + time * (step + 1) / kSteps) {
      large(step++);
    }
    if (!runs_for(client_->child().pid(), kBetweenActs)) {
      complain("the bridge ended under load");
      return;
    }
  }
}

std::size_t Soak::missing(std::string* which) {
  const auto said = client_->pruned();
  std::size_t count = 0;
  for (const MisbehavingFleet::Owed& owed : fleet_.owed()) {
    const bool excused = owed.pruned && std::any_of(said.begin(), said.end(), [&](const auto& gap) {
                           return *owed.pruned >= gap.first && *owed.pruned <= gap.second;
                         });
    if (!excused && seen_.count(owed.tag) == 0) {
      ++count;
      if (which != nullptr && count <= 5) {
        *which += " " + owed.tag + " (event " + std::to_string(owed.id) + ")";
      }
    }
  }
  return count;
}

void Soak::settle() {
  fleet_.calm();
  for (const auto& [when, id] : to_cancel_) {
    client_->cancel(id);
  }
  to_cancel_.clear();
  const SteadyTime end = base::deadline_in(kSettle);
  do {
    look();
  } while ((client_->owed() > 0 || missing(nullptr) > 0) && base::time_left(end).count() > 0 &&
           runs_for(client_->child().pid(), kBetweenLooks));
  std::string which;
  if (const std::size_t lost = missing(&which); lost > 0) {
    complain(std::to_string(lost) + " of " + std::to_string(fleet_.owed().size()) +
             " events are neither in the sink nor in a gap that was said:" + which +
             (unread_.empty() ? "" : "; the sink could not be read: " + unread_));
  }
  if (client_->owed() > 0) {
    complain(std::to_string(client_->owed()) + " requests were never answered");
  }
  if (fleet_.restores() > client_->went_back()) {
    complain("the feed went back " + std::to_string(fleet_.restores()) + " times, said " +
             std::to_string(client_->went_back()) + " times");
  }
}

void Soak::idle() {
  const std::optional<Usage> before = usage_of(client_->child().pid());
  const bool runs = runs_for(client_->child().pid(), kIdle);
  const std::optional<Usage> after = usage_of(client_->child().pid());
  if (!runs || !before || !after) {
    complain("the bridge is gone");
    return;
  }
  if (after->cpu - before->cpu > kMostIdleCpu) {
    complain("an idle bridge took " + std::to_string((after->cpu - before->cpu).count()) +
             " ms of processor time in " + std::to_string(kIdle.count()) + " ms");
  }
  quiet_.push_back(*after);
}

void Soak::stop(End end) {
  const std::size_t ends = fleet_.ends();
  if (end == End::by_fleet || end == End::end_of_input) {
    for (int i = 0; i < 6; ++i) {
      client_->call(end == End::by_fleet && i % 2 == 0 ? "hang" : "task_list");
    }
  }
  if (end == End::by_fleet) {
    fleet_.end_session();
    client_->call("task_list");
  } else if (end == End::end_of_input) {
    client_->close_input();
  } else {
    client_->child().send_signal(end == End::killed ? SIGKILL : SIGTERM);
  }
  const base::Result<base::ExitStatus> status =
      client_->child().wait(base::deadline_in(Milliseconds(15000)));
  if (!status.ok()) {
    complain("the bridge did not end");
    return;
  }
  if (status->code != 0 && end != End::killed) {
    complain("the bridge ended with exit " + std::to_string(status->code) + ", signal " +
             std::to_string(status->signal));
  }
  if ((end == End::by_fleet || end == End::end_of_input) &&
      !wait_until([this] { return client_->owed() == 0; }, Milliseconds(2000))) {
    complain(std::to_string(client_->owed()) + " requests at the end were never answered");
  }
  left_behind_ = end == End::killed;
  if (!left_behind_ && fleet_.ends() == ends) {
    complain("the session was not ended at the service");
  }
}

void Soak::judge(Milliseconds took, const Usage& last) {
  const double share = static_cast<double>(last.cpu.count()) /
                       static_cast<double>(std::max<std::int64_t>(1, took.count()));
  std::cout << "session " << fleet_.sessions() << ": " << took.count() / 1000 << " s, "
            << client_->answers() << " answers, " << seen_.size() << " events, "
            << static_cast<int>(share * 100)
            << " % of a core; resident, threads, descriptors: most " << most_.resident_kb / 1024
            << " MiB " << most_.threads << " " << most_.descriptors;
  for (const Usage& quiet : quiet_) {
    std::cout << ", quiet " << quiet.resident_kb / 1024 << " MiB " << quiet.threads << " "
              << quiet.descriptors;
  }
  std::cout << std::endl;
  if (quiet_.size() > 1) {
    const Usage& early = quiet_.front();
    const Usage& late = quiet_.back();
    if (late.resident_kb > early.resident_kb + kGrowthKb || late.threads > early.threads ||
        late.descriptors > early.descriptors + 2) {
      complain("memory, threads or descriptors grew from one quiet time to the next");
    }
  }
  if (most_.resident_kb > kMostResidentKb || most_.threads > kMostThreads ||
      most_.descriptors > kMostDescriptors) {
    complain("too much memory, too many threads or descriptors under load");
  }
  if (share > kMostCpu) {
    complain("too much processor time");
  }
  for (const std::string& what : client_->wrong()) {
    complain(what);
  }
}

void Soak::life(Milliseconds time, int loads, End end) {
  const SteadyTime begun = std::chrono::steady_clock::now();
  if (!begin()) {
    return;
  }
  for (int i = 0; i < loads; ++i) {
    fleet_.storm();
    load(time / loads);
    settle();
    idle();
  }
  const auto took =
      std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - begun);
  const Usage last = usage_of(client_->child().pid()).value_or(Usage{});
  stop(end);
  judge(took, last);
  client_.reset();
}

int run_soak(std::int64_t seconds, std::uint64_t seed) {
  base::ignore_sigpipe();
  std::cout << "seed " << seed << std::endl;
  Soak soak(seed);
  // Beside its load each bridge takes some seconds to settle and to be watched while idle.
  constexpr std::int64_t kQuietSeconds = 12;
  const Milliseconds all = std::chrono::seconds(std::max<std::int64_t>(seconds - kQuietSeconds, 4));
  struct Life {
    int percent;
    int loads;
    End end;
  };
  for (const Life& life : {Life{60, 2, End::by_fleet}, Life{20, 1, End::killed},
                           Life{20, 1, seed % 2 == 0 ? End::end_of_input : End::signal}}) {
    soak.life(all * life.percent / 100, life.loads, life.end);
  }
  soak.finish();
  std::cout << "faults: " << soak.done() << std::endl;
  if (!soak.wrong().empty()) {
    std::cout << "FAILED, --seed " << seed << std::endl;
    return 1;
  }
  std::cout << "ok" << std::endl;
  return 0;
}

}  // namespace
}  // namespace robot_council::test

int main(int argc, char** argv) {
  std::int64_t seconds = 30;
  std::uint64_t seed = std::random_device{}();
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    const auto value = robot_council::base::parse_digits(argv[i + 1]);
    if (!value || (option != "--seconds" && option != "--seed")) {
      std::cerr << "usage: rc_soak [--seconds N] [--seed S]\n";
      return 2;
    }
    if (option == "--seed") {
      seed = static_cast<std::uint64_t>(*value);
    } else {
      seconds = *value;
    }
  }
  return robot_council::test::run_soak(seconds, seed);
}
