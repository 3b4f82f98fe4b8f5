#include "stop-hook/wait_record.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/atomic_file.hpp"
#include "base/child.hpp"
#include "base/file_lock.hpp"
#include "base/files.hpp"
#include "base/json_value.hpp"
#include "base/random.hpp"
#include "base/time_text.hpp"
#include "stop-hook/limits.hpp"

namespace robot_council::stop_hook {

namespace {

constexpr std::size_t kGenerationBytes = 16;

bool same(const sink::ProcessName& a, const sink::ProcessName& b) {
  return a.pid == b.pid && a.started == b.started;
}

WaitClient client_from(const base::Json& json) {
  WaitClient client;
  client.client = {base::get_integer(json, "client").value_or(0),
                   base::get_string(json, "client_started").value_or("")};
  client.generation = base::get_string(json, "generation").value_or("");
  client.session = base::get_string(json, "session").value_or("");
  client.waiter = {base::get_integer(json, "pid").value_or(0),
                   base::get_string(json, "started").value_or("")};
  client.since_ms = base::parse_iso(base::get_string(json, "since").value_or("")).value_or(0);
  if (const base::Json* wakes = base::get_array(json, "wakes"); wakes != nullptr) {
    for (const base::Json& wake : *wakes) {
      if (const std::optional<std::int64_t> at_ms = base::as_integer(wake)) {
        client.wakes.push_back(*at_ms);
      }
    }
  }
  return client;
}

// Reads, changes and replaces the file under its lock.
base::Status edit(const sink::SeatFiles& files, const std::function<void(WaitRecord&)>& change) {
  if (base::Status made = base::make_private_directory(files.folder); !made.ok()) {
    return made;
  }
  const base::Result<base::FileLock> lock =
      base::FileLock::acquire(files.wait_lock(), base::deadline_in(kWaitLockTime));
  if (!lock.ok()) {
    return lock.error();
  }
  WaitRecord record = read_wait_record(files).value_or(WaitRecord{});
  change(record);
  if (record.clients.size() > kMaxWaitClients) {
    record.clients.erase(record.clients.begin(),
                         record.clients.end() - static_cast<std::ptrdiff_t>(kMaxWaitClients));
  }
  return base::replace_file(files.wait(), wait_record_json(record), base::Sync::no);
}

// `mine` as the newest record of its client.
void put(WaitRecord& record, const WaitClient& mine) {
  auto& clients = record.clients;
  clients.erase(
      std::remove_if(clients.begin(), clients.end(),
                     [&](const WaitClient& other) { return same(other.client, mine.client); }),
      clients.end());
  clients.push_back(mine);
}

void add_wake(std::vector<std::int64_t>& wakes, std::int64_t now_ms) {
  wakes.push_back(now_ms);
  if (wakes.size() > kWakesPerHour) {
    wakes.erase(wakes.begin(), wakes.end() - static_cast<std::ptrdiff_t>(kWakesPerHour));
  }
}

// When `count` hand-overs lie within the window before now: the time at which the oldest of them
// falls out.
std::int64_t free_again_ms(const std::vector<std::int64_t>& wakes, std::size_t count,
                           std::int64_t window_ms, std::int64_t now_ms) {
  std::vector<std::int64_t> recent;
  for (const std::int64_t wake : wakes) {
    if (wake <= now_ms && wake > now_ms - window_ms) {
      recent.push_back(wake);
    }
  }
  std::sort(recent.begin(), recent.end());
  return recent.size() < count ? now_ms : recent[recent.size() - count] + window_ms;
}

}  // namespace

const WaitClient* WaitRecord::find(const sink::ProcessName& client) const {
  const auto found = std::find_if(clients.begin(), clients.end(), [&](const WaitClient& each) {
    return same(each.client, client);
  });
  return found == clients.end() ? nullptr : &*found;
}

std::string wait_record_json(const WaitRecord& record) {
  base::OrderedJson clients = base::OrderedJson::array();
  for (const WaitClient& each : record.clients) {
    base::OrderedJson client;
    client["client"] = each.client.pid;
    client["client_started"] = each.client.started;
    client["generation"] = each.generation;
    client["session"] = each.session;
    client["pid"] = each.waiter.pid;
    client["started"] = each.waiter.started;
    client["since"] = base::iso_zulu(each.since_ms);
    client["wakes"] = each.wakes;
    clients.push_back(std::move(client));
  }
  base::OrderedJson json;
  json["clients"] = std::move(clients);
  return base::dump_safe(json);
}

WaitRecord parse_wait_record(std::string_view json) {
  WaitRecord record;
  const base::Result<base::Json> parsed = base::parse_bounded(json, kMaxRecordBytes);
  if (!parsed.ok()) {
    return record;
  }
  if (const base::Json* clients = base::get_array(*parsed, "clients"); clients != nullptr) {
    for (const base::Json& client : *clients) {
      record.clients.push_back(client_from(client));
    }
  }
  return record;
}

std::optional<WaitRecord> read_wait_record(const sink::SeatFiles& files) {
  const base::Result<std::string> bytes = base::read_file(files.wait(), kMaxRecordBytes);
  return bytes.ok() ? std::optional<WaitRecord>(parse_wait_record(*bytes)) : std::nullopt;
}

std::vector<WaitClient> live_waiters(const sink::SeatFiles& files) {
  std::vector<WaitClient> live;
  for (WaitClient& client : read_wait_record(files).value_or(WaitRecord{}).clients) {
    if (base::process_alive(static_cast<pid_t>(client.waiter.pid), client.waiter.started)
            .value_or(false)) {
      live.push_back(std::move(client));
    }
  }
  return live;
}

base::Result<std::string> take_over(const sink::SeatFiles& files, WaitClient mine) {
  mine.generation = base::random_hex(kGenerationBytes);
  const base::Status done = edit(files, [&](WaitRecord& record) {
    if (const WaitClient* older = record.find(mine.client); older != nullptr) {
      mine.wakes = older->wakes;
    }
    put(record, mine);
  });
  if (!done.ok()) {
    return done.error();
  }
  return mine.generation;
}

bool still_mine(const sink::SeatFiles& files, const WaitClient& mine) {
  const std::optional<WaitRecord> record = read_wait_record(files);
  if (!record) {
    if (base::exists(files.folder) && !base::exists(files.wait())) {
      (void)edit(files, [&](WaitRecord& anew) {
        if (anew.find(mine.client) == nullptr) {
          put(anew, mine);
        }
      });
    }
    return true;
  }
  const WaitClient* found = record->find(mine.client);
  return found == nullptr || found->generation == mine.generation;
}

base::Status note_wake(const sink::SeatFiles& files, const WaitClient& mine, std::int64_t now_ms) {
  return edit(files, [&](WaitRecord& record) {
    WaitClient client = mine;
    if (const WaitClient* kept = record.find(mine.client); kept != nullptr) {
      client = *kept;
    }
    add_wake(client.wakes, now_ms);
    put(record, client);
  });
}

std::int64_t next_wake_ms(const std::vector<std::int64_t>& wakes, std::int64_t now_ms) {
  return std::max(free_again_ms(wakes, kWakesPerWindow, kWakesWindowMs, now_ms),
                  free_again_ms(wakes, kWakesPerHour, kWakesHourMs, now_ms));
}

}  // namespace robot_council::stop_hook
