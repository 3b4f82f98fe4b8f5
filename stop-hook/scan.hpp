#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.hpp"
#include "base/result.hpp"

// The scanner: will the harness really run a stop hook of ours? Files in, findings out; it writes
// nothing and starts nothing.
namespace robot_council::stop_hook {

// How the scanner sees a machine's files. Owns nothing of them. Threads: const members are safe
// from any.
class SettingsFiles {
 public:
  SettingsFiles() = default;
  SettingsFiles(const SettingsFiles&) = delete;
  SettingsFiles& operator=(const SettingsFiles&) = delete;
  SettingsFiles(SettingsFiles&&) = delete;
  SettingsFiles& operator=(SettingsFiles&&) = delete;
  virtual ~SettingsFiles() = default;

  // A regular file's bytes, at most kMaxSettingsBytes. not_found: there is none (ENOTDIR too); any
  // other error: it is there and cannot be read.
  [[nodiscard]] virtual base::Result<std::string> read(const std::string& path) const = 0;
  // realpath(3); an error when something on the way is missing.
  [[nodiscard]] virtual base::Result<std::string> real_path(const std::string& path) const = 0;
  // Names in a folder, sorted by byte; empty when there is no such folder or it cannot be read.
  [[nodiscard]] virtual std::vector<std::string> list(const std::string& folder) const = 0;
  // A file or folder is there (links followed).
  [[nodiscard]] virtual bool exists(const std::string& path) const = 0;
  // A regular file this user may execute (links followed).
  [[nodiscard]] virtual bool executable(const std::string& path) const = 0;
};

// The real disk. With a `system_root` the machine-wide paths that begin with /etc or /Library are
// read below that folder (for tests, and for a doctor that looks at another root).
class DiskSettingsFiles final : public SettingsFiles {
 public:
  explicit DiskSettingsFiles(std::string system_root = {});
  [[nodiscard]] base::Result<std::string> read(const std::string& path) const override;
  [[nodiscard]] base::Result<std::string> real_path(const std::string& path) const override;
  [[nodiscard]] std::vector<std::string> list(const std::string& folder) const override;
  [[nodiscard]] bool exists(const std::string& path) const override;
  [[nodiscard]] bool executable(const std::string& path) const override;

 private:
  [[nodiscard]] std::string placed(const std::string& path) const;
  std::string system_root_;
};

// The eyes of one scan. Owns nothing; all parts outlive the call.
struct ScanWorld {
  const SettingsFiles& files;
  const base::Environment& environment;  // of the harness: HOME, USERPROFILE, CLAUDE_CONFIG_DIR,
                                         // CODEX_HOME, COPILOT_HOME, PATH, ...
  std::string folder;                    // the project: the bridge's working directory, absolute
};

enum class ScanSeverity : std::uint8_t {
  error,        // a hook of this file, or ours, does not run
  warning,      // it runs, but something will go wrong or already does
  information,  // worth knowing
};
[[nodiscard]] std::string_view to_text(ScanSeverity severity);  // "error", "warning", "info"

// One thing said about a file. `text` and `remedy` are whole sentences, one line, free of control
// characters.
struct ScanFinding {
  ScanSeverity severity = ScanSeverity::error;
  std::string file;
  std::optional<std::size_t> line;  // 1-based
  std::string rule;  // id of the table of rules: syntax, encoding, root, wrapper, place, void,
                     // shape, off, ...
  std::string text;
  std::string remedy;
};

enum class ScanOutcome : std::uint8_t {
  runs,          // a delivering entry of ours runs at each turn end
  needs_review,  // codex: it is there and its hash is not known to be trusted
  will_not_run,  // entries of ours are there and none runs
  none,          // there is no delivering entry of ours
  unknown,       // only a foreign command that may call ours, or it cannot be told
};
[[nodiscard]] std::string_view to_text(
    ScanOutcome outcome);  // "runs", "needs review", "will not run", "none", "unknown"

// What an entry is to us.
enum class ScanEntryKind : std::uint8_t {
  deliver,  // the stop-hook script, or `robot-council pending`, at the stop event
  wake,     // the script with --wait, or `robot-council wait`: the two background entries of Claude
            // Code
  record,   // `robot-council stops record`: observes only
  foreign,  // another program at the stop event
};

// An entry that was found, wherever it stands and whether or not it runs.
struct ScanEntry {
  ScanEntryKind kind = ScanEntryKind::foreign;
  std::string file;
  std::size_t line = 0;  // 1-based
  std::string event;    // as spelled in the file: "Stop", "stop", "AfterAgent", "SessionStart", ...
  std::string command;  // as the harness hands it to its shell
  std::int64_t timeout_ms = 0;  // the harness's default when the entry names none
  bool runs = false;
};

struct ScanResult {
  std::string harness;
  ScanOutcome outcome = ScanOutcome::none;
  std::vector<ScanFinding> findings;  // in the order of the sources
  std::vector<ScanEntry> entries;     // likewise; doctor runs the first `deliver` that runs
  std::vector<std::string> files;     // the sources that are there
  bool wake_wired =
      false;  // claude: both wake entries are there and run without an error of theirs
};

// What our entries should be wired to; empty = not compared (rule `seat`).
struct ScanSeat {
  std::string service;
  std::string project;
};

// The harnesses the scanner knows: claude, codex, cursor, gemini, copilot, goose.
[[nodiscard]] const std::vector<std::string>& scanned_harnesses();

// Everything about one harness (a name of scanned_harnesses(); another: outcome unknown, nothing
// found).
[[nodiscard]] ScanResult scan(const ScanWorld& world, std::string_view harness,
                              const ScanSeat& seat = {});

// What a bridge says and believes at its start.
struct StartScan {
  std::vector<std::string>
      lines;  // for stderr, in order, without prefix: unreadable files, the verdict, errors
  bool has_hook = true;  // false: the agent is told to read the feed itself
};

// claude: unreadable files, exactly one verdict, then the scanner's errors; has_hook follows the
// result (`runs`, `unknown`). Any other harness counts as having a hook; it has lines only for
// errors.
[[nodiscard]] StartScan scan_at_start(const ScanWorld& world, std::string_view harness,
                                      const ScanSeat& seat = {});

}  // namespace robot_council::stop_hook
