#include "brake/survey.hpp"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>

#include "base/files.hpp"
#include "brake/disk.hpp"
#include "brake/homes.hpp"
#include "brake/limits.hpp"

namespace robot_council::brake {
namespace {

Copy unreadable_copy(CopyKind kind, std::string path, std::string problem) {
  Copy copy{kind, std::move(path), {}, {}};
  copy.read.state = StopState::unreadable;
  copy.read.problem = std::move(problem);
  return copy;
}

// A name in `folder` is absent. That is "no stop" only if every folder on the way is a folder or is
// not there at all: a
// `.robot-council` that is a file or a link to nowhere hides the stop files. True: `*obstacle`
// names the culprit.
bool is_obstructed(const std::string& home, std::string* obstacle) {
  const std::string ours = base::join_path(home, ".robot-council");
  for (const std::string& folder : {ours, stops_folder(home)}) {
    struct ::stat info {};
    if (look(folder, &info) != 0) {
      return false;
    }
    if (!S_ISDIR(info.st_mode) && (look_through(folder, &info) != 0 || !S_ISDIR(info.st_mode))) {
      *obstacle = folder;
      return true;
    }
  }
  return false;
}

bool is_no_directory(const std::string& home) {
  struct ::stat info {};
  return look_through(home, &info) == 0 && !S_ISDIR(info.st_mode);
}

void add_if_there(std::vector<Copy>& copies, CopyKind kind, std::string path, std::string key) {
  const bool known = std::any_of(copies.begin(), copies.end(),
                                 [&path](const Copy& copy) { return copy.path == path; });
  if (known) {
    return;
  }
  StopRead read = read_stop(path);
  if (read.state != StopState::absent) {
    copies.push_back(Copy{kind, std::move(path), std::move(key), std::move(read)});
  }
}

std::vector<std::string> keys_of(const Places& places) {
  std::vector<std::string> keys;
  for (const Repository& repository : places.repositories) {
    keys.push_back(repository.key);
  }
  // A stopped plain folder stays stopped when its own copy is deleted, or when a repository is made
  // inside it.
  for (const std::string& folder : places.folders) {
    keys.push_back(repository_key(folder));
  }
  return keys;
}

struct Closed {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

bool is_foreign_name(std::string_view name) {
  constexpr std::string_view kEnd = ".json";
  return name.size() > kEnd.size() && name.substr(name.size() - kEnd.size()) == kEnd &&
         name.front() != '_';
}

void add_foreign(std::vector<Copy>& copies, const std::string& folder) {
  const std::unique_ptr<DIR, Closed> listing(::opendir(folder.c_str()));
  if (listing == nullptr) {
    if (!is_absent(errno)) {
      copies.push_back(unreadable_copy(CopyKind::foreign, folder, errno_words(errno)));
    }
    return;
  }
  std::vector<std::string> names;
  while (true) {
    errno = 0;
    const struct ::dirent* const entry = ::readdir(listing.get());
    if (entry == nullptr) {
      // LCOV_EXCL_START: a disk that fails in the middle of a folder
      if (errno != 0) {
        copies.push_back(unreadable_copy(CopyKind::foreign, folder, errno_words(errno)));
      }
      // LCOV_EXCL_STOP
      break;
    }
    if (is_foreign_name(&entry->d_name[0])) {
      names.emplace_back(&entry->d_name[0]);
    }
    // LCOV_EXCL_START: a hundred thousand files are too many for a test
    if (names.size() > kMaxStopFiles) {
      copies.push_back(unreadable_copy(CopyKind::foreign, folder, "too many stop files"));
      return;
    }
    // LCOV_EXCL_STOP
  }
  std::sort(names.begin(), names.end());
  // Not add_if_there: among a thousand files a search for each would be a million comparisons.
  std::vector<std::string> known;
  known.reserve(copies.size());
  for (const Copy& copy : copies) {
    known.push_back(copy.path);
  }
  for (const std::string& name : names) {
    std::string path = base::join_path(folder, name);
    if (std::find(known.begin(), known.end(), path) != known.end()) {
      continue;
    }
    StopRead read = read_stop(path);
    if (read.state != StopState::absent) {
      copies.push_back(Copy{CopyKind::foreign, std::move(path), {}, std::move(read)});
    }
  }
}

}  // namespace

void survey_everywhere(const std::vector<std::string>& homes, std::vector<Copy>& into) {
  for (const std::string& home : homes) {
    const std::string path = everywhere_file(home);
    struct ::stat info {};
    const int error_number = look(path, &info);
    if (error_number == ENOTDIR && is_no_directory(home)) {
      continue;
    }
    if (is_absent(error_number)) {
      std::string obstacle;
      if (is_obstructed(home, &obstacle)) {
        into.push_back(unreadable_copy(CopyKind::everywhere, obstacle, "no folder"));
      }
      continue;
    }
    if (error_number != 0) {
      into.push_back(unreadable_copy(CopyKind::everywhere, path, errno_words(error_number)));
      continue;
    }
    add_if_there(into, CopyKind::everywhere, path, {});
  }
}

Survey survey_stops(const std::vector<std::string>& homes,
                    const std::vector<std::string>& candidates, ForeignStops foreign) {
  Survey survey;
  survey.homes_known = !homes.empty();
  if (!survey.homes_known) {
    return survey;
  }
  survey_everywhere(homes, survey.copies);
  survey.places = find_places(candidates);
  for (const Repository& repository : survey.places.repositories) {
    add_if_there(survey.copies, CopyKind::checkout, repository.stop_file(), repository.key);
  }
  for (const std::string& folder : survey.places.folders) {
    std::string path = base::join_path(folder, ".robot-council/stop.json");
    const bool looked_at = std::any_of(
        survey.places.repositories.begin(), survey.places.repositories.end(),
        [&path](const Repository& repository) { return repository.stop_file() == path; });
    if (!looked_at) {
      add_if_there(survey.copies, CopyKind::checkout, std::move(path), {});
    }
  }
  std::vector<std::string> keys;
  for (const std::string& home : homes) {
    const std::string stops = stops_folder(home);
    struct ::stat info {};
    // The common case costs one call a home instead of one a key.
    if (is_absent(look_through(stops, &info))) {
      continue;
    }
    if (keys.empty()) {
      keys = keys_of(survey.places);
    }
    for (const std::string& key : keys) {
      add_if_there(survey.copies, CopyKind::home, base::join_path(stops, key + ".json"), key);
    }
  }
  const bool told = !survey.places.repositories.empty() && !survey.places.unresolved;
  if (!told || foreign == ForeignStops::always) {
    for (const std::string& home : homes) {
      add_foreign(survey.copies, stops_folder(home));
    }
  }
  return survey;
}

}  // namespace robot_council::brake
