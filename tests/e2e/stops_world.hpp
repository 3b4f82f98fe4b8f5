#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stops/log_line.hpp"
#include "tests/e2e/hook_fixture.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::test {

// A private home with a repository in it, and the real recorder.
class StopsWorld {
 public:
  StopsWorld();

  [[nodiscard]] const std::string& home() const { return home_.path(); }
  [[nodiscard]] std::string repository() const { return home_ / "repo"; }
  [[nodiscard]] std::string stops() const { return home_ / "state/robot-council/stops"; }
  [[nodiscard]] std::string log() const { return stops() + "/stops.jsonl"; }
  [[nodiscard]] Values environment(const Values& more = {}) const;

  // The shipped example with `more` settings, each replacing a line of its key or coming first.
  [[nodiscard]] static std::string policy(const Values& more = {});
  void user_policy(const Values& more = {}) const;
  void repository_policy(const Values& more = {}) const;

  // Claude Code's Stop in the repository; `more` replaces members, values as JSON.
  [[nodiscard]] std::string stop(const std::string& message, const Values& more = {}) const;
  // `robot-council stops record`; fails the test when it prints anything or exits with another
  // status than 0.
  void record(std::string_view payload, const Values& more = {},
              const std::vector<std::string>& words = {}) const;

  [[nodiscard]] std::vector<std::string> raw_lines() const;
  [[nodiscard]] std::vector<stops::LogLine> lines() const;
  // The only line; fails the test when there are none or more.
  [[nodiscard]] stops::LogLine line() const;
  // Records and gives the line it added.
  [[nodiscard]] stops::LogLine recorded(std::string_view payload, const Values& more = {}) const;

 private:
  TempDir home_;
};

// "judged", "skipped no_message", "error timeout".
[[nodiscard]] std::string told(const stops::LogLine& line);

}  // namespace robot_council::test
