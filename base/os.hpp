#pragma once

#include <sys/types.h>

#include <cstddef>

#include "base/fd.hpp"

// Calls that each operating system has in its own form; the rest of base/ is POSIX.
namespace robot_council::base::os {

// A descriptor that becomes readable when the process ends (Linux pidfd); invalid where there is
// none.
[[nodiscard]] Fd open_process(pid_t pid);
// Bytes of the system's random generator; false if it has none.
[[nodiscard]] bool fill_random(void* into, std::size_t size);
// Memory that was given back goes back to the system, for a process that lives long and is large
// for moments only. Before the first thread. Nothing where the allocator has no such choice.
void give_memory_back_early();
// Takes the program's own code and constants out of this process's resident memory, for a process
// that is about to wait long. They are mapped again, from the system's file cache, when they are
// used. Changes nothing else; nothing where the system has no such call.
void forget_program_pages();

}  // namespace robot_council::base::os
