find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(OpenSSL 3 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED CONFIG)
find_package(CLI11 2.1 REQUIRED CONFIG)
option(RC_STATIC_DEPS "Link SQLite, SQLiteCpp, yaml-cpp from their archives" ON)

# SQLite: presetting SQLite3_LIBRARY makes SQLite::SQLite3 (and with it SQLiteCpp) the archive.
if(RC_STATIC_DEPS)
  find_library(SQLite3_LIBRARY NAMES libsqlite3.a)
endif()
find_package(SQLite3 3.40 REQUIRED)
find_package(SQLiteCpp 3.2 REQUIRED CONFIG)
add_library(rc_sqlite_i INTERFACE)
target_link_libraries(rc_sqlite_i INTERFACE
  $<IF:$<TARGET_EXISTS:SQLiteCpp::SQLiteCpp>,SQLiteCpp::SQLiteCpp,SQLiteCpp> SQLite::SQLite3 m ${CMAKE_DL_LIBS})
add_library(rc::sqlite ALIAS rc_sqlite_i)

# yaml-cpp: the CMake target is the shared library on every Debian.
find_package(yaml-cpp 0.7 REQUIRED CONFIG)
add_library(rc_yaml_i INTERFACE)
if(RC_STATIC_DEPS)
  find_library(RC_YAML_CPP_ARCHIVE NAMES libyaml-cpp.a REQUIRED)
  target_link_libraries(rc_yaml_i INTERFACE "${RC_YAML_CPP_ARCHIVE}")
  target_compile_definitions(rc_yaml_i INTERFACE YAML_CPP_STATIC_DEFINE)
elseif(TARGET yaml-cpp::yaml-cpp)
  target_link_libraries(rc_yaml_i INTERFACE yaml-cpp::yaml-cpp)
else()
  target_link_libraries(rc_yaml_i INTERFACE yaml-cpp)
endif()
add_library(rc::yaml ALIAS rc_yaml_i)

pkg_check_modules(pqxx REQUIRED IMPORTED_TARGET libpqxx>=6.4)
add_library(rc::pqxx ALIAS PkgConfig::pqxx)

# cpp-httplib: no CMake package on any Debian; the flags in its .pc file are part of its ABI.
find_package(httplib QUIET CONFIG)
if(NOT TARGET httplib::httplib)
  pkg_check_modules(httplib REQUIRED IMPORTED_TARGET cpp-httplib>=0.11.4)
  add_library(httplib::httplib ALIAS PkgConfig::httplib)
endif()
add_library(rc_httplib_i INTERFACE)
target_link_libraries(rc_httplib_i INTERFACE httplib::httplib OpenSSL::SSL OpenSSL::Crypto Threads::Threads)
add_library(rc::httplib ALIAS rc_httplib_i)

# toml++: header-only, without its CMake target (that one links a shared library).
find_path(RC_TOML_INCLUDE_DIR toml++/toml.h REQUIRED)
add_library(rc_toml_i INTERFACE)
target_include_directories(rc_toml_i SYSTEM INTERFACE "${RC_TOML_INCLUDE_DIR}")
target_compile_definitions(rc_toml_i INTERFACE TOML_HEADER_ONLY=1)
add_library(rc::toml ALIAS rc_toml_i)
