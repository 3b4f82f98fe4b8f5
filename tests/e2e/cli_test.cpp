// The two executables as a person calls them.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "cli/command.hpp"
#include "tests/lib/support.hpp"

namespace robot_council {
namespace {

using test::program;
using test::run;
using test::TempDir;

std::vector<std::string> words_of(const std::string& path, const cli::Command& command,
                                  const std::string& more) {
  std::vector<std::string> words = {path};
  std::string word;
  for (const char c : std::string(command.name) + " ") {
    if (c == ' ') {
      words.push_back(word);
      word.clear();
    } else {
      word += c;
    }
  }
  words.push_back(more);
  return words;
}

TEST(Cli, NoCommandPrintsTheList) {
  const auto ran = run({program("robot-council")}, {});
  EXPECT_EQ(ran.code, 0);
  EXPECT_TRUE(ran.err.empty()) << ran.err;
  EXPECT_NE(ran.out.find("pending"), std::string::npos);
}

TEST(Cli, UnknownCommandsAndOptionsAreUsageErrorsWithAnEmptyStdout) {
  const auto unknown = run({program("robot-council"), "nosuchcommand"}, {});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(unknown.out.empty());
  EXPECT_EQ(unknown.err, "robot-council: Command \"nosuchcommand\" is not defined.\n");
  const auto close = run({program("robot-council"), "pendng"}, {});
  EXPECT_EQ(close.code, 2);
  EXPECT_NE(close.err.find("Did you mean \"pending\"?"), std::string::npos);
  // What a stop hook calls never ends with 2.
  const auto hook = run({program("robot-council"), "pending", "--nope"}, {});
  EXPECT_EQ(hook.code, 1);
  EXPECT_EQ(hook.err,
            "robot-council: Unknown option \"--nope\" for \"pending\". See robot-council pending "
            "--help.\n");
}

// `help X` as people type it.
TEST(Cli, HelpTakesACommand) {
  const auto asked = run({program("robot-council"), "help", "status"}, {});
  EXPECT_EQ(asked.code, 0);
  EXPECT_EQ(asked.out, run({program("robot-council"), "status", "--help"}, {}).out);
  EXPECT_EQ(run({program("robot-council"), "help", "fleet", "direct"}, {}).out,
            run({program("robot-council"), "fleet", "direct", "--help"}, {}).out);
  const auto unknown = run({program("robot-council"), "help", "pendng"}, {});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(unknown.out, "");
  EXPECT_NE(unknown.err.find("Did you mean \"pending\"?"), std::string::npos);
}

// A shell that stands in a folder which is gone.
TEST(Cli, StatusInAFolderThatIsGoneSaysSo) {
  const test::TempDir dir;
  const auto ran =
      run({"/bin/sh", "-c", "mkdir gone && cd gone && rmdir ../gone && exec \"$1\" status", "sh",
           program("robot-council")},
          {{"HOME", dir.path()}}, {}, dir.path());
  EXPECT_EQ(ran.code, 1) << ran.out;
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.err.find("the working directory is gone"), std::string::npos) << ran.err;
}

TEST(Cli, VersionNamesBothExecutables) {
  const test::TempDir dir;
  const std::map<std::string, std::string> environment = {{"HOME", dir.path()}};
  const auto text = run({program("robot-council"), "version"}, environment);
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_EQ(text.out.find("robot-council unreleased\n"), 0U) << text.out;
  EXPECT_NE(text.out.find("robot-council-net: unreleased, OpenSSL "), std::string::npos)
      << text.out;
  const auto json = run({program("robot-council"), "version", "--json"}, environment);
  EXPECT_EQ(json.out.find(R"({"version":"unreleased","executables":[{"path":")"), 0U) << json.out;
  // One of another version beside it.
  ASSERT_EQ(run({"cp", program("robot-council"), dir / "robot-council"}, {}).code, 0);
  test::write_text(dir / "robot-council-net",
                   "#!/bin/sh\necho '{\"version\":\"v9.9.9\",\"tls\":\"x\"}'\n");
  ASSERT_TRUE(base::set_mode(dir / "robot-council-net", 0755).ok());
  const auto differ = run({dir / "robot-council", "version"}, environment);
  EXPECT_EQ(differ.code, 1) << differ.out;
  EXPECT_NE(differ.err.find("is v9.9.9"), std::string::npos) << differ.err;
}

TEST(Cli, VersionIsSaid) {
  EXPECT_EQ(run({program("robot-council"), "--version"}, {}).out, "robot-council unreleased\n");
}

TEST(Cli, EveryCommandIsBoundOnceInItsExecutable) {
  for (const auto& command : cli::commands()) {
    const std::string path =
        program(command.where == cli::Where::here ? "robot-council" : "robot-council-net");
    const auto ran = run(words_of(path, command, "--no-such-option"), {});
    EXPECT_EQ(ran.err.find("not by this program"), std::string::npos)
        << command.name << " is not bound";
    // The check of a brake answers in its clients' way whatever its options are; the recorder of
    // turn ends ignores them.
    if (command.name != "brake-check" && command.unknown != cli::Unknown::ignored) {
      EXPECT_EQ(ran.code, command.usage_exit) << command.name << ": " << ran.err;
      EXPECT_NE(ran.err.find("Unknown option"), std::string::npos)
          << command.name << ": " << ran.err;
    }
  }
}

TEST(Cli, HelpNeedsNoHomeNoNetworkAndNoDisk) {
  const test::TempDir dir;
  const std::string nowhere = dir / "nowhere";
  for (const auto& command : cli::commands()) {
    const auto ran =
        run(words_of(program("robot-council"), command, "--help"), {{"HOME", nowhere}}, {}, "/");
    EXPECT_EQ(ran.code, 0) << command.name << ": " << ran.err;
    EXPECT_NE(ran.out.find("usage: robot-council " + std::string(command.name)), std::string::npos)
        << command.name;
    EXPECT_EQ(ran.out.find('\x1b'), std::string::npos);
    EXPECT_FALSE(base::exists(nowhere)) << command.name;
  }
}

TEST(Cli, MissingNetworkExecutableIsNamed) {
  const test::TempDir dir;
  const std::string copy = dir / "robot-council";
  test::write_text(copy, test::read_text(program("robot-council")));
  ASSERT_EQ(::chmod(copy.c_str(), 0755), 0);
  const auto ran = run({copy, "enroll", "--service=http://127.0.0.1:1"}, {});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(ran.out.empty());
  EXPECT_NE(ran.err.find("robot-council: cannot run "), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("No such file or directory; reinstall robot-council\n"), std::string::npos)
      << ran.err;
}

TEST(Cli, AFailedWriteToStdoutIsAnError) {
  const auto ran =
      run({"/bin/sh", "-c", "exec \"$1\" --help >/dev/full", "sh", program("robot-council")}, {});
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find("cannot write the answer to stdout"), std::string::npos) << ran.err;
  const auto closed =
      run({"/bin/sh", "-c", "exec \"$1\" --help >&-", "sh", program("robot-council")}, {});
  EXPECT_EQ(closed.code, 1);
}

TEST(Cli, CompletionsLoadInTheirShells) {
  const test::TempDir dir;
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const auto script = run({program("robot-council"), "completion", shell}, {});
    ASSERT_EQ(script.code, 0);
    if (!base::exists("/usr/bin/" + shell) && !base::exists("/bin/" + shell)) {
      GTEST_SKIP() << shell << " is not installed";
    }
    test::write_text(dir / shell, script.out);
    const std::string before =
        shell == "zsh" ? "autoload -Uz compinit; compinit -D -d " + (dir / "dump") + "; " : "";
    const auto loaded =
        run({shell, "-c", before + "source " + (dir / shell)}, {{"HOME", dir.path()}});
    EXPECT_EQ(loaded.code, 0) << shell << ": " << loaded.err;
    EXPECT_TRUE(loaded.err.empty()) << shell << ": " << loaded.err;
  }
  EXPECT_EQ(run({program("robot-council"), "completion", "tcsh"}, {}).code, 2);
}

TEST(Cli, TheSmallExecutableNeedsNoLibraryThatCanBeUpgradedUnderIt) {
  const auto ran = run({test::source_file("tools/check_ldd"), program("robot-council")}, {});
  if (ran.out.find("asan") != std::string::npos || ran.out.find("libgcc") != std::string::npos) {
    GTEST_SKIP() << "sanitizers bring libraries of their own";
  }
  EXPECT_EQ(ran.code, 0) << ran.out;
}

}  // namespace
}  // namespace robot_council
