#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace robot_council::bridge {

// Where a session works, as the fleet names it.
struct Place {
  std::optional<std::string> repository;     // owner/name on GitHub
  std::optional<std::string> work_location;  // a short label
};

// "owner/name" of a remote: [user@]host:path or a URL, host github.com or www.github.com, one
// ".git" dropped. Nothing for any other host or shape.
[[nodiscard]] std::optional<std::string> repository_of_remote(std::string_view remote);
// `text` if it is two segments [A-Za-z0-9_.][A-Za-z0-9._-]* that are not all dots, at most 140
// characters.
[[nodiscard]] std::optional<std::string> checked_repository(std::string_view text);
// Lower-cased, [a-z0-9._-] kept, leading "-" dropped, cut to 32; nothing when empty or all dots.
[[nodiscard]] std::optional<std::string> reduced_location(std::string_view text);

// The URL of `origin` in a git configuration's text (the last one), "" if there is none. No
// includes are followed.
[[nodiscard]] std::string origin_of_config(std::string_view config);

// From the git directory of a checkout (its real path): the origin of its configuration; a linked
// worktree's name, else "primary". Reads files only. A folder that is no git directory gives
// nothing.
[[nodiscard]] Place place_of_checkout(const std::string& git_directory);

// Of this machine, for `platform` of a session's start.
struct Platform {
  std::string os_family;  // Windows, Darwin, Linux, BSD, Solaris, Unknown
  std::string arch;       // "" if it has no shape the fleet takes
};
[[nodiscard]] Platform this_platform();
[[nodiscard]] Platform platform_of(std::string_view system, std::string_view machine);

}  // namespace robot_council::bridge
