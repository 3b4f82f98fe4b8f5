#pragma once

#include "base/context.hpp"
#include "cli/parse.hpp"

namespace robot_council::cli {

int run_serve(const base::Context& context, const Args& args);

// What the operator of this user's serve does (service contract, 8.7). The acts, all but overview
// and feed, are for persons.
int run_fleet_overview(const base::Context& context, const Args& args);
int run_fleet_approve(const base::Context& context, const Args& args);
int run_fleet_deny(const base::Context& context, const Args& args);
int run_fleet_role(const base::Context& context, const Args& args);
int run_fleet_deny_role(const base::Context& context, const Args& args);
int run_fleet_revoke(const base::Context& context, const Args& args);
int run_fleet_direct(const base::Context& context, const Args& args);
int run_fleet_feed(const base::Context& context, const Args& args);

}  // namespace robot_council::cli
