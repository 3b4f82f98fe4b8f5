#include "brake/decision_log.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "base/fd.hpp"
#include "base/file_lock.hpp"
#include "base/files.hpp"
#include "base/json.hpp"
#include "base/json_value.hpp"
#include "base/paths.hpp"
#include "base/time_text.hpp"
#include "base/utf8.hpp"
#include "brake/limits.hpp"
#include "brake/texts.hpp"

namespace robot_council::brake {
namespace {

constexpr std::size_t kMaxFieldBytes = 256;  // of a foreign name or id in one line

std::string surface_word(Surface surface) {
  switch (surface) {
    case Surface::pre_tool_use:
      return "pre-tool-use";
    case Surface::git_hook:
      return "git-hook";
    case Surface::gateway:
      return "gateway";
    case Surface::bridge:
      return "bridge";
  }
  return {};
}

void add_field(base::OrderedJson& line, const char* name, std::string_view value) {
  const std::string clean = clean_line(value.substr(0, 4 * kMaxFieldBytes));
  if (!clean.empty()) {
    line[name] = std::string(base::prefix_bytes(clean, kMaxFieldBytes));
  }
}

base::Result<base::Fd> open_log(const std::string& path) {
  base::Result<base::Fd> file =
      base::open_file(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (!file.ok()) {
    return file;
  }
  struct ::stat info {};
  if (::fstat(file.value().get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return base::Error{base::Errc::invalid, "the decision log is no regular file"};
  }
  if ((info.st_mode & 077U) != 0) {
    (void)::fchmod(file.value().get(), 0600);
  }
  return file;
}

bool is_over(const std::string& path, std::size_t more) {
  struct ::stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         static_cast<std::size_t>(info.st_size) + more > kMaxDecisionLogBytes;
}

// Two processes that find the log too large at once: one renames, the other finds the lock taken,
// or the new file small.
void rotate(const std::string& folder, const std::string& path, std::size_t more) {
  const base::Result<base::FileLock> lock =
      base::FileLock::try_acquire(base::join_path(folder, "decisions.lock"));
  if (lock.ok() && is_over(path, more)) {
    (void)base::rename_file(path, base::join_path(folder, "decisions.1.jsonl"));
  }
}

void append(const base::Environment& environment, const base::OrderedJson& line) {
  const std::string path = decision_log_path(environment);
  const std::string folder = base::parent_path(path);
  const std::string bytes = base::dump_safe(line) + "\n";
  base::Result<base::Fd> file = open_log(path);
  if (!file.ok()) {
    if (file.error().code != base::Errc::not_found || !base::make_private_directory(folder).ok()) {
      return;
    }
    file = open_log(path);
  }
  if (is_over(path, bytes.size())) {
    rotate(folder, path, bytes.size());
    file = open_log(path);
  }
  if (!file.ok()) {
    return;
  }
  ssize_t written = 0;
  do {
    written = ::write(file.value().get(), bytes.data(), bytes.size());
  } while (written < 0 && errno == EINTR);
}

base::OrderedJson scope_value(const Scope& scope) {
  if (scope.all) {
    return "all";
  }
  return scope.clients;
}

}  // namespace

std::string decision_log_path(const base::Environment& environment) {
  return base::join_path(base::state_home(environment), "robot-council/decisions.jsonl");
}

void log_refused(const base::Environment& environment, const base::Clock& clock,
                 const RefusedCall& call) noexcept {
  try {
    base::OrderedJson line;
    line["ts"] = base::iso_zulu(clock.wall_ms());
    line["policy_id"] = call.surface == Surface::pre_tool_use ? "brake-check" : "brake";
    line["surface"] = surface_word(call.surface);
    line["event"] = "tool_use";
    line["verdict"] = "block";
    line["reason"] = "stopped";
    add_field(line, "actor", call.actor);
    add_field(line, "session_id", call.session_id);
    add_field(line, "target", call.target);
    if (!call.repository.empty()) {
      line["repo"] = call.repository;
    }
    append(environment, line);
  } catch (...) {  // NOLINT(bugprone-empty-catch): a log that fails changes nothing
  }
}

void log_command(const base::Environment& environment, const base::Clock& clock,
                 const CommandRecord& record) noexcept {
  try {
    base::OrderedJson line;
    line["ts"] = base::iso_zulu(clock.wall_ms());
    line["policy_id"] = "brake";
    line["event"] = record.command == Command::stop ? "repo_stop" : "repo_resume";
    if (!record.refused_agent.empty()) {
      line["verdict"] = "block";
      line["reason"] = "agent";
      add_field(line, "actor", record.refused_agent);
    } else {
      line["scope"] = scope_value(record.stop.scope);
      line["who"] = record.stop.who;
      line["when"] = record.stop.when;
    }
    if (!record.stop.repo.empty()) {
      line["repo"] = record.stop.repo;
    }
    if (record.everywhere) {
      line["everywhere"] = true;
    }
    append(environment, line);
  } catch (...) {  // NOLINT(bugprone-empty-catch): a log that fails changes nothing
  }
}

}  // namespace robot_council::brake
