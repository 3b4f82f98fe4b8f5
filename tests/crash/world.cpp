#include "tests/crash/world.hpp"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "base/files.hpp"
#include "base/json.hpp"
#include "sink/seat.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::crash {
namespace {

// Not one of the clients', so that payloads of all of them are taken.
constexpr const char* kHarness = "several";
constexpr int kSteps = 70;
constexpr int kPowerSteps = 25;
constexpr int kAgents = 4;

std::string make_folder() {
  std::string pattern =
      ::access("/dev/shm", W_OK) == 0 ? "/dev/shm/rc-crash-XXXXXX" : "/tmp/rc-crash-XXXXXX";
  return ::mkdtemp(pattern.data()) != nullptr ? pattern : std::string("/nowhere");
}

}  // namespace

World::World(const Plan& plan, std::uint32_t seed)
    : plan_(plan), random_(seed), folder_(make_folder()) {
  for (const char* name : {"/home", "/work", "/work/.git", "/work/.git/objects", "/work/.git/refs",
                           "/state", "/config", "/config/robot-council"}) {
    ::mkdir((folder_ + name).c_str(), 0700);
  }
  test::write_text(folder_ + "/work/.git/HEAD", "ref: refs/heads/main\n");
  const std::string credentials = folder_ + "/config/robot-council/credentials.json";
  test::write_text(credentials,
                   "{" + base::quote_json(fleet_.url() + "|" + kHarness) + R"(:"I|secret"})");
  ::chmod(credentials.c_str(), 0600);
  for (const auto& [name, value] : std::map<std::string, std::string>{
           {"HOME", folder_ + "/home"},
           {"XDG_STATE_HOME", folder_ + "/state"},
           {"XDG_CONFIG_HOME", folder_ + "/config"},
           {"PATH", "/usr/bin:/bin"},
           {"ROBOT_COUNCIL_SERVICE", fleet_.url()},
           {"ROBOT_COUNCIL_HARNESS", kHarness},
           {"ROBOT_COUNCIL_ROUNDS", std::to_string(1 + random(8))}}) {
    environment_.set(name, value);
  }
  files_ = sink::resolve_bridge_seat({fleet_.url(), kHarness, ""}, folder_ + "/work", environment_)
               .seat.files;
  for (int i = 0; i < kAgents; ++i) {
    agents_.emplace_back(static_cast<Agent::Harness>(random(6)), i, folder_);
  }
  fleet_.on("GET events", [this](const test::FleetRequest& request) {
    const std::lock_guard<std::mutex> lock(mu_);
    asked_[request.token] = std::stoll(test::query_value(request.query, "after").value_or("0"));
    return std::optional<test::FleetReply>();
  });
}

World::~World() {
  bridge_.reset();
  fleet_.stop();
  if (judge_.problems().empty()) {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
}

void World::tell(const std::string& what) {
  const auto now =
      std::chrono::duration_cast<base::Milliseconds>(std::chrono::steady_clock::now() - born_);
  story_.push_back(std::to_string(now.count()) + " ms: " + what);
}

bool World::run() {
  const int steps = plan_.power ? kPowerSteps : kSteps;
  for (int i = 0; i < steps && !decided(); ++i) {
    if (plan_.power) {
      power_step();
    } else {
      step();
    }
  }
  if (!decided()) {
    end_quietly();
  }
  return judge_.problems().empty();
}

// With the defect a second print may be seen first; the loss is what is looked for.
bool World::decided() const {
  return plan_.mark_first ? judge_.lost_one() : !judge_.problems().empty();
}

void World::step() {
  if (!bridge_runs() && !one_in(4)) {
    start_bridge();
  }
  if (brake_ && one_in(6)) {
    set_brake(false);
  }
  const int what = random(100);
  if (what < 32) {
    feed(1 + random(5));
  } else if (what < 34) {
    feed(205 + random(60));
  } else if (what < 67) {
    calls(1);
  } else if (what < 79) {
    calls(2);
  } else if (what < 83) {
    kill_bridge("at rest");
  } else if (what < 87) {
    feed(1 + random(5));
    kill_bridge("with events on their way");
  } else if (what < 90) {
    end_bridge();
  } else if (what < 94) {
    set_brake(!brake_);
  } else if (what < 98) {
    // Days, but fewer than the history keeps.
    constexpr std::array<std::int64_t, 8> kShifts = {
        0, 700, -700, 61'000, -61'000, 3'600'000, -7'200'000, 12 * 86'400'000LL};
    clock_shift_ms_ = kShifts.at(static_cast<std::size_t>(random(8)));
    tell("clock: " + std::to_string(clock_shift_ms_) + " ms");
  } else {
    damage_sink();
  }
  if (one_in(8)) {
    look();
  }
}

// The power takes every process with it, so a bridge and a hook never run side by side here: what
// one of them has not synced is lost while nobody else writes.
void World::power_step() {
  start_bridge();
  for (int i = random(3); i >= 0 && bridge_runs(); --i) {
    feed(1 + random(6));
    if (one_in(2)) {
      wait_stored(base::Milliseconds(2000));
    }
  }
  if (one_in(3)) {
    wait_stored(base::Milliseconds(2000));
  }
  kill_bridge("by the power");
  look();
  for (int i = random(4); i > 0; --i) {
    calls(1);
    if (one_in(2)) {
      look();
    }
  }
}

void World::set_brake(bool on) {
  brake_ = on;
  tell(on ? "brake on" : "brake off");
  const std::string folder = folder_ + "/work/.robot-council";
  ::mkdir(folder.c_str(), 0700);
  if (!on) {
    ::unlink((folder + "/stop.json").c_str());
    return;
  }
  test::write_text(
      folder + "/stop.json",
      R"({"version":1,"scope":"all","reason":"look","who":"ana","when":"2026-11-30T05:40:12Z","repo":""})");
  ::chmod((folder + "/stop.json").c_str(), 0600);
}

// A last bridge catches up, the last rows are handed over, and the history is judged.
void World::end_quietly() {
  if (brake_) {
    set_brake(false);
  }
  clock_shift_ms_ = 0;
  last_ = true;  // nothing goes wrong any more
  kill_bridge("to begin the end");
  start_bridge();
  feed(1);
  wait_stored(base::Milliseconds(20000));
  for (int i = 0; i < 3; ++i) {
    Call call = start_call(nullptr, "");
    judge_.printed({end_call(call).printed});
  }
  look();
  judge_.conclude(session_);
}

}  // namespace robot_council::crash
