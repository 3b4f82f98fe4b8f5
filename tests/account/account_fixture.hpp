#pragma once

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "account/credentials.hpp"
#include "account/stores.hpp"
#include "base/context.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::test {

// A private home, an environment without any system store, a clock that stands, and a log that
// keeps its lines.
class AccountTest : public ::testing::Test {
 protected:
  AccountTest();

  // A program of that name in bin/, which is first on PATH; a shell script with this text.
  std::string add_program(const std::string& name, const std::string& script);
  // A `secret-tool` that keeps entries as files in secrets/ and logs its argv and environment to
  // tool.log.
  void add_secret_tool();
  [[nodiscard]] std::string config(const std::string& name) const {
    return home_ / (".config/robot-council/" + name);
  }
  [[nodiscard]] account::CredentialStores stores() const {
    return account::CredentialStores(context_, account::store_places(context_));
  }
  [[nodiscard]] account::Service service(
      const std::string& text = "https://fleet.example.test") const;
  // credentials.json with these entries, 0600 in 0700.
  void write_credentials(const std::map<std::string, std::string>& entries);
  [[nodiscard]] base::Result<account::Credential> read(const std::string& harness,
                                                       account::Named named) const;

  TempDir home_;
  FakeClock clock_;
  base::MapEnvironment environment_;
  base::MemoryLog log_;
  base::Context context_{clock_, environment_, log_};
};

// The names of a folder; empty if there is none.
std::vector<std::string> names_in(const std::string& folder);
unsigned mode_of(const std::string& path);

}  // namespace robot_council::test
