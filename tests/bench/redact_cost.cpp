// How long 1,000,000 bytes take to redact and to judge with `local`, for texts that are the hardest
// for a searcher of prefixes, and how that compares with plain prose in the same run.
//   usage: redact_cost [ROUNDS]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <variant>
#include <vector>

#include "stops/local_judge.hpp"
#include "stops/redact.hpp"

namespace {

constexpr std::size_t kBytes = 1000000;

struct Subject {
  std::string part;
  std::vector<double> times;  // milliseconds
};

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

std::string repeated(const std::string& part) {
  std::string text;
  while (text.size() < kBytes) {
    text += part;
  }
  return text;
}

template <typename Work>
double milliseconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 9;
  std::vector<Subject> subjects;
  for (const char* part : {"The tests of the parser pass; may I merge it now? ", "a", "=", "eyJ.",
                           "-----BEGIN ", "-u a:", "password=", "sk-", "\\\"", "://a:"}) {
    subjects.push_back({part, {}});
  }
  std::size_t left = 0;
  std::vector<double> judged;
  for (int round = 0; round < rounds; ++round) {
    for (Subject& subject : subjects) {
      const std::string text = repeated(subject.part);
      subject.times.push_back(
          milliseconds([&] { left += robot_council::stops::redact(text).text.size(); }));
    }
    robot_council::stops::Request request;
    for (const char* name : {"asks_approval", "needs_input", "hard_to_undo"}) {
      request.questions.push_back({name, "", {}});
    }
    request.state =
        "{\"closing_message\":\"" + repeated(subjects.front().part) + "\",\"cut\":false}";
    judged.push_back(milliseconds([&] {
      left += std::get<robot_council::stops::Reply>(robot_council::stops::ask_local(request))
                  .answers.size();
    }));
  }
  const double prose = median(subjects.front().times);
  for (const Subject& subject : subjects) {
    const double middle = median(subject.times);
    std::printf("redact 1 MB of %-52s %6.1f ms  %5.2f x prose\n",
                ("\"" + subject.part + "\"").c_str(), middle, middle / prose);
  }
  std::printf("judge local, 1 MB of prose: %.1f ms\n", median(judged));
  return left == 0 ? 1 : 0;
}
