// Starts each command in turn, many rounds, and prints the tenth percentile, the median and the
// 95th percentile of the whole process's life, the ratio of each to the first command's, and the
// page faults of the last run. Rounds are interleaved, so that a busy machine slows all alike; the
// tenth percentile is what hardly waited.
//   usage: spawn_ratio ROUNDS STDIN_FILE NAME=COMMAND...      (COMMAND is split at blanks; no
//   shell)

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Subject {
  std::string name;
  std::vector<std::string> words;
  std::vector<double> times;  // microseconds
  long faults = 0;            // of the last run, without any that read a disk
};

double run_once(Subject& subject, const char* input) {
  std::vector<char*> argv;
  for (const auto& word : subject.words) {
    argv.push_back(const_cast<char*>(word.c_str()));
  }
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input, O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  const auto start = std::chrono::steady_clock::now();
  pid_t pid = 0;
  if (posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ) != 0) {
    std::perror(argv[0]);
    std::exit(1);
  }
  int status = 0;
  rusage used{};
  wait4(pid, &status, 0, &used);
  const auto end = std::chrono::steady_clock::now();
  posix_spawn_file_actions_destroy(&actions);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::fprintf(stderr, "%s ended with status %d\n", subject.name.c_str(), status);
    std::exit(1);
  }
  subject.faults = used.ru_minflt;
  return std::chrono::duration<double, std::micro>(end - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: spawn_ratio ROUNDS STDIN_FILE NAME=COMMAND...\n");
    return 2;
  }
  const int rounds = std::atoi(argv[1]);
  std::vector<Subject> subjects;
  for (int i = 3; i < argc; ++i) {
    const std::string text = argv[i];
    const auto equals = text.find('=');
    Subject subject{text.substr(0, equals), {}, {}};
    std::istringstream words(text.substr(equals + 1));
    for (std::string word; words >> word;) {
      subject.words.push_back(word);
    }
    subjects.push_back(subject);
  }
  for (int round = 0; round < rounds; ++round) {
    for (auto& subject : subjects) {
      subject.times.push_back(run_once(subject, argv[2]));
    }
  }
  double first_fast = 0;
  double first_median = 0;
  for (auto& subject : subjects) {
    std::sort(subject.times.begin(), subject.times.end());
    const double fast = subject.times[subject.times.size() / 10];
    const double median = subject.times[subject.times.size() / 2];
    const double p95 = subject.times[subject.times.size() * 95 / 100];
    first_fast = first_fast == 0 ? fast : first_fast;
    first_median = first_median == 0 ? median : first_median;
    std::printf(
        "%-28s p10 %7.0f us   median %7.0f us   p95 %7.0f us   %.2f x %s (p10 %.2f x)   %ld page "
        "faults\n",
        subject.name.c_str(), fast, median, p95, median / first_median, subjects[0].name.c_str(),
        fast / first_fast, subject.faults);
  }
  return 0;
}
