#include "harness/names.hpp"

#include <map>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "base/environment.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::harness {
namespace {

using base::MapEnvironment;
using Values = std::map<std::string, std::string>;

const std::string kNoDevin = "/nonexistent/devin";

TEST(Names, ReducedAsTheAccountContractSays) {  // account 11
  EXPECT_EQ(reduce_name("Augment CLI"), "augmentcli");
  EXPECT_EQ(reduce_name("<script>"), "script");
  EXPECT_EQ(reduce_name("!!!"), "");
  EXPECT_EQ(reduce_name(std::string(40, 'A')), std::string(32, 'a'));
  EXPECT_EQ(reduce_name("Büro-9"), "bro-9");
}

TEST(Names, KnownOnesKeepTheirOrder) {
  ASSERT_EQ(known_names().size(), 21U);
  EXPECT_EQ(known_names().front(), "cursor");
  EXPECT_EQ(known_names()[1], "claude");
  EXPECT_EQ(known_names().back(), "openclaw");
  EXPECT_TRUE(is_known_name("augment-cli"));
  EXPECT_FALSE(is_known_name("Claude"));
}

TEST(Names, FlagBeatsVariableBeatsDetection) {  // account 14
  const MapEnvironment environment({{"ROBOT_COUNCIL_HARNESS", " Codex "}, {"CLAUDECODE", "1"}});
  EXPECT_EQ(named_harness("Gemini", environment), "gemini");
  EXPECT_EQ(resolved_harness("Gemini", environment, kNoDevin), "gemini");
  EXPECT_EQ(resolved_harness("", environment, kNoDevin), "codex");
  EXPECT_EQ(resolved_harness("", MapEnvironment(Values{{"CLAUDECODE", "1"}}), kNoDevin), "claude");
  EXPECT_EQ(resolved_harness("", MapEnvironment(), kNoDevin), "");
}

TEST(Names, FlagThatReducesToNothingSkipsTheVariableNotDetection) {  // delivery 3
  const MapEnvironment environment({{"ROBOT_COUNCIL_HARNESS", "codex"}, {"CLAUDECODE", "1"}});
  EXPECT_EQ(named_harness("!!!", environment), "");
  EXPECT_EQ(resolved_harness("!!!", environment, kNoDevin), "claude");
}

TEST(Names, BlankVariableCountsAsNotSet) {
  const MapEnvironment environment({{"ROBOT_COUNCIL_HARNESS", " \t"}, {"CODEX_CI", ""}});
  EXPECT_EQ(resolved_harness("", environment, kNoDevin), "codex");
}

TEST(Names, AiAgentBeatsMarkersAndAnEmptyMarkerCounts) {  // account 15
  EXPECT_EQ(
      detect_harness(MapEnvironment(Values{{"AI_AGENT", "claude-code_x"}, {"CURSOR_AGENT", "1"}}),
                     kNoDevin),
      "claude");
  EXPECT_EQ(
      detect_harness(MapEnvironment(Values{{"CURSOR_AGENT", ""}, {"CLAUDECODE", "1"}}), kNoDevin),
      "cursor");
  EXPECT_EQ(detect_harness(MapEnvironment(Values{{"AI_AGENT", " github-copilot-cli "}}), kNoDevin),
            "copilot");
  EXPECT_EQ(detect_harness(MapEnvironment(Values{{"AI_AGENT", "github-copilot"}}), kNoDevin),
            "copilot");
  EXPECT_EQ(
      detect_harness(MapEnvironment(Values{{"AI_AGENT", "goose"}, {"CLAUDECODE", "1"}}), kNoDevin),
      "goose");
  EXPECT_EQ(detect_harness(MapEnvironment(Values{{"AI_AGENT", "somebody"}, {"CLAUDECODE", "1"}}),
                           kNoDevin),
            "claude");
}

struct MarkerCase {
  const char* variable;
  const char* name;
};

void PrintTo(const MarkerCase& value, std::ostream* out) {
  *out << value.variable;
}

class Markers : public testing::TestWithParam<MarkerCase> {};

TEST_P(Markers, NamesItsHarness) {
  EXPECT_EQ(detect_harness(MapEnvironment(Values{{GetParam().variable, ""}}), kNoDevin),
            GetParam().name);
}

INSTANTIATE_TEST_SUITE_P(
    Table, Markers,
    testing::Values(
        MarkerCase{"CURSOR_AGENT", "cursor"}, MarkerCase{"KIMI_PLUGIN_ROOT", "kimi"},
        MarkerCase{"GROK_PLUGIN_ROOT", "grok"}, MarkerCase{"GROK_PLUGIN_DATA", "grok"},
        MarkerCase{"GEMINI_CLI", "gemini"}, MarkerCase{"CLINE_ACTIVE", "cline"},
        MarkerCase{"CODEX_SANDBOX", "codex"}, MarkerCase{"CODEX_CI", "codex"},
        MarkerCase{"CODEX_THREAD_ID", "codex"},
        MarkerCase{"CODEX_SANDBOX_NETWORK_DISABLED", "codex"},
        MarkerCase{"AUGMENT_AGENT", "augment-cli"}, MarkerCase{"OPENCODE_CLIENT", "opencode"},
        MarkerCase{"OPENCODE", "opencode"}, MarkerCase{"AMP_CURRENT_THREAD_ID", "amp"},
        MarkerCase{"GOOSE_PROVIDER", "goose"}, MarkerCase{"JUNIE_DATA", "junie"},
        MarkerCase{"JUNIE_SHIM_PATH", "junie"}, MarkerCase{"CLAUDECODE", "claude"},
        MarkerCase{"CLAUDE_CODE", "claude"}, MarkerCase{"REPL_ID", "replit"},
        MarkerCase{"COPILOT_MODEL", "copilot"}, MarkerCase{"COPILOT_ALLOW_ALL", "copilot"},
        MarkerCase{"COPILOT_GITHUB_TOKEN", "copilot"}, MarkerCase{"COPILOT_CLI", "copilot"},
        MarkerCase{"ANTIGRAVITY_AGENT", "antigravity"},
        MarkerCase{"ANTIGRAVITY_CLI_ALIAS", "antigravity"}, MarkerCase{"PI_CODING_AGENT", "pi"},
        MarkerCase{"KIRO_AGENT_PATH", "kiro-cli"}, MarkerCase{"OPENCLAW_SHELL", "openclaw"}));

TEST(Names, CoworkIsClaudeCodeWithItsOwnVariable) {
  EXPECT_EQ(
      detect_harness(MapEnvironment(Values{{"CLAUDECODE", "1"}, {"CLAUDE_CODE_IS_COWORK", ""}}),
                     kNoDevin),
      "cowork");
  EXPECT_EQ(detect_harness(MapEnvironment(Values{{"CLAUDE_CODE_IS_COWORK", "1"}}), kNoDevin), "");
}

TEST(Names, DevinIsToldByItsFileLast) {
  const test::TempDir folder;
  const std::string marker = folder / ".devin";
  EXPECT_EQ(detect_harness(MapEnvironment(), marker), "");
  test::write_text(marker, "");
  EXPECT_EQ(detect_harness(MapEnvironment(), marker), "devin");
  EXPECT_EQ(detect_harness(MapEnvironment(Values{{"REPL_ID", "x"}}), marker), "replit");
}

}  // namespace
}  // namespace robot_council::harness
