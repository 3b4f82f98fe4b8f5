#include "brake/resume.hpp"

#include "brake/agent.hpp"
#include "brake/homes.hpp"
#include "cli/small/brake.hpp"

namespace robot_council::cli {

int run_resume(const base::Context& context, const Args& args) {
  brake::ResumeRequest request;
  request.repo = args.value("--repo").value_or(".");
  request.everywhere = args.has("--everywhere");
  return finish(context, brake::resume({context, brake::find_homes(context.environment),
                                        brake::agent_ancestor()},
                                       request));
}

}  // namespace robot_council::cli
