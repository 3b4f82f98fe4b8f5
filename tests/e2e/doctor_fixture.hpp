#pragma once

#include <sys/stat.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/child.hpp"
#include "base/fd.hpp"
#include "base/files.hpp"
#include "base/json_value.hpp"
#include "base/text.hpp"
#include "tests/e2e/served_home.hpp"

namespace robot_council::test {

// A home in which Claude Code is wired to a running `serve`, as a person leaves it after reading
// the manual.
class Doctor : public ServedHome {
 protected:
  void SetUp() override {
    ServedHome::SetUp();
    ASSERT_EQ(::mkdir((dir_ / "work/src").c_str(), 0700), 0);
    script_ = dir_ / "hooks/robot-council-stop-hook";
    ASSERT_EQ(run({"git", "init", "-q", dir_ / "work"}, environment_).code, 0);
  }

  void start_service() {
    ServedHome::start_service();
    const Ran enrolled = council(
        {"enroll", "--service", service_, "--harness", "claude", "--credential-store", "file"});
    ASSERT_EQ(enrolled.code, 0) << enrolled.err;
  }

  // The real script, filled; or another one in its place.
  void wire(const std::string& lines = "") {
    std::string text = read_text(source_file("resources/stop-hook/robot-council-stop-hook"));
    const auto fill = [&text](const std::string& name, const std::string& value) {
      const std::string empty = name + "=${" + name + ":-}";
      const auto at = text.find(empty);
      ASSERT_NE(at, std::string::npos);
      text.replace(at, empty.size(), name + "='" + value + "'");
    };
    fill("ROBOT_COUNCIL_SERVICE", service_);
    fill("ROBOT_COUNCIL_HARNESS", "claude");
    fill("ROBOT_COUNCIL_BIN", program("robot-council"));
    const auto end = text.find("# <<< robot-council values\n");
    text.insert(end + 27, lines);
    write_text(script_, text);
    ASSERT_EQ(::chmod(script_.c_str(), 0755), 0);
    write_text(
        dir_ / "home/.claude.json",
        R"({"projects":{")" + *base::real_path(dir_ / "work") +
            R"(":{"hasTrustDialogAccepted":true}},"mcpServers":{"robot-council":{"command":")" +
            program("robot-council") + R"(","args":["mcp"],"env":{"ROBOT_COUNCIL_SERVICE":")" +
            service_ + R"(","ROBOT_COUNCIL_HARNESS":"claude"}}}})");
    const std::string wake = R"([{"hooks":[{"type":"command","command":")" + script_ +
                             R"( --wait",)" + wake_ + R"("timeout":86400}]}])";
    write_text(dir_ / "home/.claude/settings.json",
               R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":")" + script_ +
                   R"(","timeout":)" + timeout_ + R"(}]}],"SessionStart":)" + wake +
                   R"(,"UserPromptSubmit":)" + wake + "}}");
  }

  // id -> status, and the whole answer in last_.
  std::map<std::string, std::string> doctor(int code, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"doctor", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Ran ran = council(words);
    EXPECT_EQ(ran.code, code) << ran.out << ran.err;
    last_ = ran.out;
    std::map<std::string, std::string> result;
    const auto object = base::parse_bounded(ran.out, 1U << 20U);
    EXPECT_TRUE(object.ok()) << ran.out << ran.err;
    if (!object || !object->contains("seats") || (*object)["seats"].empty()) {
      return result;
    }
    EXPECT_EQ((*object)["ok"], code == 0);
    for (const auto& check : (*object)["seats"][0]["checks"]) {
      EXPECT_TRUE(
          result.emplace(check["id"].get<std::string>(), check["status"].get<std::string>()).second)
          << check["id"];
      EXPECT_EQ(check["remedy"].is_null(), check["status"] == "ok") << check["id"];
    }
    return result;
  }

  // A bridge of `harness` in the work folder, as its client starts it; it has joined when this
  // returns.
  void start_bridge(std::map<std::string, std::string> environment,
                    const std::string& harness = "claude",
                    const std::vector<std::string>& more = {}) {
    environment["ROBOT_COUNCIL_SERVICE"] = service_;
    environment["ROBOT_COUNCIL_HARNESS"] = harness;
    base::ChildOptions options;
    options.argv = {program("robot-council"), "mcp"};
    options.argv.insert(options.argv.end(), more.begin(), more.end());
    for (const auto& [name, value] : environment) {
      options.environment.push_back(name + "=" + value);
    }
    options.directory = dir_ / "work";
    options.standard_in = base::Stdio::pipe;
    options.standard_out = base::Stdio::pipe;
    options.standard_err = base::Stdio::null;
    auto child = base::Child::start(options);
    ASSERT_TRUE(child.ok());
    const std::string lines =
        R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}})"
        "\n"
        R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
        "\n"
        R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"join","arguments":{}}})"
        "\n";
    ASSERT_TRUE(base::write_all(child->standard_in.get(), lines, test::in_time()).ok());
    std::string said;
    ASSERT_TRUE(wait_until([&] {
      std::array<char, 4096> bytes{};
      const auto ready = base::wait_readable(child->standard_out.get(),
                                             base::deadline_in(base::Milliseconds(100)));
      if (ready.ok() && *ready != base::Ready::timeout) {
        const auto got = base::read_some(child->standard_out.get(), bytes);
        said.append(bytes.data(), got.ok() ? *got : 0);
      }
      return said.find(R"("id":2)") != std::string::npos;
    })) << said;
    bridges_.push_back(std::move(*child));
  }

  std::string record_text() const {
    const std::string folder = dir_ / "home/.local/state/robot-council/pending";
    for (const auto& name : base::list_directory(folder).value_or({})) {
      if (name.size() > 7 && name.substr(name.size() - 7) == ".bridge") {
        return folder + "/" + name;
      }
    }
    return "";
  }

  std::string script_;
  std::string last_;
  std::string wake_ = R"("asyncRewake":true,)";
  std::string timeout_ = "20";  // seconds, of the entry
  std::vector<base::Child> bridges_;
};

}  // namespace robot_council::test
