// The crash checker. For a number of seconds it lets a feed run through a real bridge, a real sink
// and real stop hooks while it kills them at every step, moves the clock, flips the brake, spoils
// the sink and ends sessions; then it judges the history: every event is waiting, handed over, in
// the history or in a gap that was said; a second print says so; first prints follow the feed.

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/signals.hpp"
#include "base/text.hpp"
#include "tests/crash/fault.hpp"
#include "tests/crash/world.hpp"

namespace robot_council::crash {
namespace {

constexpr const char* kUsage =
    "usage: rc_crash_checker [--seconds N] [--seed N] [--power] [--mark-before-flush]\n"
    "  --seconds N            how long (30)\n"
    "  --seed N               the seed of the first world, as a failure named it; the next ones "
    "count up.\n"
    "                         It repeats the choices; the instant of a kill is the machine's\n"
    "  --power                the power is cut in place of kills: what SQLite had not synced is "
    "lost\n"
    "  --mark-before-flush    the hooks have this defect; the checker must find it\n"
    "Exit code 0: nothing found; 1: a promise was broken; 2: wrong use.\n";
constexpr std::size_t kStoryLines = 60;

struct Options {
  std::int64_t seconds = 30;
  std::uint32_t seed = std::random_device()();
  Plan plan;
};

bool read_options(const std::vector<std::string>& words, Options& options) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool takes_number = words[i] == "--seconds" || words[i] == "--seed";
    const auto number =
        takes_number && i + 1 < words.size() ? base::parse_digits(words[i + 1]) : std::nullopt;
    if (takes_number && !number) {
      return false;
    }
    if (words[i] == "--seconds") {
      options.seconds = static_cast<std::int64_t>(*number);
    } else if (words[i] == "--seed") {
      options.seed = static_cast<std::uint32_t>(*number);
    } else if (words[i] == "--power") {
      options.plan.power = true;
    } else if (words[i] == "--mark-before-flush") {
      options.plan.mark_first = true;
    } else {
      return false;
    }
    i += takes_number ? 1 : 0;
  }
  return true;
}

void report(const World& world, std::uint32_t seed) {
  for (const std::string& problem : world.judge().problems()) {
    std::cout << problem << "\n";
  }
  const auto& story = world.story();
  const std::size_t from = story.size() > kStoryLines ? story.size() - kStoryLines : 0;
  for (std::size_t i = from; i < story.size(); ++i) {
    std::cout << "  " << i << ": " << story[i] << "\n";
  }
  std::cout << "seed " << seed << "; its folder is kept: " << world.folder() << "\n";
}

int check(const Options& options) {
  std::cout << "crash checker: seed " << options.seed << ", " << options.seconds << " s"
            << (options.plan.power ? ", power cuts" : "") << std::endl;
  const auto deadline = base::deadline_in(std::chrono::seconds(options.seconds));
  std::uint32_t seed = options.seed;
  std::int64_t events = 0;
  std::size_t known = 0;
  std::size_t printed = 0;
  std::size_t repeats = 0;
  int processes = 0;
  int killed = 0;
  for (bool first = true; first || base::time_left(deadline).count() > 0; first = false, ++seed) {
    World world(options.plan, seed);
    const bool good = world.run();
    events += world.judge().head();
    known += world.judge().known();
    printed += world.judge().first_prints();
    repeats += world.judge().repeats();
    processes += world.processes();
    killed += world.killed();
    if (options.plan.mark_first ? world.judge().lost_one() : !good) {
      report(world, seed);
      return 1;
    }
  }
  std::cout << "worlds " << seed - options.seed << ", events fed " << events << ", stored " << known
            << ", printed " << printed << ", marked repeats " << repeats << "; processes "
            << processes << ", killed " << killed << "\nnothing lost, nothing repeated unmarked"
            << std::endl;
  return 0;
}

}  // namespace
}  // namespace robot_council::crash

int main(int argc, char** argv) {
  namespace crash = robot_council::crash;
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  if (const auto role = crash::parse_role(words)) {
    return crash::play(*role);
  }
  testing::InitGoogleTest(&argc, argv);  // the fixtures of the fleet use its assertions
  robot_council::base::ignore_sigpipe();
  crash::Options options;
  if (!crash::read_options(words, options)) {
    std::cerr << crash::kUsage;
    return 2;
  }
  std::vector<char> self(4096);
  const ssize_t length = ::readlink("/proc/self/exe", self.data(), self.size());
  options.plan.self =
      std::string(self.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  return crash::check(options);
}
