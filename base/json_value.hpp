#pragma once

// The full JSON type, for the few files that build or walk a document (it costs 2 s of compile time
// a file).

#include <nlohmann/json.hpp>

#include "base/json.hpp"  // IWYU pragma: export
