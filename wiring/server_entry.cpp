#include "wiring/server_entry.hpp"

#include <utility>

#include "base/files.hpp"
#include "harness/settings_command.hpp"
#include "harness/settings_json.hpp"
#include "harness/settings_limits.hpp"
#include "harness/settings_toml.hpp"
#include "wiring/wire_files.hpp"

namespace robot_council::wiring {

namespace {

constexpr const char* kName = "robot-council";

// The values that arguments and variables give together; an option beats a variable.
ServerEntry entry_of(const std::string& file, const std::string& program,
                     std::vector<std::string> args, std::map<std::string, std::string> variables) {
  harness::HookCommand command;
  command.words = std::move(args);
  ServerEntry entry{file, program, "", "", "", std::move(variables)};
  const auto value = [&](const char* option, const char* variable) {
    const std::string given = command.option(option);
    const auto found = entry.variables.find(variable);
    return !given.empty() || found == entry.variables.end() ? given : found->second;
  };
  entry.service = value("service", "ROBOT_COUNCIL_SERVICE");
  entry.harness = value("harness", "ROBOT_COUNCIL_HARNESS");
  entry.project = command.option("project");
  return entry;
}

void add_json(std::vector<ServerEntry>& entries, const std::string& file,
              const harness::SettingsNode* place) {
  const harness::SettingsNode* servers = place == nullptr ? nullptr : place->find("mcpServers");
  const harness::SettingsNode* ours = servers == nullptr ? nullptr : servers->find(kName);
  if (ours == nullptr) {
    return;
  }
  std::vector<std::string> args;
  if (const auto* list = ours->find("args")) {
    for (const auto& element : list->elements) {
      args.push_back(element.text);
    }
  }
  std::map<std::string, std::string> variables;
  if (const auto* env = ours->find("env")) {
    for (const auto& member : env->members) {
      variables[member.key] = member.value.text;
    }
  }
  entries.push_back(
      entry_of(file, ours->string_at("command"), std::move(args), std::move(variables)));
}

void add_file(std::vector<ServerEntry>& entries, const WireFile& file, const std::string& root) {
  const auto bytes = base::read_file(file.path, harness::kMaxSettingsBytes);
  if (!bytes) {
    return;
  }
  if (file.kind == WireKind::codex_servers) {
    if (auto server = harness::read_codex_config(*bytes).server) {
      entries.push_back(
          entry_of(file.path, server->command, std::move(server->args), std::move(server->env)));
    }
    return;
  }
  const harness::SettingsDocument document = harness::read_settings(*bytes);
  if (!document.has_root()) {
    return;
  }
  // Claude Code keeps the servers of a folder (its "local" scope) in the same file.
  if (const auto* projects = document.root.find("projects")) {
    add_json(entries, file.path, projects->find(root));
  }
  add_json(entries, file.path, &document.root);
}

}  // namespace

std::vector<ServerEntry> find_server_entries(const base::Environment& environment,
                                             harness::Client client, const std::string& root) {
  std::vector<ServerEntry> entries;
  const std::string real = base::real_path(root).value_or(root);
  for (const Scope scope : {Scope::project, Scope::user}) {
    const WirePlaces places = wire_places(environment, {client, scope, real});
    if (places.server) {
      add_file(entries, *places.server, real);
    } else if (client == harness::Client::claude) {
      add_file(entries, {WireKind::servers, base::join_path(real, ".mcp.json")}, real);
    }
  }
  return entries;
}

}  // namespace robot_council::wiring
