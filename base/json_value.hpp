#pragma once

// The full JSON type, for the few files that build or walk a document (it costs 2 s of compile time
// a file).

#include <nlohmann/json.hpp>

#include "base/json.hpp"  // IWYU pragma: export

// Test builds compile the type's own functions once, in json_instance.cpp and
// ordered_json_instance.cpp, and not in each file that uses them.
#ifdef RC_JSON_INSTANCES
extern template class nlohmann::basic_json<>;
extern template class nlohmann::basic_json<nlohmann::ordered_map>;
#endif
