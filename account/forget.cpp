#include "account/forget.hpp"

#include "account/credentials.hpp"
#include "account/enrolments.hpp"
#include "account/stores.hpp"

namespace robot_council::account {

base::Result<std::string> forget_credential(const base::Context& context,
                                            const std::string& service,
                                            const std::string& harness) {
  const std::string key = credential_key(service, harness);
  const Enrolments records(context);
  const auto entries = records.read();
  if (!entries) {
    return entries.error();
  }
  const auto record = entries->find(key);
  const auto recorded = record == entries->end() ? std::nullopt : store_kind(record->second.store);
  CredentialStores stores(context, store_places(context));
  std::string from;
  // A key is in one store; an older program may have left it in more.
  for (int left = 3; left > 0; --left) {
    const auto found = stores.find(key, recorded);
    if (!found) {
      return found.error();
    }
    if (!found->has_value()) {
      break;
    }
    from += (from.empty() ? "" : ", ") + (*found)->store->description();
    if (auto removed = stores.remove(key); !removed) {
      return removed.error();
    }
  }
  if (const auto still = stores.find(key, recorded); still && still->has_value()) {
    return base::Error{base::Errc::io, "The credential of `" + harness + "` is still in " +
                                           (*still)->store->description() + "."};
  }
  if (record != entries->end()) {
    if (auto removed = records.remove(key); !removed) {
      return removed.error();
    }
  }
  return from;
}

}  // namespace robot_council::account
