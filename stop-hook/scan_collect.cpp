#include "stop-hook/scan_collect.hpp"

#include <algorithm>
#include <utility>

#include "base/files.hpp"
#include "stop-hook/scan_limits.hpp"

namespace robot_council::stop_hook {

namespace {

ScanSeverity severity_of(harness::FaultSeverity severity) {
  switch (severity) {
    case harness::FaultSeverity::warning:
      return ScanSeverity::warning;
    case harness::FaultSeverity::information:
      return ScanSeverity::information;
    case harness::FaultSeverity::error:
      break;
  }
  return ScanSeverity::error;
}

}  // namespace

bool Collection::seen(const std::string& file) const {
  return seen_.count(world_.files.real_path(file).value_or(file)) != 0;
}

std::optional<std::string> Collection::read(const std::string& file) {
  auto bytes = world_.files.read(file);
  if (!bytes.ok() && bytes.error().code == base::Errc::not_found) {
    return std::nullopt;
  }
  if (!seen_.insert(world_.files.real_path(file).value_or(file)).second) {
    return std::nullopt;
  }
  result_.files.push_back(file);
  if (!bytes.ok()) {
    cannot_tell = true;
    add(ScanSeverity::warning, "syntax", file, 0,
        "the file could not be read (" + harness::quoted_text(bytes.error().what) +
            "), so what it holds is not known.",
        "Make it a regular file that you may read.");
    return std::nullopt;
  }
  return std::move(bytes).value();
}

std::optional<SourceFile> Collection::load(harness::HookFileKind kind, const std::string& file) {
  const auto bytes = read(file);
  if (!bytes) {
    return std::nullopt;
  }
  SourceFile source{file, harness::read_hooks_file(client_, kind, *bytes)};
  add_faults(file, source.hooks.faults);
  client_stopped = client_stopped || source.hooks.stops_client;
  // A command of ours stands in the file and is no part of any entry that was understood.
  const bool understood =
      std::any_of(source.hooks.entries.begin(), source.hooks.entries.end(),
                  [](const harness::HookEntry& entry) { return entry.command.names_us; });
  mentioned = mentioned || (source.hooks.mentions_us && !understood);
  return source;
}

std::optional<harness::SettingsDocument> Collection::peek(const std::string& file) const {
  const auto bytes = world_.files.read(file);
  if (!bytes.ok()) {
    return std::nullopt;
  }
  harness::SettingsDocument document = harness::read_settings(*bytes);
  if (!document.has_root()) {
    return std::nullopt;
  }
  return document;
}

void Collection::add(ScanSeverity severity, std::string_view rule, const std::string& file,
                     std::size_t line, std::string text, std::string remedy) {
  ScanFinding finding;
  finding.severity = severity;
  finding.file = file;
  if (line > 0) {
    finding.line = line;
  }
  finding.rule = rule;
  finding.text = std::move(text);
  finding.remedy = std::move(remedy);
  result_.findings.push_back(std::move(finding));
}

void Collection::add_faults(const std::string& file,
                            const std::vector<harness::SettingsFault>& faults) {
  for (const harness::SettingsFault& fault : faults) {
    add(severity_of(fault.severity), fault.rule, file, fault.line, fault.text, fault.remedy);
  }
}

void Collection::add_entries(const SourceFile& source, const std::string& plugin_root) {
  for (const harness::HookEntry& entry : source.hooks.entries) {
    FoundEntry found;
    found.entry = entry;
    found.file = source.file;
    found.plugin_root = plugin_root;
    found.runs = entry.accepted && source.hooks.taken;
    entries_.push_back(std::move(found));
  }
}

void Collection::misplaced(const std::string& file, const std::string& why,
                           const std::string& remedy) {
  const auto bytes = world_.files.read(file);
  if (!bytes.ok() || seen(file)) {
    return;
  }
  const harness::HooksFile hooks =
      harness::read_hooks_file(client_, harness::HookFileKind::hooks_file, *bytes);
  const harness::SettingsDocument& document = hooks.document;
  std::size_t line = 0;
  if (document.has_root()) {
    const harness::SettingsMember* member = document.root.find_member("hooks");
    if (member != nullptr && (!member->value.members.empty() || !member->value.elements.empty())) {
      line = harness::settings_place(document.text, member->key_begin).line;
    }
  }
  bool wrapped = line > 0;
  for (const harness::SettingsFault& fault : hooks.faults) {
    wrapped = wrapped || fault.rule == "wrapper";
  }
  if (!wrapped && hooks.entries.empty()) {
    return;
  }
  result_.files.push_back(file);
  add(ScanSeverity::error, "place", file, line, why, remedy);
  for (const harness::SettingsFault& fault : hooks.faults) {
    if (fault.rule == "wrapper") {
      add_faults(file, {fault});
    }
  }
  mentioned = mentioned || hooks.mentions_us;
  for (const harness::HookEntry& entry : hooks.entries) {
    if (entry.command.ours()) {
      FoundEntry found;
      found.entry = entry;
      found.file = file;
      entries_.push_back(std::move(found));
    }
  }
}

std::vector<std::string> all_parents(const ScanWorld& world) {
  std::vector<std::string> folders;
  std::string folder = world.folder;
  while (folders.size() < kMaxParents) {
    folders.push_back(folder);
    const std::string parent = base::parent_path(folder);
    if (parent == folder || parent == ".") {
      break;
    }
    folder = parent;
  }
  return folders;
}

std::vector<std::string> folders_to_root(const ScanWorld& world) {
  std::vector<std::string> folders;
  for (std::string& folder : all_parents(world)) {
    const bool root = world.files.exists(base::join_path(folder, ".git"));
    folders.push_back(std::move(folder));
    if (root) {
      return folders;
    }
  }
  folders.resize(1);
  return folders;
}

}  // namespace robot_council::stop_hook
