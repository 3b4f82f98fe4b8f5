# rc_embed(<target> <namespace> <function> <header> FILES <files...>)
# Puts the files into the target as bytes: a generated source that defines
#   std::span<const EmbeddedFile> <namespace>::<function>()
# which <header> declares. The program then needs none of the files where it runs.
set(RC_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")

# Run as a script at build time, whenever a file changed.
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  set(arrays "")
  set(entries "")
  set(number 0)
  string(REPLACE "|" ";" files "${RC_FILES}")
  foreach(file IN LISTS files)
    get_filename_component(name "${file}" NAME)
    file(READ "${file}" hex HEX)
    # Literals of 32 bytes a line: a compiler reads them faster than a list of numbers.
    string(REGEX REPLACE "(..)" "\\\\x\\1" hex "${hex}")
    string(REGEX REPLACE "((\\\\x..)(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?)" "    \"\\1\"\n" hex "${hex}")
    string(APPEND arrays "constexpr char kFile${number}[] =\n${hex}    \"\";\n")
    string(APPEND entries "      {\"${name}\", {static_cast<const char*>(kFile${number}), sizeof kFile${number} - 1}},\n")
    math(EXPR number "${number} + 1")
  endforeach()
  file(WRITE "${RC_OUTPUT}.new"
    "#include <array>\n\n#include \"${RC_HEADER}\"\n\nnamespace ${RC_NAMESPACE} {\n\nnamespace {\n\n${arrays}\n}  // namespace\n\n"
    "std::span<const EmbeddedFile> ${RC_FUNCTION}() {\n  static constexpr std::array<EmbeddedFile, ${number}> files{{\n${entries}  }};\n"
    "  return files;\n}\n\n}  // namespace ${RC_NAMESPACE}\n")
  file(RENAME "${RC_OUTPUT}.new" "${RC_OUTPUT}")
  return()
endif()

function(rc_embed target namespace function header)
  cmake_parse_arguments(arg "" "" "FILES" ${ARGN})
  set(output "${PROJECT_BINARY_DIR}/generated/${target}_${function}.cpp")
  string(REPLACE ";" "|" files "${arg_FILES}")
  add_custom_command(OUTPUT "${output}"
    COMMAND ${CMAKE_COMMAND} "-DRC_FILES=${files}" "-DRC_OUTPUT=${output}" "-DRC_NAMESPACE=${namespace}"
            "-DRC_FUNCTION=${function}" "-DRC_HEADER=${header}" -P "${RC_EMBED_SCRIPT}"
    DEPENDS ${arg_FILES} "${RC_EMBED_SCRIPT}"
    COMMENT "Embedding the files of ${function}" VERBATIM)
  target_sources(${target} PRIVATE "${output}")
endfunction()
