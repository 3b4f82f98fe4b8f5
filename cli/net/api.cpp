#include "wiring/online/api.hpp"

#include "base/files.hpp"
#include "cli/net/account.hpp"
#include "wiring/online/harness_choice.hpp"

namespace robot_council::cli {

int run_api(const base::Context& context, const Args& args) {
  wiring::online::ApiOptions options;
  options.method = args.positionals().at(0);
  options.path = args.positionals().at(1);
  options.service = args.value("--service").value_or("");
  options.harness =
      wiring::online::choose_harness(args.value("--harness").value_or(""), context.environment);
  options.project = args.value("--project").value_or("");
  options.repository = args.value("--repository").value_or("");
  options.work_location = args.value("--work-location").value_or("");
  options.body = args.value("--body").value_or("");
  options.folder = base::working_directory().value_or("");
  return wiring::online::api(context, options);
}

}  // namespace robot_council::cli
