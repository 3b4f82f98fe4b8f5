#include "stops/seat_look.hpp"

#include "harness/names.hpp"
#include "sink/seat.hpp"
#include "stops/limits.hpp"

namespace robot_council::stops {
namespace {

bool counts(const sink::Entry& row, const std::string& session, std::int64_t ts_ms) {
  if (row.state == sink::RowState::waiting) {
    return row.in_share;
  }
  return row.to_session == session && row.printed_ms &&
         *row.printed_ms >= ts_ms - kSameTurnEnd.count();
}

}  // namespace

SeatLook look_at_seat(const SeatOptions& options, const base::Environment& environment,
                      const std::string& host, const std::string& folder,
                      const std::string& session, std::int64_t ts_ms) {
  SeatLook look;
  sink::SeatNames names;
  names.service = sink::service_from(options.service, environment);
  names.harness = harness::resolved_harness(options.harness, environment);
  if (names.harness.empty()) {
    names.harness = host;
  }
  names.project = options.project;
  if (names.service.empty()) {
    return look;
  }
  const base::Result<sink::Seat> seat =
      sink::resolve_seat(names, sink::hook_folder(environment, names.harness, folder), environment);
  if (!seat.ok()) {
    return look;
  }
  look.seat = seat->files.key;
  auto store = sink::DeliveryStore::open(seat->files, sink::Access::read_only,
                                         sink::WaitBudget(kSinkBusyWait));
  if (!store.ok() || !store->has_value()) {
    return look;
  }
  const base::Result<sink::DeliveryStore::Look> rows = (*store)->look(session);
  if (!rows.ok()) {
    return look;
  }
  std::int64_t waiting = 0;
  for (const sink::Entry& row : rows->rows) {
    waiting += counts(row, session, ts_ms) ? 1 : 0;
  }
  look.waiting = waiting;
  return look;
}

}  // namespace robot_council::stops
