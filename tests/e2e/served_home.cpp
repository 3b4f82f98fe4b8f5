#include "tests/e2e/served_home.hpp"

#include <sys/stat.h>

#include "base/files.hpp"
#include "base/text.hpp"

namespace robot_council::test {

void ServedHome::SetUp() {
  environment_ = {{"HOME", home_}, {"PATH", "/usr/bin:/bin"}, {"TMPDIR", dir_ / "tmp"}};
  for (const char* name : {"home", "tmp", "work"}) {
    ASSERT_EQ(::mkdir((dir_ / name).c_str(), 0700), 0);
  }
}

void ServedHome::start_service() {
  base::ChildOptions options;
  options.argv = {program("robot-council"), "serve", "--listen", "127.0.0.1:0", "--data", data_,
                  "--auto-approve"};
  for (const auto& [name, value] : environment_) {
    options.environment.push_back(name + "=" + value);
  }
  options.standard_out = base::Stdio::pipe;
  options.standard_err = base::Stdio::null;
  auto child = base::Child::start(options);
  ASSERT_TRUE(child.ok());
  serve_.emplace(std::move(*child));
  ASSERT_TRUE(wait_until([this] { return base::exists(data_ + "/service.url"); }));
  service_ = base::trim(read_text(data_ + "/service.url"));
}

Ran ServedHome::council(std::vector<std::string> words) {
  words.insert(words.begin(), program("robot-council"));
  return run(words, environment_, {}, dir_ / "work", base::Milliseconds(90000));
}

}  // namespace robot_council::test
