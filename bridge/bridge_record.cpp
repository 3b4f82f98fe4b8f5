#include "bridge/bridge_record.hpp"

#include <unistd.h>

#include "base/atomic_file.hpp"
#include "base/files.hpp"
#include "base/json_value.hpp"
#include "base/time_text.hpp"
#include "base/version.hpp"
#include "bridge/limits.hpp"

namespace robot_council::bridge {

namespace {

void put_text(base::OrderedJson& record, const char* key, const std::string& text) {
  record[key] = text.empty() ? base::OrderedJson() : base::OrderedJson(text);
}

void put_number(base::OrderedJson& record, const char* key, std::optional<std::int64_t> number) {
  record[key] = number ? base::OrderedJson(*number) : base::OrderedJson();
}

void put_time(base::OrderedJson& record, const char* key, std::optional<std::int64_t> ms) {
  put_text(record, key, ms ? base::iso_zulu(*ms) : std::string());
}

}  // namespace

BridgeRecord::BridgeRecord(const base::Context& context, sink::SeatFiles files, Fixed fixed,
                           bool seat, base::Milliseconds pause)
    : context_(context),
      files_(std::move(files)),
      fixed_(std::move(fixed)),
      pause_(pause),
      since_ms_(context.clock.wall_ms()),
      seat_(seat) {}

std::string BridgeRecord::path() const {
  return seat_ ? files_.bridge() : files_.bridge() + "-" + std::to_string(::getpid());
}

void BridgeRecord::take_leftover() {
  const base::MutexLock lock(mu_);
  const base::Result<std::string> text =
      base::read_file(files_.bridge(), kMaxJoinRecordBytes, base::Links::dont);
  if (!text.ok()) {
    return;
  }
  const base::Result<base::Json> json = base::parse_bounded(*text, kMaxJoinRecordBytes);
  if (!json.ok() || base::get_string(*json, "service") != fixed_.service ||
      base::get_string(*json, "harness") != fixed_.harness) {
    return;
  }
  std::optional<std::int64_t> session = base::get_integer(*json, "session");
  leftover_ = session ? session : base::get_integer(*json, "leftover");
}

std::optional<std::int64_t> BridgeRecord::leftover() const {
  const base::MutexLock lock(mu_);
  return leftover_;
}

void BridgeRecord::leftover_ended() {
  const base::MutexLock lock(mu_);
  leftover_.reset();
  write(When::now);
}

void BridgeRecord::joined(std::int64_t session, const std::string& role,
                          std::optional<std::int64_t> cursor) {
  const base::MutexLock lock(mu_);
  session_ = session;
  role_ = role;
  cursor_ = cursor;
  read_ms_.reset();
  noticed_ms_.reset();
  write(When::now);
}

void BridgeRecord::role(const std::string& role) {
  const base::MutexLock lock(mu_);
  role_ = role;
  write(When::now);
}

void BridgeRecord::session_ended() {
  const base::MutexLock lock(mu_);
  session_.reset();
  role_.clear();
  cursor_.reset();
  write(When::now);
}

void BridgeRecord::feed_read(std::optional<std::int64_t> cursor) {
  const base::MutexLock lock(mu_);
  cursor_ = cursor;
  const When when = read_ms_ ? When::sometimes : When::now;  // the first one proves that it works
  read_ms_ = context_.clock.wall_ms();
  write(when);
}

void BridgeRecord::tool_called() {
  const base::MutexLock lock(mu_);
  const When when = tool_ms_ ? When::sometimes : When::now;  // the first one proves that it works
  tool_ms_ = context_.clock.wall_ms();
  write(when);
}

void BridgeRecord::noticed() {
  const base::MutexLock lock(mu_);
  const When when =
      noticed_ms_ ? When::sometimes : When::now;  // the first one proves that it works
  noticed_ms_ = context_.clock.wall_ms();
  write(when);
}

void BridgeRecord::seat_obtained() {
  const base::MutexLock lock(mu_);
  const std::string old = path();
  seat_ = true;
  write(When::now);
  static_cast<void>(base::remove_file(old));
}

void BridgeRecord::write() {
  const base::MutexLock lock(mu_);
  write(When::now);
}

void BridgeRecord::close() {
  const base::MutexLock lock(mu_);
  if (seat_) {
    write(When::now);
  } else {
    static_cast<void>(base::remove_file(path()));
  }
}

void BridgeRecord::write(When when) {
  const base::SteadyTime now = context_.clock.steady();
  if (when == When::sometimes && written_ && now - *written_ < pause_) {
    return;
  }
  written_ = now;
  base::OrderedJson record = base::OrderedJson::object();
  record["pid"] = static_cast<std::int64_t>(::getpid());
  record["version"] = base::version();
  record["since"] = base::iso_zulu(since_ms_);
  record["service"] = fixed_.service;
  record["harness"] = fixed_.harness;
  put_text(record, "project", fixed_.project);
  put_text(record, "project_env", fixed_.project_env);
  record["folder"] = fixed_.folder;
  put_text(record, "path", fixed_.path);
  put_text(record, "state", fixed_.state);
  put_number(record, "session", session_);
  put_number(record, "leftover", leftover_);
  put_text(record, "role", role_);
  put_number(record, "cursor", cursor_);
  put_time(record, "read_at", read_ms_);
  put_time(record, "tool_at", tool_ms_);
  put_time(record, "noticed_at", noticed_ms_);
  record["channel"] = fixed_.channel;
  if (!base::make_private_directory(files_.folder).ok()) {
    return;
  }
  static_cast<void>(base::replace_file(path(), base::dump_safe(record), base::Sync::no));
}

}  // namespace robot_council::bridge
