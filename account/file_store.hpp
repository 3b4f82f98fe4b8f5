#pragma once

#include <memory>
#include <string>

#include "account/store.hpp"
#include "base/context.hpp"

namespace robot_council::account {

// CONF/credentials.json: a JSON object key -> token, for machines without a system store. Checks,
// locking and replacement are those of PrivateJson.
[[nodiscard]] std::unique_ptr<CredentialStore> make_file_store(const base::Context& context,
                                                               std::string path);

}  // namespace robot_council::account
