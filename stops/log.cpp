#include "stops/log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/fd.hpp"
#include "base/file_lock.hpp"
#include "base/files.hpp"
#include "stops/limits.hpp"
#include "stops/redact.hpp"
#include "stops/tail.hpp"

namespace robot_council::stops {
namespace {

void clean(std::string& text) {
  text = redact(text).text;
}
void clean(std::optional<std::string>& text) {
  if (text) {
    clean(*text);
  }
}

// The last byte of a file is a line break, or it is empty.
bool ends_a_line(int fd, std::int64_t size) {
  char last = '\n';
  return size == 0 || ::pread(fd, &last, 1, static_cast<off_t>(size - 1)) != 1 || last == '\n';
}

base::Result<base::Fd> open_log(const StopFiles& files) {
  return base::open_file(files.log(), O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK);
}

// One write; what a full disk took of it is taken back.
base::Status write_line(const StopFiles& files, const std::string& line) {
  base::Result<base::Fd> fd = open_log(files);
  if (!fd.ok()) {
    return fd.error();
  }
  base::Result<base::FileInfo> info = base::file_info(fd->get());
  if (info.ok() && info->size >= kMaxLogBytes) {
    if (base::Status moved = base::rename_file(files.log(), files.older_log()); !moved) {
      return moved;
    }
    fd = open_log(files);
    if (!fd.ok()) {
      return fd.error();
    }
    info = base::file_info(fd->get());
  }
  if (!info.ok()) {
    return info.error();
  }
  if (info->kind != base::FileKind::regular || info->owner != ::geteuid()) {
    return base::Error{base::Errc::refused, "the stop log is no file of yours"};
  }
  const std::string bytes = (ends_a_line(fd->get(), info->size) ? "" : "\n") + line + "\n";
  ssize_t wrote = 0;
  do {
    wrote = ::write(fd->get(), bytes.data(), bytes.size());
  } while (wrote < 0 && errno == EINTR);
  if (wrote == static_cast<ssize_t>(bytes.size())) {
    return {};
  }
  const base::Error failed =
      wrote < 0 ? base::errno_error("write " + files.log())
                : base::Error{base::Errc::io, "write " + files.log() + ": it is full"};
  if (wrote > 0) {
    // The part of a line that cannot be cut off is one that readers count as broken.
    const int cut = ::ftruncate(fd->get(), static_cast<off_t>(info->size));
    static_cast<void>(cut);
  }
  return failed;
}

base::Status append_locked(const StopFiles& files, const LogLine& line,
                           const std::optional<SessionMark>& mark, base::Milliseconds lock_wait) {
  if (base::Status made = base::make_private_directory(files.folder); !made) {
    return made;
  }
  const base::Result<base::FileLock> lock =
      base::FileLock::acquire(files.lock(), base::deadline_in(lock_wait), kLogLockStep);
  if (!lock.ok()) {
    return lock.error();
  }
  if (mark && mark->policy_error && line.outcome == Outcome::policy_error &&
      find_session(read_sessions(files), mark->id).policy_error) {
    return {};
  }
  base::Status written = write_line(files, to_json(redacted(line)));
  if (mark) {
    (void)keep_session(files, *mark);
  }
  return written;
}

}  // namespace

LogLine redacted(LogLine line) {
  clean(line.host);
  clean(line.session_id);
  clean(line.prompt_id);
  clean(line.turn_id);
  clean(line.transcript_path);
  clean(line.cwd);
  clean(line.project);
  clean(line.permission_mode);
  for (std::string& type : line.background.types) {
    clean(type);
  }
  if (line.reason) {
    clean(line.reason->question);
    for (std::string& name : line.reason->missing) {
      clean(name);
    }
  }
  Answers answers;
  for (const auto& [name, p] : line.answers) {
    answers[redact(name).text] = p;
  }
  line.answers = std::move(answers);
  if (line.state) {
    line.state = redacted_state(*line.state);
  }
  clean(line.endpoint);
  clean(line.model);
  if (line.policy) {
    clean(line.policy->path);
  }
  if (line.error) {
    clean(line.error->message);
  }
  return line;
}

base::Status append_line(const StopFiles& files, const LogLine& line,
                         const std::optional<SessionMark>& mark, base::Milliseconds lock_wait) {
  base::Status written = append_locked(files, line, mark, lock_wait);
  if (!written) {
    // Counted without the lock: an appended byte cannot get lost.
    const base::Result<base::Fd> fd =
        base::open_file(files.dropped(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK);
    if (fd.ok()) {
      (void)!::write(fd->get(), "x", 1);
    }
  }
  return written;
}

}  // namespace robot_council::stops
