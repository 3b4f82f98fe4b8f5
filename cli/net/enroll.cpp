#include "account/enroll.hpp"

#include "brake/person.hpp"
#include "brake/repository.hpp"
#include "cli/net/account.hpp"
#include "wiring/online/harness_choice.hpp"

namespace robot_council::cli {

int run_enroll(const base::Context& context, const Args& args) {
  account::EnrollOptions options;
  options.service = args.value("--service").value_or("");
  options.harness =
      wiring::online::choose_harness(args.value("--harness").value_or(""), context.environment);
  options.machine_label = args.value("--machine-label").value_or("");
  options.abilities = args.values("--ability");
  options.store = args.value("--credential-store").value_or("");
  options.local = args.has("--local") ? account::Local::yes : account::Local::no;
  options.data = args.value("--data").value_or("");
  if (options.local == account::Local::yes) {
    const auto here = brake::repository_at(brake::process_directory());
    const std::vector<std::string> checkouts =
        here.found ? std::vector<std::string>{here.repository.main_checkout}
                   : std::vector<std::string>{};
    options.agent_marker = brake::agent_seen(context.environment, checkouts).value_or("");
  }
  return account::enroll(context, options);
}

}  // namespace robot_council::cli
