#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>
#include <vector>

#include "brake/decision.hpp"
#include "brake/homes.hpp"
#include "brake/repository.hpp"
#include "brake/stop_file.hpp"
#include "brake/survey.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::brake::test {

// A home and a checkout of their own, with the real layout of a stop's files.
class World {
 public:
  World() { make_git(checkout); }

  // A .git folder as git makes it, without running git.
  static void make_git(const std::string& folder) {
    robot_council::test::write_text(folder + "/.git/HEAD", "ref: refs/heads/main\n");
    robot_council::test::write_text(folder + "/.git/objects/.keep", "");
    robot_council::test::write_text(folder + "/.git/refs/.keep", "");
  }

  [[nodiscard]] std::string checkout_copy() const { return checkout + "/.robot-council/stop.json"; }
  [[nodiscard]] std::string home_copy(const std::string& of) const {
    return stops_folder(home) + "/" + repository_at(of).repository.key + ".json";
  }
  [[nodiscard]] std::string home_copy() const { return home_copy(checkout); }

  [[nodiscard]] Decision ask(const std::vector<std::string>& directories,
                             const std::vector<std::string>& callers,
                             ForeignStops foreign = ForeignStops::when_unknown) const {
    return judge(survey_stops({home}, directories, foreign), callers);
  }
  [[nodiscard]] Decision ask(const std::string& caller = "claude_code") const {
    return ask({checkout}, {caller});
  }

  robot_council::test::TempDir folder;
  std::string home = folder / "home";
  std::string checkout = folder / "src/shop";
};

inline std::string stop_text(std::string_view scope, std::string_view reason = "wrong branch",
                             std::string_view when = "2026-11-30T05:40:12Z") {
  return R"({"version":1,"scope":)" + std::string(scope) + R"(,"reason":")" + std::string(reason) +
         R"(","who":"ana@example.org","when":")" + std::string(when) + R"(","repo":"/src/shop"})" +
         "\n";
}

}  // namespace robot_council::brake::test
