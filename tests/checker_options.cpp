// What a program of a checking build (clang's address and undefined-behaviour checks) is told and
// does for the checkers.

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

// ASAN_OPTIONS adds to it. One definition in two libraries cannot be here: each program is linked
// of static libraries, by a linker that refuses a second definition. Looking for it took a fifth of
// each start.
extern "C" const char* __asan_default_options();   // NOLINT: the checker's name
extern "C" const char* __asan_default_options() {  // NOLINT
  return "detect_leaks=1:strict_string_checks=1:detect_odr_violation=0";
}

extern "C" const char* __ubsan_default_options();  // NOLINT
// Called before the shadow memory is there.
extern "C" __attribute__((no_sanitize("address"))) const char*
__ubsan_default_options() {  // NOLINT
  return "print_stacktrace=1";
}

extern "C" char __bss_start;  // NOLINT: the linker's names
extern "C" char _end;         // NOLINT

namespace {

// The leak check at the end reads all variables, most of which no program has touched: half of all
// page faults of a short one. Together they cost little; a kernel before 5.14 does not know how.
void map_variables() {
#ifdef MADV_POPULATE_READ
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin =
      (reinterpret_cast<std::uintptr_t>(&__bss_start) + page - 1) & ~(page - 1);
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(&_end) & ~(page - 1);
  if (begin < end) {
    (void)::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_POPULATE_READ);
  }
#endif
}

[[gnu::constructor]] void map_variables_at_the_end() {
  (void)::atexit(map_variables);
}

}  // namespace
