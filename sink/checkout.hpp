#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace robot_council::sink {

enum class CheckoutKind : std::uint8_t {
  git_directory,  // `path` is a git directory
  folder,  // no repository: `path` is the folder's real path, or the string when that cannot be
           // made
};

struct Checkout {
  std::string path;
  CheckoutKind kind = CheckoutKind::folder;
};

// The checkout a folder belongs to: what `git rev-parse --absolute-git-dir` answers in a clean
// environment, found inside the process: no git, no child, no GIT_* variable, no git configuration,
// no owner check, nothing cached. Errors  the code of the errno met, `what` = the path and why: the
// answer cannot be told (EIO, ENAMETOOLONG, ...).
//         ENOENT, ENOTDIR, EACCES and ELOOP count as absent and are no errors.
// Source  delivery contract, 1.1.
[[nodiscard]] base::Result<Checkout> find_checkout(const std::string& folder);
// The same where base::real_path(folder) is known already.
[[nodiscard]] base::Result<Checkout> find_checkout(const std::string& folder,
                                                   const base::Result<std::string>& real);

}  // namespace robot_council::sink
