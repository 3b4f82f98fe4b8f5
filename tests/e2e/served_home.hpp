#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/child.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::test {

// A private home with a work folder, and a `serve` of its own once a test asks for it.
class ServedHome : public ::testing::Test {
 protected:
  void SetUp() override;
  void start_service();
  // Runs `robot-council` in the work folder.
  Ran council(std::vector<std::string> words);

  TempDir dir_;  // home, tmp, work
  std::string home_ = dir_ / "home";
  std::string data_ = dir_ / "fleet";  // of serve
  std::map<std::string, std::string> environment_;
  std::string service_ = "http://127.0.0.1:9";  // nobody listens there
  std::optional<base::Child> serve_;
};

}  // namespace robot_council::test
