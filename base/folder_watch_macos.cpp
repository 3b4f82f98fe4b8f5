#include "base/folder_watch.hpp"

namespace robot_council::base {

// kqueue tells only that a folder's list of names changed, not that a file in it was written:
// callers poll.
Result<FolderWatch> FolderWatch::open(const std::string& folder) {
  return Error{Errc::unsupported, "watch " + folder + ": not to be had on this system"};
}

FolderWatch::Seen FolderWatch::take(std::string_view /*name_prefix*/) {
  return Seen::nothing;
}

}  // namespace robot_council::base
