#include "account/stores.hpp"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "account/file_store.hpp"
#include "account/limits.hpp"
#include "account/tool_stores.hpp"
#include "base/child.hpp"
#include "base/files.hpp"
#include "base/paths.hpp"
#include "base/random.hpp"
#include "base/text.hpp"

namespace robot_council::account {

namespace {

constexpr std::size_t kProbeNameBytes = 16;  // 32 hex digits
constexpr std::size_t kProbeValueBytes = 16;

// A store's sentence inside another one.
std::string without_stop(const std::string& text) {
  return base::without_trailing(text, '.');
}

}  // namespace

StorePlaces store_places(const base::Context& context) {
  StorePlaces places;
#ifdef __APPLE__
  if (::access("/usr/bin/security", X_OK) == 0) {
    places.security = "/usr/bin/security";
  }
#else
  places.secret_tool = base::find_program("secret-tool", context.environment.get_or_empty("PATH"));
#endif
  places.run_folder = "/run/user/" + std::to_string(::geteuid());
  places.file = base::join_path(base::config_directory(context.environment), "credentials.json");
  return places;
}

CredentialStores::CredentialStores(const base::Context& context, const StorePlaces& places,
                                   base::Milliseconds tool_time, base::SteadyTime end)
    : context_(context), tool_time_(tool_time), end_(end) {
  if (places.security) {
    stores_.push_back(make_keychain_store(context, *places.security));
  }
  if (places.secret_tool) {
    stores_.push_back(make_secret_service_store(context, *places.secret_tool, places.run_folder));
  }
  stores_.push_back(make_file_store(context, places.file));
}

base::SteadyTime CredentialStores::one_call() const {
  return std::min(end_, base::deadline_in(tool_time_));
}

base::Status CredentialStores::probe(CredentialStore& store) const {
  if (store.kind() == StoreKind::file) {
    return {};  // always there; a probe would make and remove the file for nothing
  }
  const std::string key = "robot-council-probe|" + base::random_hex(kProbeNameBytes);
  const std::string value = base::random_hex(kProbeValueBytes);
  const auto deadline = base::deadline_in(kProbeTime);
  auto written = store.write(key, value, deadline);
  if (base::time_left(deadline).count() == 0) {
    // The time is over: what may have been written is removed by a child that nobody waits long
    // for.
    (void)store.remove(key, base::deadline_in(base::Milliseconds(0)));
    return base::Error{base::Errc::timeout,
                       "no answer within " + std::to_string(kProbeTime.count() / 1000) + " s"};
  }
  auto removed = store.remove(key, deadline);
  if (!written) {
    return written;
  }
  if (!removed) {
    return removed;
  }
  const auto left = store.read(key, deadline);
  if (!left || left->has_value()) {
    return base::Error{base::Errc::io, "the test entry could not be removed"};
  }
  return {};
}

base::Result<CredentialStore*> CredentialStores::choose(std::optional<StoreKind> name) {
  if (name) {
    const auto found = std::find_if(stores_.begin(), stores_.end(),
                                    [&](const auto& store) { return store->kind() == *name; });
    std::string why = *name == StoreKind::keychain ? "/usr/bin/security is not here"
                                                   : "secret-tool is not on PATH";
    if (found != stores_.end()) {
      const auto proven = probe(**found);
      if (proven) {
        return found->get();
      }
      why = without_stop(proven.error().what);
    }
    return base::Error{base::Errc::unsupported, "The credential store \"" + store_name(*name) +
                                                    "\" is not usable here: " + why + "."};
  }
  for (std::size_t i = 0; i + 1 < stores_.size(); ++i) {
    const auto proven = probe(*stores_[i]);
    if (proven) {
      return stores_[i].get();
    }
    context_.log.warning(store_name(stores_[i]->kind()) + " did not answer a test entry (" +
                         without_stop(proven.error().what) + "); using " +
                         store_name(stores_[i + 1]->kind()) + ".");
  }
  return stores_.back().get();
}

base::Result<std::optional<CredentialStores::Found>> CredentialStores::find(
    const std::string& key, std::optional<StoreKind> recorded, base::SteadyTime end) {
  std::vector<CredentialStore*> order;
  for (const auto& store : stores_) {
    order.push_back(store.get());
  }
  const auto rank = [recorded](const CredentialStore* store) {
    if (recorded && store->kind() == *recorded) {
      return 0;
    }
    return store->kind() == StoreKind::file ? 1 : 2;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&rank](const auto* a, const auto* b) { return rank(a) < rank(b); });
  std::optional<base::Error> failed;
  for (CredentialStore* store : order) {
    auto token = store->read(key, std::min(end, one_call()));
    if (token && token->has_value()) {
      return std::optional<Found>(Found{std::move(**token), store});
    }
    const bool none_here =
        !token && token.error().code == base::Errc::unsupported && recorded != store->kind();
    if (!token && !failed && !none_here) {
      failed = token.error();
    }
  }
  if (failed) {
    return *failed;
  }
  return std::optional<Found>();
}

void CredentialStores::remove_elsewhere(const CredentialStore& store, const std::string& key) {
  for (const auto& other : stores_) {
    if (other.get() == &store) {
      continue;
    }
    const auto deadline = one_call();
    const auto there = other->read(key, deadline);
    if (there && !there->has_value()) {
      continue;
    }
    if (!there && there.error().code == base::Errc::unsupported) {
      continue;
    }
    auto removed = there ? other->remove(key, deadline) : base::Status(there.error());
    if (removed) {
      const auto left = other->read(key, deadline);
      removed = left && !left->has_value()
                    ? base::Status()
                    : base::Status(base::Error{base::Errc::io, "it is still there"});
    }
    if (!removed) {
      context_.log.warning("An older credential of this machine could not be removed from " +
                           other->description() + " (" + without_stop(removed.error().what) +
                           "); it is no longer used.");
    }
  }
}

base::Status CredentialStores::put(CredentialStore& store, const std::string& key,
                                   const std::string& token) {
  auto written = store.write(key, token, one_call());
  if (written) {
    remove_elsewhere(store, key);
  }
  return written;
}

base::Status CredentialStores::remove(const std::string& key) {
  base::Status first;
  for (const auto& store : stores_) {
    auto removed = store->remove(key, one_call());
    if (!removed && removed.error().code != base::Errc::unsupported && first) {
      first = removed;
    }
  }
  return first;
}

}  // namespace robot_council::account
