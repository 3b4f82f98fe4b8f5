#include "base/text_diff.hpp"

#include <gtest/gtest.h>

namespace robot_council {
namespace {

TEST(TextDiff, OneHunkWithThreeLinesAround) {
  EXPECT_EQ(base::unified_diff("f", "a\n", "a\n"), "");
  EXPECT_EQ(base::unified_diff("f", std::nullopt, "a\n"),
            "--- /dev/null\n+++ f\n@@ -0,0 +1,1 @@\n+a\n");
  EXPECT_EQ(base::unified_diff("f", "1\n2\n3\n4\n5\n", "1\n2\n3\n4\nx"),
            "--- f\n+++ f\n@@ -2,4 +2,4 @@\n 2\n 3\n 4\n-5\n+x\n\\ No newline at end of file\n");
  EXPECT_EQ(base::unified_diff("f", "a\n", std::nullopt),
            "--- f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n");
}

}  // namespace
}  // namespace robot_council
