#include "account/credentials.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "account/enrolments.hpp"
#include "account/limits.hpp"
#include "account/private_json.hpp"
#include "account/stores.hpp"
#include "base/json_value.hpp"
#include "base/text.hpp"

namespace robot_council::account {

namespace {

constexpr const char* kNotTold =
    "Could not tell which harness this is, and a credential belongs to one. ";
constexpr const char* kEnrolFirst = "Run `robot-council enroll` first.";

// One reading with everything it needs.
class Reader {
 public:
  Reader(const base::Context& context, const Service& service, const HarnessChoice& harness,
         base::Milliseconds tool_time, base::SteadyTime end)
      : service_(service),
        harness_(harness),
        tool_time_(tool_time),
        end_(end),
        places_(store_places(context)),
        records_(context),
        stores_(context, places_, tool_time, end) {}

  base::Result<Credential> read() {
    auto entries = records_.read();
    if (!entries) {
      return entries.error();
    }
    entries_ = std::move(*entries);
    if (harness_.name.empty()) {
      return base::Error{base::Errc::not_found, kNotTold + remedy()};
    }
    const std::string key = credential_key(service_.text, harness_.name);
    auto found = stores_.find(key, recorded_store(key));
    if (!found) {
      return unreadable(found.error());
    }
    if (found->has_value()) {
      return credential(key, **found);
    }
    if (harness_.named == Named::yes) {
      auto old = stores_.find(service_.text, recorded_store(service_.text));
      if (!old) {
        return unreadable(old.error());
      }
      if (old->has_value()) {
        return claim(key, **old);
      }
    }
    return base::Error{base::Errc::not_found, "This machine is not enrolled as `" + harness_.name +
                                                  "` against that fleet. " + remedy()};
  }

 private:
  [[nodiscard]] std::optional<StoreKind> recorded_store(const std::string& key) const {
    const auto entry = entries_.find(key);
    return entry == entries_.end() ? std::nullopt : store_kind(entry->second.store);
  }

  [[nodiscard]] base::Error unreadable(const base::Error& cause) const {
    return base::Error{
        cause.code, "The credential of `" + harness_.name + "` could not be read: " + cause.what};
  }

  [[nodiscard]] Credential credential(const std::string& key,
                                      const CredentialStores::Found& found) const {
    Credential result{found.token, store_name(found.store->kind()), std::nullopt};
    const auto entry = entries_.find(key);
    if (entry != entries_.end()) {
      result.expires_ms = entry->second.expires_ms;
    }
    return result;
  }

  // An entry from before harnesses were told apart becomes this harness's.
  base::Result<Credential> claim(const std::string& key, const CredentialStores::Found& old) {
    auto written = old.store->write(key, old.token, std::min(end_, base::deadline_in(tool_time_)));
    if (!written) {
      return unreadable(written.error());
    }
    Enrolment record;
    record.store = store_name(old.store->kind());
    const auto earlier = entries_.find(service_.text);
    if (earlier != entries_.end()) {
      record = earlier->second;
    }
    (void)records_.put(key, record);  // without it the expiry is unknown, no more
    (void)records_.remove(service_.text);
    (void)stores_.remove(service_.text);  // reading decides
    const auto left = stores_.find(service_.text, old.store->kind());
    const std::string claimed = "The credential was claimed for `" + harness_.name + "`, but ";
    const std::string by_hand = " by hand before another harness claims it too.";
    if (!left) {
      return base::Error{base::Errc::busy, claimed +
                                               "whether the one stored before harnesses were told "
                                               "apart is gone could not be checked: " +
                                               left.error().what + " Check " +
                                               old.store->description() + by_hand};
    }
    if (left->has_value()) {
      return base::Error{
          base::Errc::busy,
          claimed + "the one stored before harnesses were told apart could not be removed from " +
              old.store->description() + ". Remove it" + by_hand};
    }
    return Credential{old.token, store_name(old.store->kind()), record.expires_ms};
  }

  // Names of the harnesses enrolled at this service, in the known order, others behind. A failing
  // store adds none.
  std::vector<std::string> enrolled() {
    std::set<std::string> names;
    const std::string head = service_.text + "|";
    const auto add = [&](const std::string& key) {
      if (key.compare(0, head.size(), head) == 0 && key.size() > head.size()) {
        names.insert(key.substr(head.size()));
      }
    };
    for (const auto& entry : entries_) {
      add(entry.first);
    }
    if (const auto file = PrivateJson(places_.file).read(); file && file->has_value()) {
      for (const auto& item : (*file)->items()) {
        add(item.key());
      }
    }
    if (names.empty()) {
      look_for_known(names);
    }
    std::vector<std::string> result;
    for (const auto& name : harness_.known) {
      if (names.erase(name) > 0) {
        result.push_back(name);
      }
    }
    result.insert(result.end(), names.begin(), names.end());
    return result;
  }

  // Entries of a system store that no file of ours tells of, as an earlier program left them.
  void look_for_known(std::set<std::string>& names) {
    const auto deadline = std::min(end_, base::deadline_in(kSearchTime));
    for (const auto& name : harness_.known) {
      const auto found = stores_.find(credential_key(service_.text, name), std::nullopt, deadline);
      if (!found || base::time_left(deadline).count() == 0) {
        return;
      }
      if (found->has_value()) {
        names.insert(name);
      }
    }
  }

  std::string remedy() {
    const auto names = enrolled();
    if (!names.empty()) {
      return "Enrolled here: " + base::join(names, ", ") +
             ". Pass --harness=<name>, or set ROBOT_COUNCIL_HARNESS in this harness's "
             "configuration.";
    }
    const auto old = stores_.find(service_.text, recorded_store(service_.text));
    if (old && old->has_value()) {
      return "A credential stored before harnesses were told apart is here. Pass --harness=<the "
             "harness it was enrolled as> to "
             "claim it, or run `robot-council enroll` again.";
    }
    return kEnrolFirst;
  }

  const Service& service_;
  const HarnessChoice& harness_;
  base::Milliseconds tool_time_;
  base::SteadyTime end_;
  StorePlaces places_;
  Enrolments records_;
  CredentialStores stores_;
  std::map<std::string, Enrolment> entries_;
};

}  // namespace

std::string credential_key(std::string_view service, std::string_view harness) {
  return std::string(service) + "|" + std::string(harness);
}

base::Result<Credential> read_credential(const base::Context& context, const Service& service,
                                         const HarnessChoice& harness, base::Milliseconds tool_time,
                                         base::SteadyTime end) {
  return Reader(context, service, harness, tool_time, end).read();
}

}  // namespace robot_council::account
