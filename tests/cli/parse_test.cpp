#include "cli/parse.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "cli/completion.hpp"
#include "cli/help.hpp"
#include "cli/manual.hpp"

namespace robot_council::cli {
namespace {

Command sample() {
  Command command{"sample", "Do a thing", Where::here};
  command.options = {{"--project", "NAME", "a project"},
                     {"--peek", "", "look"},
                     {"--ability", "A", "repeat me", {}, Repeat::all},
                     {"--format", "SHAPE", "shape", "block deny"}};
  command.arguments = {{"N", "a number", false}};
  return command;
}

std::string problem(const std::vector<std::string>& words) {
  auto args = parse(sample(), words);
  return args ? "none" : args.error().what;
}

TEST(Parse, ReadsValuesSwitchesAndArguments) {
  auto args = parse(sample(), {"--project=x", "--peek", "--ability", "a", "7", "--ability=b"});
  ASSERT_TRUE(args.ok()) << args.error().what;
  EXPECT_EQ(args->value("--project"), "x");
  EXPECT_TRUE(args->has("--peek"));
  EXPECT_EQ(args->values("--ability"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(args->positionals(), (std::vector<std::string>{"7"}));
  EXPECT_FALSE(args->has("--format"));
}

TEST(Parse, EmptyValueIsNotGivenAndEatsNothing) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--project=", "7"},
                                                std::vector<std::string>{"--project", "", "7"}}) {
    auto args = parse(sample(), words);
    ASSERT_TRUE(args.ok()) << args.error().what;
    EXPECT_FALSE(args->has("--project"));
    EXPECT_EQ(args->positionals(), (std::vector<std::string>{"7"}));
  }
}

TEST(Parse, AMissingOrUnwantedValueIsOneClearLine) {
  const std::string see = " See robot-council sample --help.";
  EXPECT_EQ(problem({"--project"}), "Option \"--project\" needs NAME." + see);
  EXPECT_EQ(problem({"--project", "--peek"}), "Option \"--project\" needs NAME." + see);
  EXPECT_EQ(problem({"--project", "--format=deny"}), "Option \"--project\" needs NAME." + see);
  EXPECT_EQ(problem({"--project", "--", "x"}), "Option \"--project\" needs NAME." + see);
  EXPECT_EQ(problem({"--peek=yes"}), "Option \"--peek\" takes no value." + see);
}

TEST(Parse, TheLastValueWins) {
  EXPECT_EQ(parse(sample(), {"--project=a", "--project=b"})->value("--project"), "b");
  EXPECT_EQ(parse(sample(), {"--project=a", "--project="})->value("--project"), "a");
}

TEST(Parse, OddValuesArriveAsTheyAre) {
  for (const char* value : {"!!!", "a b", "=x", "$(x)", "ü😀", "[1]", "{}", "'", "\""}) {
    auto args = parse(sample(), {std::string("--project=") + value});
    ASSERT_TRUE(args.ok()) << value << ": " << args.error().what;
    EXPECT_EQ(args->value("--project"), value);
  }
}

TEST(Parse, UsageErrorsNameTheWord) {
  EXPECT_EQ(problem({"--nope"}), "Unknown option \"--nope\" for \"sample\".");
  EXPECT_EQ(problem({"--nope=secret"}), "Unknown option \"--nope\" for \"sample\".");
  EXPECT_EQ(problem({"-x"}), "Unknown option \"-x\" for \"sample\".");
  EXPECT_EQ(problem({"1", "2"}), "\"sample\" does not take \"2\".");
  EXPECT_NE(problem({"--format=json"}).find("block deny"), std::string::npos);
}

TEST(Parse, WordsBehindTheDashesAreKept) {
  auto args = parse(sample(), {"--peek", "--", "--nope", "x"});
  ASSERT_TRUE(args.ok());
  EXPECT_EQ(args->after_dashes(), (std::vector<std::string>{"--nope", "x"}));
  EXPECT_TRUE(args->positionals().empty());
}

TEST(Table, NamesAreUniqueAndDescribed) {
  std::set<std::string_view> names;
  for (const auto& command : commands()) {
    EXPECT_FALSE(command.summary.empty()) << command.name;
    EXPECT_NE(command.summary.back(), '.') << command.name;
    EXPECT_TRUE(names.insert(command.name).second) << command.name << " is there twice";
    ASSERT_NE(find_command(command.name), nullptr) << command.name;
    EXPECT_EQ(find_command(command.name)->summary, command.summary);
    for (const auto& option : command.options) {
      EXPECT_EQ(option.name.substr(0, 2), "--") << command.name;
      EXPECT_FALSE(option.help.empty()) << command.name << " " << option.name;
    }
  }
}

TEST(Table, HelpManualAndCompletionsNameTheSameOptions) {
  const std::string bash = *completion_script("bash");
  const std::string zsh = *completion_script("zsh");
  const std::string fish = *completion_script("fish");
  for (const auto& command : commands()) {
    const std::string help = help_text(command);
    std::string page = manual_page(command);
    std::string plain;
    for (const char c : page) {
      if (c != '\\') {
        plain += c;
      }
    }
    for (const auto& option : command.options) {
      EXPECT_NE(help.find(option.name), std::string::npos) << command.name << option.name;
      EXPECT_NE(plain.find(option.name), std::string::npos) << command.name << option.name;
      if (command.show == Show::listed) {
        EXPECT_NE(bash.find(option.name), std::string::npos) << command.name << option.name;
        EXPECT_NE(zsh.find(option.name), std::string::npos) << command.name << option.name;
        EXPECT_NE(fish.find(std::string("-l '") + std::string(option.name.substr(2)) + "'"),
                  std::string::npos)
            << option.name;
      }
    }
  }
  EXPECT_FALSE(completion_script("tcsh").has_value());
}

TEST(Help, SuggestsWithinTwoEditsOrForAPrefix) {
  EXPECT_EQ(unknown_command_text("pendng"),
            "Command \"pendng\" is not defined. Did you mean \"pending\"?");
  EXPECT_EQ(unknown_command_text("pend"),
            "Command \"pend\" is not defined. Did you mean \"pending\"?");
  EXPECT_EQ(unknown_command_text("nosuchcommand"), "Command \"nosuchcommand\" is not defined.");
  EXPECT_EQ(unknown_command_text("x\x1b[31m"), "Command \"x[31m\" is not defined.");
}

}  // namespace
}  // namespace robot_council::cli
