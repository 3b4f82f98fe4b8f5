#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "sink/bridge_store.hpp"
#include "sink/seat_files.hpp"

namespace robot_council::stop_hook {

// `<key>.wait`: the background waiters of a seat, one record for each agent client (Claude Code
// process). A waiter whose generation is no longer in its client's record was replaced by a newer
// one and ends. Shape
// {"clients":[{"client","client_started","generation","session","pid","started","since","wakes":[<ms>...]}]},
// oldest
//        first; since in UTC.
// Source wake contract, 2.1.
struct WaitClient {
  sink::ProcessName client;  // the agent client
  std::string generation;    // 32 random hex digits
  std::string session;       // harness session id
  sink::ProcessName waiter;
  std::int64_t since_ms = 0;
  std::vector<std::int64_t> wakes;  // newest kWakesPerHour hand-overs, oldest first, ms since 1970
};

struct WaitRecord {
  std::vector<WaitClient> clients;
  [[nodiscard]] const WaitClient* find(const sink::ProcessName& client) const;
};

[[nodiscard]] std::string wait_record_json(const WaitRecord& record);
// What is no record is an empty one.
[[nodiscard]] WaitRecord parse_wait_record(std::string_view json);
// Nothing: there is no file, or it cannot be read.
[[nodiscard]] std::optional<WaitRecord> read_wait_record(const sink::SeatFiles& files);
// The waiters of it that still run: for status.
[[nodiscard]] std::vector<WaitClient> live_waiters(const sink::SeatFiles& files);

// Makes `mine` the record of its client, with a new generation (returned) and the client's wakes
// kept. Makes the folder. Errors  busy: the lock is held; io, refused.
[[nodiscard]] base::Result<std::string> take_over(const sink::SeatFiles& files, WaitClient mine);
// Whether the client's record still has this generation. A file that is missing is written again,
// since a folder may have been removed and made anew; a client that fell out of the newest ones
// goes on.
[[nodiscard]] bool still_mine(const sink::SeatFiles& files, const WaitClient& mine);
// Adds a hand-over to the client's record.
[[nodiscard]] base::Status note_wake(const sink::SeatFiles& files, const WaitClient& mine,
                                     std::int64_t now_ms);

// When the next hand-over may be: now, or later because kWakesPerWindow or kWakesPerHour is
// reached.
[[nodiscard]] std::int64_t next_wake_ms(const std::vector<std::int64_t>& wakes,
                                        std::int64_t now_ms);

}  // namespace robot_council::stop_hook
