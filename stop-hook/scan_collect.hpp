#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/settings_hooks.hpp"
#include "harness/settings_values.hpp"
#include "stop-hook/scan.hpp"

// What the readers of the clients' sources put together for one scan. Internal to the scanner.
namespace robot_council::stop_hook {

// An entry with the file it stands in and what the sources say about it.
struct FoundEntry {
  harness::HookEntry entry;
  std::string file;
  std::string plugin_root;    // Claude Code: what ${CLAUDE_PLUGIN_ROOT} stands for
  bool runs = false;          // accepted, read, switched on, allowed
  bool needs_review = false;  // codex: the only thing between it and running
};

// One source that was read.
struct SourceFile {
  std::string file;
  harness::HooksFile hooks;
};

// The MCP server entry of ours.
struct FoundServer {
  std::string file;
  harness::WiredValues values;
};

class Collection {
 public:
  Collection(const ScanWorld& world, harness::Client client, const ScanSeat& seat)
      : world_(world), client_(client), seat_(seat) {}

  [[nodiscard]] const ScanWorld& world() const { return world_; }
  [[nodiscard]] harness::Client client() const { return client_; }
  [[nodiscard]] const ScanSeat& seat() const { return seat_; }
  [[nodiscard]] std::string title() const { return std::string(harness::client_title(client_)); }

  // The bytes of a source; nothing if there is none, it was read before under another name, or it
  // cannot be read (then a finding says so and the result can no longer be told). Remembers it as a
  // source.
  [[nodiscard]] std::optional<std::string> read(const std::string& file);
  // The same, read as a hook file, its faults added.
  [[nodiscard]] std::optional<SourceFile> load(harness::HookFileKind kind, const std::string& file);
  // A file that is no source of hooks: nothing is said about it, nothing remembered.
  [[nodiscard]] std::optional<harness::SettingsDocument> peek(const std::string& file) const;

  void add(ScanSeverity severity, std::string_view rule, const std::string& file, std::size_t line,
           std::string text, std::string remedy);
  void add_faults(const std::string& file, const std::vector<harness::SettingsFault>& faults);
  // The entries of a source; they run if `taken` and the entry is accepted.
  void add_entries(const SourceFile& source, const std::string& plugin_root = {});
  void add_entry(FoundEntry entry) { entries_.push_back(std::move(entry)); }

  // A file that the client does not read as hooks: its entries are kept as not running, and a
  // `place` error is added if there is any hook in it.
  void misplaced(const std::string& file, const std::string& why, const std::string& remedy);

  [[nodiscard]] std::vector<FoundEntry>& entries() { return entries_; }
  [[nodiscard]] ScanResult& result() { return result_; }
  [[nodiscard]] bool seen(const std::string& file) const;

  std::optional<FoundServer> server;
  bool cannot_tell = false;  // a source is there and could not be read
  bool mentioned =
      false;  // a source that is not read as hooks, or a broken one, names a command of ours
  bool client_stopped = false;  // the client does not start with these files

 private:
  const ScanWorld& world_;
  harness::Client client_;
  const ScanSeat& seat_;
  ScanResult result_;
  std::vector<FoundEntry> entries_;
  std::set<std::string> seen_;
};

// The project's folder and its parents up to the repository's root (a folder with .git), innermost
// first; only the project's folder when there is no repository.
[[nodiscard]] std::vector<std::string> folders_to_root(const ScanWorld& world);
// The same, all parents up to "/".
[[nodiscard]] std::vector<std::string> all_parents(const ScanWorld& world);

// The readers of the clients' sources.
void collect_claude(Collection& found);
void collect_codex(Collection& found);
void collect_cursor(Collection& found);
void collect_gemini(Collection& found);
void collect_copilot(Collection& found);
void collect_goose(Collection& found);

// The rules about our own and foreign entries, and the result.
void judge(Collection& found);

}  // namespace robot_council::stop_hook
