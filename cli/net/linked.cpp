#include "base/json_value.hpp"
#include "base/version.hpp"
#include "cli/dispatch.hpp"
#include "cli/exit.hpp"
#include "cli/net/account.hpp"
#include "net/tls_version.hpp"

namespace robot_council::cli {

// Hidden: `version` asks this executable for itself.
int run_linked(const base::Context& context, const Args& /*args*/) {
  base::OrderedJson object = base::OrderedJson::object();
  object["version"] = std::string(base::version());
  object["tls"] = net::tls_version();
  return static_cast<int>(print(context, base::dump_safe(object) + "\n") ? Exit::ok : Exit::failed);
}

}  // namespace robot_council::cli
