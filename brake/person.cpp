#include "brake/person.hpp"

#include "base/child.hpp"
#include "base/text.hpp"
#include "brake/agent.hpp"
#include "brake/texts.hpp"

namespace robot_council::brake {

std::optional<std::string> agent_seen(const base::Environment& environment,
                                      const std::vector<std::string>& main_checkouts) {
  const std::vector<harness::BrakeMarker> markers = agent_markers(environment, main_checkouts);
  if (markers.empty()) {
    return std::nullopt;
  }
  return markers.front().name;
}

std::string person_only(const std::string& seen) {
  return "only a person may do this (seen: " + seen + "); use a terminal that no agent started";
}

std::string person_email(const base::Context& context, const std::string& folder,
                         base::SteadyTime deadline) {
  base::ChildOptions options;
  options.argv = {"git", "config", "user.email"};
  options.environment = context.environment.all();
  options.directory = folder;
  options.standard_out = base::Stdio::pipe;
  options.standard_err = base::Stdio::null;
  const base::Result<base::Finished> finished = base::run_child(std::move(options), {}, deadline);
  if (!finished.ok() || !finished.value().status.success()) {
    return {};
  }
  return clean_line(finished.value().out);
}

std::string command_line(const std::string& command, const std::string& folder) {
  return "robot-council " + command + " --repo " + base::shell_quote(folder);
}

}  // namespace robot_council::brake
