#include "wiring/seats.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/files.hpp"
#include "base/paths.hpp"
#include "harness/names.hpp"
#include "sink/checkout.hpp"
#include "sink/seat_key.hpp"
#include "wiring/bridge_record.hpp"
#include "wiring/limits.hpp"

namespace robot_council::wiring {

namespace {

constexpr std::size_t kKeyDigits = 32;
constexpr std::string_view kRecordSuffix = ".bridge";

// "<key>.bridge" and "<key>.bridge-<pid>": the key; nothing for any other name.
std::optional<std::string> key_of_record(const std::string& name) {
  if (name.size() < kKeyDigits + kRecordSuffix.size() ||
      name.compare(kKeyDigits, kRecordSuffix.size(), kRecordSuffix) != 0) {
    return std::nullopt;
  }
  const char next = name.size() > kKeyDigits + kRecordSuffix.size()
                        ? name[kKeyDigits + kRecordSuffix.size()]
                        : '-';
  const std::string key = name.substr(0, kKeyDigits);
  const bool hex = key.find_first_not_of("0123456789abcdef") == std::string::npos;
  return hex && next == '-' && name.find(".tmp") == std::string::npos
             ? std::optional<std::string>(key)
             : std::nullopt;
}

bool something_there(const sink::SeatFiles& files) {
  return base::exists(files.database()) || base::exists(files.hook()) ||
         base::exists(files.bridge());
}

class Finder {
 public:
  Finder(const base::Context& context, const SeatQuery& query, std::string checkout)
      : context_(context),
        query_(query),
        checkout_(std::move(checkout)),
        service_(sink::reduce_service(query.service)),
        harness_(harness::reduce_name(query.harness)) {}

  std::vector<KnownSeat> find() {
    add_recorded();
    add_named();
    std::vector<KnownSeat> result;
    result.reserve(seats_.size());
    for (auto& entry : seats_) {
      result.push_back(std::move(entry.second));
    }
    std::sort(result.begin(), result.end(), [](const KnownSeat& a, const KnownSeat& b) {
      return std::tie(a.names.harness, a.names.service, a.names.project, a.files.key) <
             std::tie(b.names.harness, b.names.service, b.names.project, b.files.key);
    });
    return result;
  }

 private:
  void add(KnownSeat seat) { seats_.emplace(seat.files.key, std::move(seat)); }

  // Seats of this checkout that a bridge left a record of.
  void add_recorded() {
    const std::string folder = base::pending_directory(context_.environment);
    const auto names = base::list_directory(folder, kMaxSinkNames);
    if (!names) {
      return;
    }
    for (const auto& name : *names) {
      const auto key = key_of_record(name);
      if (!key || seats_.count(*key) > 0) {
        continue;
      }
      const auto record = read_bridge_record(base::join_path(folder, name));
      if (record && is_asked_for(*record) && is_here(*record, *key)) {
        add({{record->service, record->harness, record->project},
             checkout_,
             sink::SeatFiles{folder, *key}});
      }
    }
  }

  [[nodiscard]] bool is_asked_for(const BridgeRecord& record) const {
    return (service_.empty() || record.service == service_) &&
           (harness_.empty() || record.harness == harness_) &&
           (query_.project.empty() || record.project == query_.project);
  }

  [[nodiscard]] bool is_here(const BridgeRecord& record, const std::string& key) const {
    if (sink::key_kind(record.harness, record.project) == sink::KeyKind::checkout &&
        sink::seat_key({record.service, record.harness, "", checkout_}) == key) {
      return true;
    }
    const auto its = sink::find_checkout(record.folder);
    return its && its->path == checkout_;
  }

  // The one that the command's options and variables name.
  void add_named() {
    const std::string service = sink::service_from(query_.service, context_.environment);
    const std::string name = harness::resolved_harness(query_.harness, context_.environment);
    if (service.empty() || name.empty()) {
      return;
    }
    const sink::SeatNames names{service, name, query_.project};
    const auto seat = sink::resolve_seat(names, query_.folder, context_.environment);
    const bool asked =
        !query_.service.empty() || !query_.harness.empty() || !query_.project.empty();
    if (seat && seats_.count(seat->files.key) == 0 && (asked || something_there(seat->files))) {
      add({names, checkout_, seat->files});
    }
  }

  const base::Context& context_;
  const SeatQuery& query_;
  std::string checkout_;
  std::string service_;
  std::string harness_;
  std::map<std::string, KnownSeat> seats_;  // by key
};

}  // namespace

base::Result<std::vector<KnownSeat>> find_seats(const base::Context& context,
                                                const SeatQuery& query) {
  if (query.folder.empty()) {
    return base::Error{base::Errc::not_found,
                       "Could not tell which checkout this is: the working directory is gone. "
                       "Change to the checkout's folder and run this again."};
  }
  const auto checkout = sink::find_checkout(query.folder);
  if (!checkout) {
    return base::Error{checkout.error().code,
                       "Could not tell which checkout this is: " + checkout.error().what + "."};
  }
  return Finder(context, query, checkout->path).find();
}

}  // namespace robot_council::wiring
