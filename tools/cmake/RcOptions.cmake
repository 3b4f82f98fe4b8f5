option(RC_BUILD_TESTS "Build tests" ON)
option(RC_WERROR "Warnings are errors" OFF)
set(RC_RELEASE_VERSION "" CACHE STRING "X.Y.Z of a release; empty = unreleased")
set(RC_SANITIZE "" CACHE STRING "Sanitizers, comma separated")
option(RC_COVERAGE "Count which lines run, with clang (tools/coverage_gate reads it)" OFF)
option(RC_PCH "Precompile the standard headers (all presets but dev, which shows missing includes, as clang-tidy does)" OFF)
option(RC_FUZZ "Build fuzz targets (clang)" OFF)
add_library(rc_settings INTERFACE)
target_compile_options(rc_settings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast -Wcast-align -Wdouble-promotion -Wextra-semi -Wimplicit-fallthrough
  $<$<CXX_COMPILER_ID:GNU>:-Wlogical-op -Wduplicated-cond -Wduplicated-branches> $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety> -fstack-protector-strong)
if(NOT RC_SANITIZE)
  target_compile_options(rc_settings INTERFACE -Wnull-dereference)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Under -fsanitize=thread -O1 g++ 12 sees null pointers and overruns inside std::string, where there are none.
  target_compile_options(rc_settings INTERFACE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread
                                               -Wno-restrict -Wno-maybe-uninitialized)
endif()
target_compile_definitions(rc_settings INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
target_link_options(rc_settings INTERFACE -Wl,--as-needed)
if(NOT RC_SANITIZE)
  target_compile_definitions(rc_settings INTERFACE $<$<NOT:$<CONFIG:Debug>>:_FORTIFY_SOURCE=2>)
endif()
if(RC_WERROR)
  target_compile_options(rc_settings INTERFACE -Werror)
endif()
if(RC_SANITIZE)
  target_compile_options(rc_settings INTERFACE "-fsanitize=${RC_SANITIZE}" -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(rc_settings INTERFACE "-fsanitize=${RC_SANITIZE}")
  # The tables of the checker hold so many addresses that filling them in would be a good part of each start of a program.
  if(RC_SANITIZE MATCHES "address")
    target_link_options(rc_settings INTERFACE -no-pie)
  endif()
endif()
# What a checker is told stands in the programs: tests start them in environments of their own.
function(rc_checked target)
  if(RC_SANITIZE MATCHES "address")
    target_sources(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests/checker_options.cpp")
  endif()
endfunction()
# Tests count too: of an inline function the linker keeps one copy, and that may be the one of a test's file.
if(RC_COVERAGE)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "robot-council: RC_COVERAGE is counted by clang; set CMAKE_CXX_COMPILER=clang++")
  endif()
  # One file of counters a program, which all its processes map: there is nothing to write when one ends, so a short program takes
  # a third of the time, and one that is killed has counted too.
  set(counts "-fprofile-instr-generate=${CMAKE_BINARY_DIR}/counts/%m%c.profraw")
  target_compile_options(rc_settings INTERFACE ${counts} -fcoverage-mapping "SHELL:-mllvm -runtime-counter-relocation")
  target_link_options(rc_settings INTERFACE ${counts})
endif()
# The rooms whose readers are fuzzed report which way they went.
add_library(rc_fuzzed INTERFACE)
if(RC_FUZZ)
  target_compile_options(rc_fuzzed INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(rc_settings INTERFACE -fsanitize=fuzzer-no-link)
endif()
# Only for `robot-council`: never together with a shared C++ library.
add_library(rc_small INTERFACE)
if(NOT RC_SANITIZE)
  target_link_options(rc_small INTERFACE -static-libstdc++ -static-libgcc)
endif()

# For a program that is started at every turn end: what each start pays for is the pages that it touches first. So what runs then
# lies together (tools/hook_paths.py), and what the loader has to fill in is told in few bytes. Linkers and systems that do not know
# one of them go without it.
include(CheckLinkerFlag)
include(CheckCXXSourceRuns)
function(rc_start_fast target)
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Release" OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR CMAKE_CROSSCOMPILING)
    return()
  endif()
  set(order "${PROJECT_SOURCE_DIR}/tools/cmake/hook_paths.ld")
  check_linker_flag(CXX "LINKER:-T,${order}" RC_LINKER_ORDERS)
  if(RC_LINKER_ORDERS)
    target_link_options(${target} PRIVATE -ffunction-sections "LINKER:-T,${order}")
    set_target_properties(${target} PROPERTIES LINK_DEPENDS "${order}")
  endif()
  set(CMAKE_REQUIRED_LINK_OPTIONS "LINKER:-z,pack-relative-relocs")
  check_cxx_source_runs("int main() { return 0; }" RC_LOADER_READS_RELR)
  if(RC_LOADER_READS_RELR)
    target_link_options(${target} PRIVATE ${CMAKE_REQUIRED_LINK_OPTIONS})
  endif()
endfunction()

# Most of a small file's compile time is the standard library's headers. One precompiled set serves the rooms that are fuzzed,
# one the others, one all tests: who shares a set is compiled with the same options.
set(RC_PCH_HEADERS <algorithm> <array> <atomic> <chrono> <condition_variable> <cstdint> <functional> <map> <memory> <mutex>
    <optional> <set> <string> <string_view> <thread> <utility> <variant> <vector>)
# clang also keeps what was instantiated, so that it pays to have the JSON library there; with g++ reading so large a file costs
# more than it saves.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  list(APPEND RC_PCH_HEADERS <filesystem> <span> "${PROJECT_SOURCE_DIR}/base/json_value.hpp")
endif()
if(RC_PCH)
  target_compile_definitions(rc_settings INTERFACE RC_JSON_INSTANCES)
  # A set that says nothing of its time can be taken from a compiler cache.
  target_compile_options(rc_settings INTERFACE $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
endif()
function(rc_precompile target owner)
  if(NOT RC_PCH)
    return()
  endif()
  if(target STREQUAL owner)
    target_precompile_headers(${target} PRIVATE ${RC_PCH_HEADERS} ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

# The linker of test builds: lld where it is there, since each room's tests are a program of their own.
find_program(RC_LLD NAMES ld.lld)
if(RC_LLD AND NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  target_link_options(rc_settings INTERFACE -fuse-ld=lld)
endif()
