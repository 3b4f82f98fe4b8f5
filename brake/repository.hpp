#pragma once

#include <string>
#include <vector>

namespace robot_council::brake {

// A place that can be stopped: a git repository (all its worktrees are one), or a plain folder
// outside git.
struct Repository {
  std::string common;         // real path of git's common directory; outside git the folder's
  std::string main_checkout;  // parent of a common directory named ".git", else that directory;
                              // outside git the folder
  std::string key;            // first 32 hex digits of SHA-256 of `common`: names the home copies
  bool git = true;

  // Last component of main_checkout without a final ".git": what a person types to lift a stop.
  [[nodiscard]] std::string name() const;
  // "<main checkout>/.robot-council/stop.json"
  [[nodiscard]] std::string stop_file() const;
};

// What a set of candidate paths says about where a call happens.
struct Places {
  std::vector<Repository>
      repositories;  // each git repository at or above a candidate, without repeats
  std::vector<std::string>
      folders;  // real path of each folder from the candidates up to "/", without repeats
  bool unresolved = false;  // a candidate or a .git entry could not be followed
};

// Git is read as files, never run: a .git folder, a .git file with "gitdir:", its "commondir", a
// bare repository. A candidate that is gone counts as its nearest existing parent. Empty candidates
// are skipped.
[[nodiscard]] Places find_places(const std::vector<std::string>& candidates);

// The repository that `folder` is in, for the commands of a person: the nearest .git entry, else
// the folder itself. `found` false: folder is no directory, or its .git cannot be followed;
// `problem` says which.
struct RepositoryAt {
  bool found = false;
  Repository repository;
  std::string
      worktree;  // the folder that holds the .git entry; main_checkout for a bare repository
  std::string problem;
};
[[nodiscard]] RepositoryAt repository_at(const std::string& folder);

[[nodiscard]] std::string repository_key(const std::string& real_path);
// The plain folder's Repository. `folder` is a real path.
[[nodiscard]] Repository plain_folder(const std::string& folder);

// getcwd(3); the former path of a working directory that is gone; "" if neither can be told.
[[nodiscard]] std::string process_directory();

}  // namespace robot_council::brake
