#include "account/forget.hpp"

#include "account/identity.hpp"
#include "cli/dispatch.hpp"
#include "cli/exit.hpp"
#include "cli/net/account.hpp"
#include "harness/names.hpp"

namespace robot_council::cli {

// Hidden: `unsetup --forget` calls it, since the stores of credentials live in this executable.
int run_forget(const base::Context& context, const Args& args) {
  const std::string harness = harness::reduce_name(args.value("--harness").value_or(""));
  const auto service = account::check_service(
      account::service_text(args.value("--service").value_or(""), context.environment));
  if (!service || harness.empty()) {
    context.log.error(service ? "forget needs --harness." : service.error().what);
    return static_cast<int>(Exit::usage);
  }
  const auto from = account::forget_credential(context, service->text, harness);
  if (!from) {
    context.log.error(from.error().what);
    return static_cast<int>(Exit::failed);
  }
  return static_cast<int>(print(context, *from + "\n") ? Exit::ok : Exit::failed);
}

}  // namespace robot_council::cli
