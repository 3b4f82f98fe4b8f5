#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/context.hpp"
#include "base/result.hpp"
#include "wiring/wire.hpp"

// The systemd user unit that keeps this user's `robot-council serve` running (account contract,
// section 7, `--local`). Everything here runs `systemctl --user`; nothing of ours opens a socket.
namespace robot_council::wiring {

inline constexpr std::string_view kLocalUnit = "robot-council.service";

// XDG_CONFIG_HOME, else ~/.config; then systemd/user/robot-council.service.
[[nodiscard]] std::string local_unit_path(const base::Environment& environment);

// The shipped unit: share/systemd/user of the installation that the stop-hook script `script` (as
// find_stop_hook_script gave it) belongs to, else the source tree's.
[[nodiscard]] std::string local_unit_source(const std::string& script);

// The shipped unit with an ExecStart of this program, the local address and this data folder. A
// unit of systemd gets no XDG_DATA_HOME of a shell, so the folder is always named. invalid: a value
// with a line end or that is no absolute path, or a unit without exactly one ExecStart.
[[nodiscard]] base::Result<std::string> fill_unit(std::string_view unit, const std::string& program,
                                                  const std::string& data);

// Whether a user's systemd answers here. At most kSystemctlTime.
[[nodiscard]] bool has_user_systemd(const base::Context& context);

struct UnitFile {
  std::string path;
  std::string text;                   // filled
  std::optional<std::string> before;  // nothing: there was none
};
// What would be written. refused: another program's unit of that name is there.
[[nodiscard]] base::Result<UnitFile> plan_unit(const base::Context& context,
                                               const std::string& source,
                                               const std::string& program, const std::string& data);
// Writes the unit, has systemd read it, enables and starts it. An error leaves the files as before.
[[nodiscard]] base::Status start_unit(const base::Context& context, const UnitFile& unit);
// Ends the unit, disables it and puts back what was there before (nothing: the file goes).
[[nodiscard]] base::Status stop_unit(const base::Context& context, const std::string& path,
                                     const std::optional<std::string>& before);

// The step of `unsetup --local`.
[[nodiscard]] Step take_unit(const base::Context& context, DryRun dry);

}  // namespace robot_council::wiring
