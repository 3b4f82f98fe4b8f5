#include "brake/gateway.hpp"

#include "brake/homes.hpp"
#include "cli/small/brake.hpp"

namespace robot_council::cli {

int run_gateway(const base::Context& context, const Args& args) {
  brake::GatewayRequest request;
  request.repo = args.value("--repo").value_or(".");
  request.command = args.positionals();
  request.command.insert(request.command.end(), args.after_dashes().begin(),
                         args.after_dashes().end());
  return brake::run_gateway(context, request,
                            [&context] { return brake::find_homes(context.environment); });
}

}  // namespace robot_council::cli
