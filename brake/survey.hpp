#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "brake/repository.hpp"
#include "brake/stop_file.hpp"

namespace robot_council::brake {

enum class CopyKind : std::uint8_t {
  everywhere,  // <home>/.robot-council/stops/_everywhere.json
  checkout,    // <folder>/.robot-council/stop.json, of a main checkout, a worktree or an enclosing
               // folder
  home,        // <home>/.robot-council/stops/<key>.json of a repository found
  foreign,     // another one there, read because no repository is known
};

// One stop file that is there, or a place where it cannot be told whether one is.
struct Copy {
  CopyKind kind = CopyKind::checkout;
  std::string path;
  std::string
      key;  // of the repository it belongs to; "" for everywhere, foreign and a folder without one
  StopRead read;  // never absent
};

enum class ForeignStops : std::uint8_t {
  when_unknown,  // read them if no repository is known
  always,        // the payload could not be read
};

struct Survey {
  bool homes_known = true;
  Places places;
  std::vector<Copy> copies;
};

// Reads every stop file that bears on the candidates (absolute paths, or relative to the working
// directory), fresh. Nothing is cached and nothing written. With no stop file this is a few lstat
// calls for each folder above the candidates; a folder is listed only when no repository is known.
[[nodiscard]] Survey survey_stops(const std::vector<std::string>& homes,
                                  const std::vector<std::string>& candidates, ForeignStops foreign);

// The machine's stop files alone.
void survey_everywhere(const std::vector<std::string>& homes, std::vector<Copy>& into);

}  // namespace robot_council::brake
