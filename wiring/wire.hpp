#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/context.hpp"
#include "base/result.hpp"
#include "harness/settings_wanted.hpp"
#include "stop-hook/script.hpp"
#include "wiring/wire_files.hpp"

// Puts our entries into a client's files and takes them out, one step a time, each whole or not at
// all.
namespace robot_council::wiring {

enum class StepResult : std::uint8_t { ok, changed, by_hand, skipped, failed };
[[nodiscard]] std::string_view to_text(StepResult result);  // "ok", "changed", "by hand", ...

struct Step {
  StepResult result = StepResult::ok;
  std::string name;
  std::string text;
};
// "<result>  <step>: <text>\n".
[[nodiscard]] std::string step_line(const Step& step);

enum class DryRun : std::uint8_t { yes, no };

// One run of setup or unsetup on one target. Locks each file for its edit; waits at most 5 s for
// one.
class Wirer {
 public:
  Wirer(const base::Context& context, WireTarget target, DryRun dry);

  [[nodiscard]] const WirePlaces& places() const { return places_; }

  // The filled script, 0755. One there for another service, harness or project: failed, both named.
  [[nodiscard]] Step put_script(const std::string& source, const stop_hook::ScriptValues& values);
  [[nodiscard]] Step put_server(const harness::ServerValues& values);
  // `record`: also the entry that records turn ends, "" = it is left as it is.
  [[nodiscard]] Step put_hooks(harness::Wake wake, const std::string& record = {});

  // Entry, server, script out. `pause`: waits 2 s for Cursor, which unloads a hook only when the
  // file is written.
  [[nodiscard]] Step take_hooks(const std::function<void(base::Milliseconds)>& pause);
  [[nodiscard]] Step take_server();
  [[nodiscard]] Step take_script();

  // With DryRun::yes: the unified diffs of what would be written, one a file, in order.
  [[nodiscard]] std::string diffs() const;
  // The files that were looked at, for the proof after unsetup.
  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }

 private:
  struct Recorded {
    bool made = false;
    std::set<std::string> containers;
    std::string backup;
  };
  using Build = std::function<base::Result<harness::Edited>(const std::optional<std::string>&)>;
  using Verify = std::function<base::Status(const std::optional<std::string>&, std::string_view)>;

  [[nodiscard]] Step edit(const std::string& name, const std::string& path, unsigned mode,
                          const Build& build, const Verify& verify);
  [[nodiscard]] std::string shared_note(const std::string& path) const;
  [[nodiscard]] Step take(const std::string& name, const std::string& path, const Build& build);
  [[nodiscard]] harness::EditPlan hook_plan(const std::set<std::string>& removable) const;
  [[nodiscard]] harness::EditPlan server_plan(const std::string& entry,
                                              const std::set<std::string>& removable) const;
  [[nodiscard]] Step put_manifest();
  [[nodiscard]] Step claude_server(const harness::ServerValues& values, const std::string& program);
  [[nodiscard]] bool claude_holds(const std::string& wanted, std::string& old_bytes) const;
  [[nodiscard]] std::optional<std::string> claude_program() const;
  [[nodiscard]] Recorded recorded(const std::string& path) const;
  base::Status record(const std::string& path, const std::optional<Recorded>& value) const;
  [[nodiscard]] std::string record_path() const;
  [[nodiscard]] std::string lock_folder() const;
  void remember(const std::string& path);
  void plan(const std::string& path, const std::optional<std::string>& before,
            const std::optional<std::string>& after);
  [[nodiscard]] base::Result<std::optional<std::string>> planned(const std::string& path) const;
  [[nodiscard]] Step plan_step(const std::string& name, const std::string& path,
                               const std::function<base::Result<std::optional<std::string>>(
                                   const std::optional<std::string>&)>& build);

  // What a dry run would have written.
  struct Planned {
    std::string path;
    std::optional<std::string> before;
    std::optional<std::string> after;
  };

  const base::Context& context_;
  WireTarget target_;
  WirePlaces places_;
  DryRun dry_;
  std::vector<Planned> planned_;
  std::vector<std::string> files_;
};

}  // namespace robot_council::wiring
