#pragma once

#include <cstddef>

namespace robot_council::stop_hook {

// Folders above the project that are looked into. Deeper trees are not met; it only bounds the
// walk.
inline constexpr std::size_t kMaxParents = 64;
// Files of one drop-in folder, plugins of one folder.
inline constexpr std::size_t kMaxDropIns = 1000;

}  // namespace robot_council::stop_hook
