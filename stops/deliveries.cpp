#include "stops/deliveries.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>

#include "base/paths.hpp"
#include "sink/delivery_store.hpp"
#include "stops/limits.hpp"

namespace robot_council::stops {
namespace {

constexpr std::size_t kKeyDigits = 32;

// A key that comes from the log names a file, so it must have the form of one.
bool is_key(const std::string& text) {
  return text.size() == kKeyDigits && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

// The time from which on the sink's history holds every print.
std::int64_t reach_of(sink::DeliveryStore& store, std::int64_t now_ms) {
  std::int64_t reach = now_ms - kHistoryAge.count();
  const auto rows = store.history(kHistoryRows);
  if (rows && rows->size() >= kHistoryRows) {
    reach = std::max(reach, rows->front().left_ms);
  }
  return reach;
}

void fill_session(const std::string& session, const std::vector<Stop*>& stops,
                  sink::DeliveryStore& store, std::int64_t reach) {
  const auto prints = store.prints_to(session, stops.front()->ts_ms - kPrintBefore.count(),
                                      stops.back()->ts_ms + kPrintAfter.count());
  if (!prints) {
    return;
  }
  std::vector<std::int64_t> printed;
  for (const auto& print : *prints) {
    if (print.proof != sink::Proof::wake) {
      printed.push_back(print.printed_ms);
    }
  }
  std::vector<std::int64_t> times;
  times.reserve(stops.size());
  for (const Stop* stop : stops) {
    times.push_back(stop->ts_ms);
  }
  const auto found = stops_with_prints(times, printed);
  for (std::size_t i = 0; i < stops.size(); ++i) {
    if (found[i] || stops[i]->ts_ms >= reach) {
      stops[i]->delivered = found[i];
    }
  }
}

}  // namespace

std::vector<bool> stops_with_prints(const std::vector<std::int64_t>& stop_ms,
                                    const std::vector<std::int64_t>& printed_ms) {
  std::vector<bool> found(stop_ms.size(), false);
  for (const std::int64_t print : printed_ms) {
    // Stops that the print can belong to: from print - kPrintAfter to print + kPrintBefore.
    auto at = std::lower_bound(stop_ms.begin(), stop_ms.end(), print - kPrintAfter.count());
    auto best = stop_ms.end();
    for (; at != stop_ms.end() && *at <= print + kPrintBefore.count(); ++at) {
      if (best == stop_ms.end() || std::abs(*at - print) < std::abs(*best - print)) {
        best = at;
      }
    }
    if (best != stop_ms.end()) {
      found[static_cast<std::size_t>(best - stop_ms.begin())] = true;
    }
  }
  return found;
}

void find_deliveries(std::vector<Stop>& stops, const base::Environment& environment,
                     std::int64_t now_ms) {
  std::map<std::string, std::map<std::string, std::vector<Stop*>>> seats;
  for (Stop& stop : stops) {
    if (stop.seat != nullptr && is_key(*stop.seat)) {
      seats[*stop.seat][*stop.session_id].push_back(&stop);
    }
  }
  const std::string folder = base::pending_directory(environment);
  for (const auto& [key, sessions] : seats) {
    auto store = sink::DeliveryStore::open({folder, key}, sink::Access::read_only,
                                           sink::WaitBudget(kReportBusyWait));
    if (!store || !store->has_value()) {
      continue;
    }
    const std::int64_t reach = reach_of(**store, now_ms);
    for (const auto& [session, ends] : sessions) {
      fill_session(session, ends, **store, reach);
    }
  }
}

}  // namespace robot_council::stops
