#include "stops/policy_lookup.hpp"

#include <array>
#include <string_view>

#include "base/files.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"
#include "stops/yaml_tree.hpp"

namespace robot_council::stops {
namespace {

constexpr std::array<std::string_view, 2> kRepositoryNames = {".robot-council.stop.yaml",
                                                              ".robot-council.stop.yml"};

std::string user_policy(const base::Environment& environment) {
  return base::home_directory(environment) + "/.robot-council/stop.yaml";
}

// Something is there, a dangling link included: a policy that cannot be read is not "no policy".
bool is_there(const std::string& path) {
  const auto info = base::file_info(path, base::Links::dont);
  return info.ok() || info.error().code != base::Errc::not_found;
}

std::optional<FoundPolicy> locate(const std::string& folder, const std::string& root,
                                  const base::Environment& environment) {
  FoundPolicy found;
  if (const auto named = environment.nonblank("ROBOT_COUNCIL_STOP_POLICY")) {
    // A relative name means another file in each folder, a cloned repository's too.
    const bool absolute = named->front() == '/';
    found.source = absolute ? PolicySource::variable : PolicySource::repository;
    found.path = absolute || folder.empty() ? *named : base::join_path(folder, *named);
    return base::exists(found.path) ? std::optional(found) : std::nullopt;
  }
  found.source = PolicySource::repository;
  for (const std::string_view name : kRepositoryNames) {
    if (root.empty()) {
      break;
    }
    found.path = base::join_path(root, name);
    if (is_there(found.path)) {
      return found;
    }
  }
  found.source = PolicySource::user;
  found.path = user_policy(environment);
  return base::exists(found.path) ? std::optional(found) : std::nullopt;
}

bool user_names(JudgeName judge, const base::Environment& environment) {
  const base::Result<Policy> own = read_policy_file(user_policy(environment));
  return own.ok() && own->judge == judge;
}

void choose_judge(FoundPolicy& found, const base::Environment& environment) {
  found.judge = found.policy->judge;
  if (const auto named = environment.nonblank("ROBOT_COUNCIL_STOP_JUDGE")) {
    if (const auto judge = judge_from(*named)) {
      found.judge = *judge;
    } else {
      found.judge_error = "ROBOT_COUNCIL_STOP_JUDGE names no judge: " + quoted_text(*named);
    }
    return;
  }
  if (found.source == PolicySource::repository && sends(found.judge) &&
      !user_names(found.judge, environment)) {
    found.warnings.push_back("a repository's policy cannot choose judge " +
                             std::string(judge_text(found.judge)) +
                             ": your own policy does not name it; local is used");
    found.judge = JudgeName::local;
  }
}

}  // namespace

std::string repository_root(const std::string& folder) {
  const base::Result<std::string> real = base::real_path(folder);
  if (folder.empty() || !real.ok()) {
    return "";
  }
  for (std::string at = *real;; at = base::parent_path(at)) {
    const auto info = base::file_info(base::join_path(at, ".git"), base::Links::follow);
    if (info.ok() &&
        (info->kind == base::FileKind::regular || info->kind == base::FileKind::directory)) {
      return at;
    }
    if (at == "/" || at == ".") {
      return "";
    }
  }
}

std::optional<FoundPolicy> find_policy(const std::string& folder, const std::string& root,
                                       const base::Environment& environment) {
  std::optional<FoundPolicy> found = locate(folder, root, environment);
  if (!found) {
    return std::nullopt;
  }
  found->policy = read_policy_file(found->path);
  if (found->policy.ok()) {
    found->warnings = found->policy->warnings;
    choose_judge(*found, environment);
  }
  return found;
}

}  // namespace robot_council::stops
