#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/environment.hpp"
#include "base/result.hpp"
#include "stops/policy.hpp"

namespace robot_council::stops {

enum class PolicySource : std::uint8_t {
  variable,    // ROBOT_COUNCIL_STOP_POLICY
  repository,  // REPO_ROOT/.robot-council.stop.yaml, .yml
  user,        // ~/.robot-council/stop.yaml
};

struct FoundPolicy {
  std::string path;
  PolicySource source = PolicySource::user;
  base::Result<Policy> policy = base::Error{};  // read; an error: the file is broken
  JudgeName judge = JudgeName::local;           // after the overrides below
  std::optional<std::string> judge_error;       // ROBOT_COUNCIL_STOP_JUDGE names none
  std::vector<std::string> warnings;            // of the file and of the overrides
};

// First folder from `folder` upwards (links resolved) that holds .git, a file or a folder; "" if
// there is none or `folder` is gone.
[[nodiscard]] std::string repository_root(const std::string& folder);

// The policy for a turn that ended in `folder` ("" = none known): the variable's file, else the
// repository's, else the user's; nothing: no policy, and so nothing is to happen at all. A variable
// that names no file is no policy; a relative name is looked up in `folder` and trusted as a
// repository's file. ROBOT_COUNCIL_STOP_JUDGE overrides every judge. A judge that
// sends and is named by a repository's file alone becomes local, with a warning: a cloned
// repository never decides that text leaves. Creates nothing.
[[nodiscard]] std::optional<FoundPolicy> find_policy(const std::string& folder,
                                                     const std::string& root,
                                                     const base::Environment& environment);

}  // namespace robot_council::stops
