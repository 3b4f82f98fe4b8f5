#include "tests/e2e/stops_world.hpp"

#include <utility>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "base/json.hpp"
#include "base/signals.hpp"
#include "base/text.hpp"

namespace robot_council::test {

StopsWorld::StopsWorld() {
  base::ignore_sigpipe();
  write_text(repository() + "/.git/HEAD", "ref: refs/heads/main\n");
}

Values StopsWorld::environment(const Values& more) const {
  Values values = {{"HOME", home()},
                   {"XDG_STATE_HOME", home_ / "state"},
                   {"XDG_CONFIG_HOME", home_ / "config"},
                   {"PATH", "/usr/bin:/bin"}};
  for (const auto& [name, value] : more) {
    values[name] = value;
  }
  return values;
}

std::string StopsWorld::policy(const Values& more) {
  std::string first;
  std::string rest;
  for (const std::string& line :
       base::split(read_text(source_file("resources/policy/stop.yaml")), '\n')) {
    const std::string key = line.substr(0, line.find(':'));
    if (more.find(key) == more.end()) {
      rest += line + "\n";
    }
  }
  for (const auto& [key, value] : more) {
    first += key + ": " + value + "\n";
  }
  return first + rest;
}

void StopsWorld::user_policy(const Values& more) const {
  write_text(home() + "/.robot-council/stop.yaml", policy(more));
}

void StopsWorld::repository_policy(const Values& more) const {
  write_text(repository() + "/.robot-council.stop.yaml", policy(more));
}

std::string StopsWorld::stop(const std::string& message, const Values& more) const {
  Values members = {{"session_id", "\"s-1\""},
                    {"prompt_id", "\"p-1\""},
                    {"transcript_path", base::quote_json(home() + "/t.jsonl")},
                    {"cwd", base::quote_json(repository())},
                    {"permission_mode", "\"default\""},
                    {"hook_event_name", "\"Stop\""},
                    {"stop_hook_active", "false"},
                    {"last_assistant_message", base::quote_json(message)}};
  for (const auto& [name, value] : more) {
    members[name] = value;
  }
  std::string text;
  for (const auto& [name, value] : members) {
    if (!value.empty()) {
      text += (text.empty() ? "{\"" : ",\"") + name + "\":" + value;
    }
  }
  return text + "}";
}

void StopsWorld::record(std::string_view payload, const Values& more,
                        const std::vector<std::string>& words) const {
  std::vector<std::string> argv = {program("robot-council"), "stops", "record"};
  argv.insert(argv.end(), words.begin(), words.end());
  const Ran ran = run(argv, environment(more), payload, home());
  EXPECT_EQ(ran.code, 0) << payload.substr(0, 200);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, "");
}

std::vector<std::string> StopsWorld::raw_lines() const {
  std::vector<std::string> lines;
  if (base::exists(log())) {
    lines = base::split(read_text(log()), '\n');
    EXPECT_TRUE(lines.back().empty());
    lines.pop_back();
  }
  return lines;
}

std::vector<stops::LogLine> StopsWorld::lines() const {
  std::vector<stops::LogLine> lines;
  for (const std::string& raw : raw_lines()) {
    base::Result<stops::LogLine> line = stops::from_json(raw);
    EXPECT_TRUE(line.ok()) << raw;
    if (line.ok()) {
      lines.push_back(*std::move(line));
    }
  }
  return lines;
}

stops::LogLine StopsWorld::line() const {
  const std::vector<stops::LogLine> all = lines();
  EXPECT_EQ(all.size(), 1U);
  return all.empty() ? stops::LogLine{} : all.back();
}

stops::LogLine StopsWorld::recorded(std::string_view payload, const Values& more) const {
  const std::size_t before = lines().size();
  record(payload, more);
  const std::vector<stops::LogLine> all = lines();
  EXPECT_EQ(all.size(), before + 1) << payload.substr(0, 200);
  return all.empty() ? stops::LogLine{} : all.back();
}

std::string told(const stops::LogLine& line) {
  std::string text(stops::outcome_name(line.outcome));
  if (line.skip) {
    text += " " + *line.skip;
  }
  return line.error ? text + " " + line.error->kind : text;
}

}  // namespace robot_council::test
