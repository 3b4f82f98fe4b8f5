#pragma once

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "stop-hook/scan.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::test {

// A machine with one person's home, a project outside of it and its own /etc, all real files in a
// private folder.
class Machine {
 public:
  Machine()
      : home(dir_ / "home"),
        project(dir_ / "work/project"),
        etc(dir_ / "root/etc"),
        files(dir_ / "root") {
    environment.set("HOME", home);
    environment.set("PATH", home + "/bin");
    write(home + "/bin/robot-council", "#!/bin/sh\n");
    executable(home + "/bin/robot-council");
    write(script(), "#!/bin/sh\nexit 0\n");
    executable(script());
    write(project + "/README", "x");
  }

  [[nodiscard]] std::string path(std::string_view name) const { return dir_ / name; }
  [[nodiscard]] std::string script() const { return home + "/hooks/robot-council-stop-hook"; }
  static void write(const std::string& file, std::string_view content) {
    write_text(file, content);
  }
  static void executable(const std::string& file) { ASSERT_OK(base::set_mode(file, 0755)); }

  [[nodiscard]] stop_hook::ScanWorld world() const { return {files, environment, project}; }
  [[nodiscard]] stop_hook::ScanResult scan(std::string_view harness,
                                           const stop_hook::ScanSeat& seat = {}) const {
    return stop_hook::scan(world(), harness, seat);
  }
  [[nodiscard]] stop_hook::StartScan start(std::string_view harness = "claude") const {
    return stop_hook::scan_at_start(world(), harness);
  }

  // The records that the folder is trusted by Claude Code, Gemini CLI and Copilot CLI.
  void trust() const {
    write(home + "/.claude.json",
          R"({"projects":{")" + project + R"(":{"hasTrustDialogAccepted":true}}})");
    write(home + "/.gemini/trustedFolders.json", R"({")" + project + R"(":"TRUST_FOLDER"})");
    write(home + "/.copilot/config.json", R"({"trusted_folders":[")" + project + R"("]})");
  }

  // {"hooks":{"<event>":[{"hooks":[{"type":"command","command":"<command>"<more>}]}]}}
  [[nodiscard]] static std::string nested(std::string_view event, std::string_view command,
                                          std::string_view more = "") {
    return R"({"hooks":{")" + std::string(event) + R"(":[{"hooks":[{"type":"command","command":")" +
           std::string(command) + "\"" + std::string(more) + "}]}]}}";
  }
  [[nodiscard]] std::string ours(std::string_view event = "Stop") const {
    return nested(event, script(),
                  event == "AfterAgent" ? ",\"timeout\":20000" : ",\"timeout\":20");
  }

 private:
  static void ASSERT_OK(const base::Status& status) {
    if (!status.ok()) {
      throw std::runtime_error(status.error().what);
    }
  }
  TempDir dir_;

 public:
  std::string home;
  std::string project;
  std::string etc;
  stop_hook::DiskSettingsFiles files;
  base::MapEnvironment environment;
};

// The findings with this rule.
inline std::vector<stop_hook::ScanFinding> of_rule(const stop_hook::ScanResult& result,
                                                   std::string_view rule) {
  std::vector<stop_hook::ScanFinding> found;
  std::copy_if(result.findings.begin(), result.findings.end(), std::back_inserter(found),
               [&](const auto& finding) { return finding.rule == rule; });
  return found;
}

// One content of one file and what is said of it. @S@ in the content stands for our script's path.
struct Case {
  const char* name;
  const char* content;
  const char* brief;
  const char* outcome;
};

inline std::string with_script(const Machine& machine, std::string_view content) {
  return base::replace_all(std::string(content), "@S@", machine.script());
}

// "error syntax 3; warning trust -": severity, rule and line of all findings.
inline std::string brief(const stop_hook::ScanResult& result) {
  std::string text;
  for (const auto& finding : result.findings) {
    text += (text.empty() ? "" : "; ") + std::string(to_text(finding.severity)) + " " +
            finding.rule + " " + (finding.line ? std::to_string(*finding.line) : std::string("-"));
  }
  return text;
}

}  // namespace robot_council::test
