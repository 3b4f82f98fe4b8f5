#include "brake/wired.hpp"

#include <algorithm>
#include <array>

#include "base/files.hpp"
#include "base/json.hpp"
#include "base/json_scan.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"
#include "brake/disk.hpp"
#include "brake/limits.hpp"

namespace robot_council::brake {
namespace {

// Clients that ask the person to trust a hook or its folder, and where that is kept we cannot tell.
constexpr std::array<std::string_view, 6> kNeedTrust = {
    "claude_code", "codex_cli", "gemini_cli", "grok", "mistral_vibe", "vscode_copilot"};

bool needs_trust(const harness::BrakeClient& client) {
  return std::find(kNeedTrust.begin(), kNeedTrust.end(), client.id) != kNeedTrust.end();
}

}  // namespace

bool WiredClient::wired() const {
  return user.state == WiredState::wired || project.state == WiredState::wired;
}

std::string user_file(const harness::BrakeClient& client, const base::Environment& environment) {
  if (client.user_file.empty()) {
    return {};
  }
  if (client.id == "claude_code") {
    const std::string moved = environment.get_or_empty("CLAUDE_CONFIG_DIR");
    if (!moved.empty() && moved.front() == '/') {
      return base::join_path(moved, "settings.json");
    }
  }
  if (client.id == "factory_droid") {
    const std::string moved = environment.get_or_empty("FACTORY_HOME_OVERRIDE");
    if (!moved.empty() && moved.front() == '/') {
      return base::join_path(moved, client.user_file);
    }
  }
  return base::join_path(base::home_directory(environment), client.user_file);
}

std::string project_file(const harness::BrakeClient& client, const std::string& checkout) {
  return checkout.empty() ? std::string() : base::join_path(checkout, client.project_file);
}

WiredFile read_wired(const harness::BrakeClient& client, const std::string& path) {
  WiredFile file{path, WiredState::not_wired};
  std::string bytes;
  if (path.empty() || read_followed(path, kMaxSettingsBytes, &bytes) != 0) {
    return file;
  }
  const std::string mark = std::string(harness::kBrakeEntryMark) + " " + std::string(client.id);
  if (bytes.find(mark) == std::string::npos) {
    return file;
  }
  const bool toml = client.entry == harness::BrakeEntry::toml_block;
  if (!toml && !base::validate_json(bytes, base::kMaxJsonDepth).ok()) {
    file.state = WiredState::unreadable;
    return file;
  }
  const bool exact =
      bytes.find(base::quote_json(harness::brake_command(client.id))) != std::string::npos;
  file.state = exact ? WiredState::wired : WiredState::outdated;
  return file;
}

std::vector<WiredClient> find_wired(const base::Environment& environment,
                                    const std::string& checkout) {
  std::vector<WiredClient> clients;
  for (const harness::BrakeClient& client : harness::brake_clients()) {
    WiredClient wired;
    wired.client = &client;
    wired.user = read_wired(client, user_file(client, environment));
    wired.project = read_wired(client, project_file(client, checkout));
    clients.push_back(std::move(wired));
  }
  return clients;
}

std::string wired_words(const WiredClient& client) {
  if (client.wired()) {
    return needs_trust(*client.client) ? "wired, unknown whether trusted in the client" : "wired";
  }
  for (const WiredFile* file : {&client.user, &client.project}) {
    if (file->state == WiredState::unreadable) {
      return "the client cannot read its file";
    }
  }
  const bool outdated =
      client.user.state == WiredState::outdated || client.project.state == WiredState::outdated;
  return outdated ? "outdated" : "not wired";
}

std::string wired_lines(const base::Environment& environment, const std::string& checkout) {
  std::string lines;
  for (const WiredClient& client : find_wired(environment, checkout)) {
    std::vector<std::string> where;
    for (const WiredFile* file : {&client.user, &client.project}) {
      if (file->state != WiredState::not_wired) {
        where.push_back(file->path);
      }
    }
    lines.append("  ").append(client.client->id).append(": ").append(wired_words(client));
    if (!where.empty()) {
      lines.append(" (").append(base::join(where, ", ")).append(")");
    }
    lines += '\n';
  }
  return lines;
}

}  // namespace robot_council::brake
