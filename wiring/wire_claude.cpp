// Claude Code's server entry: its own program writes it, as long as there is one.

#include <utility>

#include "base/atomic_file.hpp"
#include "base/child.hpp"
#include "base/files.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"
#include "harness/settings_limits.hpp"
#include "wiring/limits.hpp"
#include "wiring/wire.hpp"

namespace robot_council::wiring {

using harness::Client;

std::optional<std::string> Wirer::claude_program() const {
  return base::find_program("claude", context_.environment.get_or_empty("PATH"));
}

// Whether Claude Code's own file has this entry in the scope ("": any entry of the name).
// `old_bytes` gets the file.
bool Wirer::claude_holds(const std::string& wanted, std::string& old_bytes) const {
  const auto folder = context_.environment.nonblank("CLAUDE_CONFIG_DIR");
  const std::string path = base::join_path(
      folder ? *folder : base::home_directory(context_.environment), ".claude.json");
  const auto bytes = base::read_file(path, harness::kMaxSettingsBytes);
  if (!bytes.ok()) {
    return false;
  }
  old_bytes = *bytes;
  const harness::SettingsDocument document = harness::read_settings(*bytes);
  const harness::SettingsNode* place = &document.root;
  if (target_.scope == Scope::project) {
    const harness::SettingsNode* projects = place->find("projects");
    place = projects == nullptr ? nullptr : projects->find(target_.root);
  }
  const harness::SettingsNode* servers = place == nullptr ? nullptr : place->find("mcpServers");
  const harness::SettingsNode* ours = servers == nullptr ? nullptr : servers->find("robot-council");
  if (ours == nullptr || wanted.empty()) {
    return ours != nullptr;
  }
  const harness::SettingsDocument entry = harness::read_settings(wanted);
  for (const std::string_view key : {"command", "args", "env"}) {
    const harness::SettingsNode* have = ours->find(key);
    if (have == nullptr || !harness::equal_values(*have, *entry.root.find(key))) {
      return false;
    }
  }
  return true;
}

Step Wirer::claude_server(const harness::ServerValues& values, const std::string& program) {
  const std::string name = "mcp server";
  const std::string scope = target_.scope == Scope::user ? "user" : "local";
  std::string old_bytes;
  if (claude_holds(harness::server_entry(Client::claude, values), old_bytes)) {
    return {StepResult::ok, name, "Claude Code has it in its " + scope + " scope"};
  }
  const auto run = [&](std::vector<std::string> argv) {
    base::ChildOptions options;
    argv.insert(argv.begin(), program);
    options.argv = std::move(argv);
    options.standard_err = base::Stdio::pipe;
    options.environment = context_.environment.all();
    options.directory =
        target_.scope == Scope::project ? std::optional<std::string>(target_.root) : std::nullopt;
    return base::run_child(std::move(options), {}, context_.clock.steady() + kClaudeProgramTime);
  };
  std::vector<std::string> add = {"mcp",
                                  "add",
                                  "-s",
                                  scope,
                                  "robot-council",
                                  "-e",
                                  "ROBOT_COUNCIL_SERVICE=" + values.service,
                                  "-e",
                                  "ROBOT_COUNCIL_HARNESS=claude",
                                  "--",
                                  values.program,
                                  "mcp"};
  if (!values.project.empty()) {
    add.push_back("--project=" + values.project);
  }
  if (dry_ == DryRun::yes) {
    return {StepResult::changed, name, "would run claude " + base::join(add, " ")};
  }
  std::string ignored;
  const bool differs = claude_holds("", ignored);
  if (differs) {
    const auto removed = run({"mcp", "remove", "-s", scope, "robot-council"});
    if (!removed.ok() || !removed->status.success()) {
      return {StepResult::failed, name,
              "claude mcp remove failed" +
                  (removed.ok() ? ": " + harness::quoted_text(removed->err) : "")};
    }
  }
  const auto added = run(add);
  if (added.ok() && added->status.success()) {
    return {StepResult::changed, name, "claude mcp add -s " + scope};
  }
  std::string text = "claude mcp add failed" + (added.ok() ? ": " + harness::quoted_text(added->err)
                                                           : ": " + added.error().what);
  if (differs) {
    const auto folder = context_.environment.nonblank("CLAUDE_CONFIG_DIR");
    const std::string path = base::join_path(
        folder ? *folder : base::home_directory(context_.environment), ".claude.json");
    const auto back = base::replace_file(path, old_bytes, base::Sync::yes);
    text += back.ok() ? "; the old entry was put back"
                      : "; the old entry could not be put back: " + back.error().what;
  }
  return {StepResult::failed, name, text};
}

}  // namespace robot_council::wiring
