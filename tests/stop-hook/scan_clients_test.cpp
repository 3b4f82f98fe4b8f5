#include <map>

#include <gtest/gtest.h>

#include "base/json_value.hpp"
#include "tests/stop-hook/scan_support.hpp"

// The scanner says of each file what the real client did with it (statement 152).
namespace robot_council {
namespace {

constexpr const char* kScript = "/opt/robot-council/robot-council-stop-hook";

// A machine of a few files, in memory.
class MemoryFiles final : public stop_hook::SettingsFiles {
 public:
  std::map<std::string, std::string> content;
  [[nodiscard]] base::Result<std::string> read(const std::string& path) const override {
    const auto found = content.find(path);
    if (found == content.end()) {
      return base::Error{base::Errc::not_found, path};
    }
    return found->second;
  }
  [[nodiscard]] base::Result<std::string> real_path(const std::string& path) const override {
    return path;
  }
  [[nodiscard]] std::vector<std::string> list(const std::string& folder) const override {
    std::vector<std::string> names;
    for (const auto& [path, bytes] : content) {
      if (base::parent_path(path) == folder) {
        names.push_back(base::base_name(path));
      }
    }
    return names;
  }
  [[nodiscard]] bool exists(const std::string& path) const override {
    return content.count(path) != 0;
  }
  [[nodiscard]] bool executable(const std::string& path) const override {
    return path == kScript || path == "/bin/robot-council";
  }
};

void expect_verdicts(const std::string& harness, const std::string& place,
                     std::size_t at_least = 15) {
  const std::string folder = test::source_file("tests/fixtures/settings");
  const auto verdicts = base::parse_bounded(test::read_text(folder + "/verdicts.json"), 1U << 20U);
  ASSERT_TRUE(verdicts.ok());
  const base::Json& ran = verdicts->at(harness).at("ran");
  base::MapEnvironment environment({{"HOME", "/h"}, {"PATH", "/bin"}});
  std::size_t files = 0;
  for (const auto& name : base::list_directory(folder + "/" + harness).value_or({})) {
    SCOPED_TRACE(name);
    MemoryFiles machine;
    machine.content[place] =
        base::read_file(folder + "/" + harness + "/" + name, 1U << 20U).value_or("");
    machine.content[kScript] = "#!/bin/sh\n";
    const auto result = stop_hook::scan({machine, environment, "/w/project"}, harness);
    const bool would_run = result.outcome == stop_hook::ScanOutcome::runs ||
                           result.outcome == stop_hook::ScanOutcome::needs_review;
    EXPECT_EQ(would_run, ran.at(name.substr(0, name.size() - 5)).get<bool>())
        << test::brief(result);
    ++files;
  }
  EXPECT_EQ(files, ran.size());
  EXPECT_GE(files, at_least);
}

TEST(ScanClients, ClaudeCode152) {
  expect_verdicts("claude", "/h/.claude/settings.json", 60);
}
TEST(ScanClients, Codex152) {
  expect_verdicts("codex", "/h/.codex/hooks.json");
}
TEST(ScanClients, GeminiCli152) {
  expect_verdicts("gemini", "/h/.gemini/settings.json");
}
TEST(ScanClients, CopilotCli152) {
  expect_verdicts("copilot", "/h/.copilot/hooks/x.json");
}

}  // namespace
}  // namespace robot_council
