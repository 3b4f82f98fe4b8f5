#pragma once

#include <string>

#include "base/context.hpp"
#include "base/result.hpp"

namespace robot_council::account {

// Removes the credential of one harness at one service (as check_service reduced it) from every
// store, and its record; no other entry is touched. The fleet is not asked: it takes the token
// until it expires or is revoked there. Result  the names of the stores that held it, "" = none
// did. Errors  a store failed or the entry is still there: whole sentence. Time    15 s for each
// call of a system store's tool.
[[nodiscard]] base::Result<std::string> forget_credential(const base::Context& context,
                                                          const std::string& service,
                                                          const std::string& harness);

}  // namespace robot_council::account
