#include "tests/lib/support.hpp"

#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <system_error>

#include <gtest/gtest.h>

#include "base/os.hpp"
#include "base/signals.hpp"

namespace robot_council::test {

TempDir::TempDir(Place place) {
  const char* base = ::getenv("TMPDIR");
  std::string folder = base != nullptr && *base == '/' ? base : "/tmp";
  if (place == Place::memory && ::access("/dev/shm", W_OK) == 0) {
    folder = "/dev/shm";
  }
  std::string pattern = folder + "/rc-test-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) {
    ADD_FAILURE() << "mkdtemp " << pattern << " failed";
  }
  path_ = pattern;
}

TempDir::~TempDir() {
  if (::testing::Test::HasFailure()) {
    std::cerr << "kept for a look: " << path_ << "\n";
    return;
  }
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempDir::operator/(std::string_view name) const {
  return path_ + "/" + std::string(name);
}

base::SteadyTime in_time() {
  return base::deadline_in(kInTime);
}

base::Milliseconds allowed(base::Milliseconds promised) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr int kChecker = 3;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  constexpr int kChecker = 3;
#else
  constexpr int kChecker = 1;
#endif
#else
  constexpr int kChecker = 1;
#endif
  std::array<std::chrono::microseconds, 5> starts{};
  for (std::chrono::microseconds& start : starts) {
    base::ChildOptions empty;
    empty.argv = {"/bin/true"};
    const auto begin = std::chrono::steady_clock::now();
    (void)base::run_child(empty, {}, in_time());
    start = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() -
                                                                  begin);
  }
  std::sort(starts.begin(), starts.end());
  const auto scaled = promised * std::max<std::int64_t>(starts[2].count(), 1000) * kChecker / 1000;
  return std::min(scaled, promised + base::Milliseconds(5000));
}

bool wait_until(const std::function<bool()>& condition, base::Milliseconds limit) {
  const auto deadline = base::deadline_in(limit);
  while (!condition()) {
    if (base::time_left(deadline).count() == 0) {
      return condition();
    }
    ::poll(nullptr, 0, 2);  // what is looked at gives no sign when it changes
  }
  return true;
}

std::chrono::nanoseconds processor_time(const std::function<void()>& work) {
  const auto now = [] {
    timespec used{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
  };
  std::chrono::nanoseconds least = std::chrono::nanoseconds::max();
  for (int i = 0; i < 3; ++i) {
    const auto begin = now();
    work();
    least = std::min(least, std::chrono::nanoseconds(now() - begin));
  }
  return least;
}

void Gate::open() {
  const std::lock_guard<std::mutex> lock(mu_);
  open_ = true;
  changed_.notify_all();
}

bool Gate::wait(base::Milliseconds limit) {
  std::unique_lock<std::mutex> lock(mu_);
  return changed_.wait_for(lock, limit, [this] { return open_; });
}

bool stopped_within(const std::stop_token& stop, base::Milliseconds limit) {
  std::mutex mu;
  std::condition_variable_any stopped;
  std::unique_lock<std::mutex> lock(mu);
  return stopped.wait_for(lock, stop, limit, [&stop] { return stop.stop_requested(); });
}

bool runs_for(pid_t pid, std::chrono::microseconds time) {
  const base::Fd process = base::os::open_process(pid);
  if (!process.valid()) {
    return false;
  }
  pollfd watched{process.get(), POLLIN, 0};
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  const timespec limit{seconds.count(), std::chrono::nanoseconds(time - seconds).count()};
  return ::ppoll(&watched, 1, &limit, nullptr) == 0;
}

bool pipe_is_empty(int fd) {
  int bytes = -1;
  return ::ioctl(fd, FIONREAD, &bytes) == 0 && bytes == 0;
}

bool thread_sleeps(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string stat;
  std::getline(file, stat);
  const std::size_t name_end = stat.rfind(')');
  return name_end != std::string::npos && stat.compare(name_end, 3, ") S") == 0;
}

Seeded::Seeded()
    : seed_([] {
        const char* given = ::getenv("RC_SEED");
        return given != nullptr ? static_cast<std::uint32_t>(std::stoul(given))
                                : std::random_device()();
      }()),
      numbers_(seed_) {}

std::uint32_t Seeded::below(std::uint32_t end) {
  return std::uniform_int_distribution<std::uint32_t>(0, end - 1)(numbers_);
}

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    ADD_FAILURE() << "cannot read " << path;
    return {};
  }
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

void write_text(const std::string& path, std::string_view content) {
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << content;
  if (!out.flush()) {
    ADD_FAILURE() << "cannot write " << path;
  }
}

void FakeClock::advance(base::Milliseconds by) {
  wall_ms_ += by.count();
  steady_ += by;
  boot_ += by;
}

void FakeClock::sleep_machine(base::Milliseconds by) {
  wall_ms_ += by.count();
  boot_ += by;
}

std::string program(std::string_view name) {
  // tools/test runs some cases with the programs of the release build.
  const char* folder = ::getenv("RC_PROGRAMS");
  return std::string(folder != nullptr ? folder : RC_BUILD_DIR) + "/" + std::string(name);
}

std::string source_file(std::string_view path) {
  return std::string(RC_SOURCE_DIR) + "/" + std::string(path);
}

Ran run(const std::vector<std::string>& argv, const std::map<std::string, std::string>& environment,
        std::string_view input, const std::string& directory, base::Milliseconds limit) {
  base::ignore_sigpipe();  // a program that does not read its input is no end of the test
  base::ChildOptions options;
  options.argv = argv;
  for (const auto& [name, value] : environment) {
    options.environment.push_back(name + "=" + value);
  }
  if (environment.find("PATH") == environment.end()) {
    options.environment.emplace_back("PATH=/usr/bin:/bin");
  }
  if (!directory.empty()) {
    options.directory = directory;
  }
  options.standard_err = base::Stdio::pipe;
  auto finished = base::run_child(options, input, base::deadline_in(limit), std::size_t{64} << 20U);
  Ran ran;
  if (!finished) {
    ADD_FAILURE() << "cannot run " << (argv.empty() ? "" : argv.front()) << ": "
                  << finished.error().what;
    return ran;
  }
  ran.code = finished->status.code;
  ran.signal = finished->status.signal;
  ran.out = std::move(finished->out);
  ran.err = std::move(finished->err);
  return ran;
}

}  // namespace robot_council::test
