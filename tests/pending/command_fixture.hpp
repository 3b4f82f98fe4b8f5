#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "pending/pending.hpp"
#include "tests/pending/pending_fixture.hpp"

namespace robot_council::test {

// `robot-council pending` as its action calls it.
class CommandTest : public PendingTest {
 protected:
  CommandTest() {
    home_.environment.set("ROBOT_COUNCIL_SERVICE", kService);
    home_.environment.set("ROBOT_COUNCIL_HARNESS", "claude");
    home_.environment.set("CLAUDE_PROJECT_DIR", home_.dir.path());
    options_.project = "org/repo";  // the seat of SinkHome
  }
  struct Ran {
    int code;
    std::string out;
    std::string err;
  };
  Ran run(const pending::PendingOptions& options) {
    const std::string path = home_.dir / "stdout";
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const std::size_t before = home_.log.lines().size();
    const int code = pending::run(options, home_.context(), fd);
    ::close(fd);
    std::string err;
    const auto lines = home_.log.lines();
    for (std::size_t i = before; i < lines.size(); ++i) {
      err += lines[i] + "\n";
    }
    return {code, read_text(path), err};
  }
  Ran run() { return run(options_); }
  void expect_quiet(const Ran& ran) {
    EXPECT_EQ(ran.code, pending::kExitOk);
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(ran.err, "");
  }
  std::string database() { return home_.files().database(); }
  // Runs as the user `nobody`, to whom everything in the home is given; -1 when that is not
  // possible here.
  int run_as_nobody(const pending::PendingOptions& options, const std::string& expected_part) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(home_.dir.path())) {
      if (::lchown(entry.path().c_str(), kNobody, kNobody) != 0) {
        return -1;
      }
    }
    if (::chown(home_.dir.path().c_str(), kNobody, kNobody) != 0) {
      return -1;
    }
    return in_child([&] {
      if (::setresgid(kNobody, kNobody, 0) != 0 || ::setresuid(kNobody, kNobody, 0) != 0) {
        return 98;
      }
      const int fd = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
      const int code = pending::run(options, home_.context(), fd);
      if (::setresuid(0, 0, 0) != 0) {
        return 95;
      }
      return expected_part.empty() ? (home_.log.lines().empty() ? code : 97)
                                   : (home_.log.contains(expected_part) ? code : 96);
    });
  }
  static constexpr unsigned kNobody = 65534;

  pending::PendingOptions options_;
};

}  // namespace robot_council::test
