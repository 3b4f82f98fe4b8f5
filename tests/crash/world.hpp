#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/child.hpp"
#include "base/environment.hpp"
#include "sink/seat_files.hpp"
#include "tests/bridge/fake_fleet.hpp"
#include "tests/crash/agent.hpp"
#include "tests/crash/fault.hpp"
#include "tests/crash/judge.hpp"

namespace robot_council::crash {

struct Plan {
  bool power = false;       // power cuts, which leave nobody running, in place of kills
  bool mark_first = false;  // the defect
  std::string self;         // path of this program
};

// One fleet, one seat, its bridges one after another, its agents: a private world in a folder of
// its own, on a memory file system where there is one.
class World {
 public:
  World(const Plan& plan, std::uint32_t seed);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  World(World&&) = delete;
  World& operator=(World&&) = delete;

  // A few dozen random steps, the end, the verdict. False: see problems().
  bool run();
  [[nodiscard]] const Judge& judge() const { return judge_; }
  [[nodiscard]] const std::vector<std::string>& story() const { return story_; }
  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] int processes() const { return processes_; }
  [[nodiscard]] int killed() const { return killed_; }

 private:
  struct Call {
    std::optional<base::Child> child;
    Role role;
    bool real = false;  // the program itself, not this one in its role
    std::string out;    // file; "" = nobody reads
    std::string to;     // session, "" for plain
    Agent* agent = nullptr;
  };
  struct Heard {
    Printed printed;
    std::optional<std::string> text;  // an answer that the client takes
  };

  void tell(const std::string& what);
  int random(int below) { return pick(random_, below); }
  bool one_in(int n) { return random(n) == 0; }

  // world_bridge.cpp
  void start_bridge();
  [[nodiscard]] std::int64_t join_from();
  void kill_bridge(const std::string& how);
  void end_bridge();
  [[nodiscard]] bool bridge_runs();
  bool wait_joined();
  void wait_stored(base::Milliseconds limit);
  void feed(int count);
  void damage_sink();
  void look();
  void note_asked();

  // world_calls.cpp
  Call start_call(Agent* agent, const std::string& payload);
  Heard end_call(Call& call);
  [[nodiscard]] Fault random_fault(bool real);
  [[nodiscard]] std::vector<std::string> argv_of(const Role& role, bool real) const;
  void calls(int count);
  void check_exit(const Call& call, const base::ExitStatus& status, const std::string& bytes);
  void end_quietly();

  [[nodiscard]] bool decided() const;
  void step();
  void power_step();
  void set_brake(bool on);

  Plan plan_;
  Random random_;
  std::string folder_;
  test::FakeFleet fleet_;
  base::MapEnvironment environment_;
  sink::SeatFiles files_;
  std::vector<Agent> agents_;
  Judge judge_;
  std::vector<std::string> story_;
  base::SteadyTime born_ = std::chrono::steady_clock::now();
  std::optional<base::Child> bridge_;
  bool bridge_real_ = false;
  std::string bridge_token_;
  std::int64_t session_ = 0;  // of the newest join
  std::int64_t replay_floor_ = 0;
  std::mutex mu_;
  std::map<std::string, std::int64_t> asked_;  // by token
  std::int64_t clock_shift_ms_ = 0;
  bool brake_ = false;
  bool damaged_ = false;  // not healed yet
  bool last_ = false;     // nothing goes wrong any more
  int calls_made_ = 0;
  int processes_ = 0;
  int killed_ = 0;
};

}  // namespace robot_council::crash
