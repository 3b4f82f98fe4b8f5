#include "bridge/join_record.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "base/fd.hpp"
#include "base/files.hpp"
#include "base/json_value.hpp"
#include "base/time_text.hpp"
#include "bridge/limits.hpp"

namespace robot_council::bridge {

namespace {

constexpr std::int64_t kMsPerSecond = 1000;
constexpr base::Milliseconds kWriteTime{2000};

base::OrderedJson text_or_null(const std::optional<std::string>& text) {
  return text ? base::OrderedJson(*text) : base::OrderedJson();
}

std::optional<std::string> nonempty(const base::Json& json, const char* key) {
  std::optional<std::string> text = base::get_string(json, key);
  return text && !text->empty() ? text : std::nullopt;
}

}  // namespace

void write_join_record(const std::string& path, const JoinRequest& arguments,
                       const sink::ProcessName& parent, std::int64_t wall_ms) {
  base::OrderedJson record = base::OrderedJson::object();
  record["role"] = text_or_null(arguments.role);
  record["repository"] = text_or_null(arguments.repository);
  record["work_location"] = text_or_null(arguments.work_location);
  record["capacity"] =
      arguments.capacity ? base::OrderedJson(*arguments.capacity) : base::OrderedJson();
  if (parent.pid > 1 && !parent.started.empty()) {
    record["parent"] = base::OrderedJson::object();
    record["parent"]["pid"] = parent.pid;
    record["parent"]["started"] = parent.started;
  } else {
    record["parent"] = nullptr;
  }
  record["joined_at"] = base::iso_zulu(wall_ms);
  const std::string aside = path + "." + std::to_string(::getpid()) + ".tmp";
  base::Result<base::Fd> file = base::open_file(aside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
  if (!file.ok()) {
    return;
  }
  const base::Status written =
      base::write_all(file->get(), base::dump_safe(record), base::deadline_in(kWriteTime));
  if (!written.ok() || !base::rename_file(aside, path).ok()) {
    static_cast<void>(base::remove_file(aside));
  }
}

std::optional<JoinRecord> read_join_record(const std::string& path) {
  const base::Result<std::string> text =
      base::read_file(path, kMaxJoinRecordBytes, base::Links::dont);
  if (!text.ok()) {
    return std::nullopt;
  }
  const base::Result<base::Json> json = base::parse_bounded(*text, kMaxJoinRecordBytes);
  if (!json.ok() || !json->is_object()) {
    return std::nullopt;
  }
  JoinRecord record;
  record.arguments.role = nonempty(*json, "role");
  if (record.arguments.role && !is_role(*record.arguments.role)) {
    record.arguments.role.reset();
  }
  record.arguments.repository = nonempty(*json, "repository");
  record.arguments.work_location = nonempty(*json, "work_location");
  const std::optional<std::int64_t> capacity = base::get_integer(*json, "capacity");
  if (capacity && *capacity >= 1) {
    record.arguments.capacity = capacity;
  }
  if (const base::Json* parent = base::get_object(*json, "parent")) {
    const std::optional<std::int64_t> pid = base::get_integer(*parent, "pid");
    std::optional<std::string> started = nonempty(*parent, "started");
    if (pid && started) {
      record.parent = sink::ProcessName{*pid, *std::move(started)};
    }
  }
  const std::optional<std::int64_t> at =
      base::parse_iso(base::get_string(*json, "joined_at").value_or(""));
  if (!at) {
    return std::nullopt;
  }
  record.joined_s = *at / kMsPerSecond;
  return record;
}

void remove_join_record(const std::string& path) {
  static_cast<void>(base::remove_file(path));
}

bool same_parent(const JoinRecord& record, const sink::ProcessName& parent) {
  return record.parent && parent.pid > 1 && !parent.started.empty() &&
         record.parent->pid == parent.pid && record.parent->started == parent.started;
}

RejoinChoice choose_rejoin(const JoinRecord& record, const sink::ProcessName& parent,
                           SeatAtStart seat, std::int64_t wall_ms) {
  if (same_parent(record, parent) && seat == SeatAtStart::obtained) {
    return RejoinChoice::rejoin;
  }
  if (wall_ms / kMsPerSecond - record.joined_s > kJoinRecordAgeSeconds) {
    return RejoinChoice::forget;
  }
  return RejoinChoice::tell;
}

}  // namespace robot_council::bridge
