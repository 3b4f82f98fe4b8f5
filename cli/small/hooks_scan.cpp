#include <string>

#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/exit.hpp"
#include "cli/small/delivery.hpp"
#include "stop-hook/scan_report.hpp"

namespace robot_council::cli {

int run_hooks_scan(const base::Context& context, const Args& args) {
  const stop_hook::DiskSettingsFiles files;
  const auto folder = base::working_directory();
  if (!folder) {
    context.log.error(folder.error().what + "; go to a folder that exists.");
    return static_cast<int>(Exit::failed);
  }
  const auto report = stop_hook::report_scan(
      {files, context.environment, *folder}, args.value("--harness").value_or(""),
      args.has("--json") ? stop_hook::ScanFormat::json : stop_hook::ScanFormat::text);
  if (!report.message.empty()) {
    context.log.info(report.message);
  }
  if (!report.out.empty() && !print(context, report.out)) {
    return static_cast<int>(Exit::failed);
  }
  return report.status;
}

}  // namespace robot_council::cli
