#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/child.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "tests/e2e/served_home.hpp"

namespace robot_council::test {

// A client that setup knows, and what it leaves in an empty HOME.
struct SetupClient {
  const char* name;
  const char* scan;                // the line of the step
  std::vector<const char*> files;  // below HOME, that setup makes; the last one holds the hook
};

inline const std::vector<SetupClient>& setup_clients() {
  static const std::vector<SetupClient> kAll = {
      {"claude", "ok  scan: runs", {".claude.json", ".claude/settings.json"}},
      {"codex", "by hand  scan: needs review", {".codex/config.toml", ".codex/hooks.json"}},
      {"cursor", "ok  scan: runs", {".cursor/mcp.json", ".cursor/hooks.json"}},
      {"gemini", "ok  scan: runs", {".gemini/settings.json"}},
      {"copilot",
       "ok  scan: runs",
       {".copilot/mcp-config.json", ".copilot/hooks/robot-council.json"}},
      {"goose",
       "ok  scan: runs",
       {".agents/plugins/robot-council/.mcp.json", ".agents/plugins/robot-council/plugin.json",
        ".agents/plugins/robot-council/hooks/hooks.json"}},
  };
  return kAll;
}

// A private HOME, a work folder, robot-council on PATH as installed.
class Setup : public ServedHome {
 protected:
  void SetUp() override {
    ServedHome::SetUp();
    ASSERT_EQ(::mkdir((dir_ / "bin").c_str(), 0700), 0);
    // As installed: a link on PATH, which entries name.
    ASSERT_EQ(::symlink(program("robot-council").c_str(), (dir_ / "bin/robot-council").c_str()), 0);
    environment_["PATH"] = dir_ / "bin" + ":/usr/bin:/bin";
  }

  Ran setup(const std::string& client, const std::vector<std::string>& more = {"--yes"}) {
    std::vector<std::string> words = {"setup", client, "--service", service_};
    words.insert(words.end(), more.begin(), more.end());
    return council(words);
  }

  // Path, bytes, mode and time of each file below HOME.
  std::map<std::string, std::string> tree(const std::string& below = "") const {
    std::map<std::string, std::string> files;
    collect(home_ + below, files);
    return files;
  }
  void collect(const std::string& folder, std::map<std::string, std::string>& files) const {
    for (const auto& name : base::list_directory(folder).value_or({})) {
      const std::string path = folder + "/" + name;
      const auto info = base::file_info(path, base::Links::dont);
      if (info.ok() && info->kind == base::FileKind::directory) {
        collect(path, files);
      } else if (info.ok()) {
        files[path] = std::to_string(info->mode) + " " + std::to_string(info->modified_ms) + " " +
                      std::to_string(info->inode) + "\n" + read_text(path);
      }
    }
  }

  std::string script(const std::string& client) const {
    return home_ + "/.local/share/robot-council/hooks/" + client + "/robot-council-stop-hook";
  }
};

}  // namespace robot_council::test
