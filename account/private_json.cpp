#include "account/private_json.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "account/limits.hpp"
#include "base/atomic_file.hpp"
#include "base/fd.hpp"
#include "base/file_lock.hpp"
#include "base/files.hpp"
#include "base/json_value.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"

namespace robot_council::account {

namespace {

constexpr unsigned kOthers = 077;
constexpr base::Milliseconds kLockStep{10};
constexpr base::Milliseconds kReadTime{10000};  // a regular file; only a hung disk needs it
constexpr int kMaxSetAside = 100;

base::Error refused(const std::string& text) {
  return base::Error{base::Errc::refused, text};
}

// The rules for one path; `info` is what was found there.
base::Status check(const std::string& path, const base::FileInfo& info, base::FileKind wanted) {
  if (info.kind == base::FileKind::symlink) {
    return refused("`" + path +
                   "` is a symbolic link; credentials are only read from what it would point to.");
  }
  if (info.kind != wanted) {
    return refused("`" + path + "` is not a " +
                   (wanted == base::FileKind::directory ? "folder." : "regular file."));
  }
  if (info.owner != static_cast<unsigned>(::geteuid())) {
    return refused("`" + path + "` belongs to another user (uid " + std::to_string(info.owner) +
                   ").");
  }
  if ((info.mode & kOthers) != 0) {
    const std::string mode = wanted == base::FileKind::directory ? "700" : "600";
    return refused("`" + path + "` is readable by more than its owner. Run: chmod " + mode + " '" +
                   base::replace_all(path, "'", R"('\'')") + "'");
  }
  return {};
}

base::Result<base::Json> parse(const std::string& path, const std::string& text) {
  if (text.empty()) {
    return base::Json::object();
  }
  auto parsed = base::parse_bounded(text, kMaxAccountFile);
  if (!parsed || !parsed->is_object()) {
    return base::Error{base::Errc::corrupt, "`" + path + "` is not a JSON object" +
                                                (parsed ? "" : ": " + parsed.error().what) + "."};
  }
  return parsed;
}

// The checked bytes; nothing if there is no file.
base::Result<std::optional<std::string>> checked_bytes(const std::string& path) {
  const auto there = base::file_info(path, base::Links::dont);
  if (!there) {
    if (there.error().code == base::Errc::not_found) {
      return std::optional<std::string>();
    }
    return there.error();
  }
  const std::string folder = base::parent_path(path);
  const auto above = base::file_info(folder, base::Links::dont);
  if (!above) {
    return above.error();
  }
  if (auto ok = check(folder, *above, base::FileKind::directory); !ok) {
    return ok.error();
  }
  if (auto ok = check(path, *there, base::FileKind::regular); !ok) {
    return ok.error();
  }
  auto fd = base::open_file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!fd) {
    if (fd.error().code == base::Errc::not_found) {  // replaced or removed since
      return std::optional<std::string>();
    }
    return fd.error();
  }
  // What was opened decides, not what was there before.
  const auto opened = base::file_info(fd->get());
  if (!opened) {
    return opened.error();
  }
  if (auto ok = check(path, *opened, base::FileKind::regular); !ok) {
    return ok.error();
  }
  auto text = base::read_all(fd->get(), kMaxAccountFile, base::deadline_in(kReadTime));
  if (!text) {
    return text.error();
  }
  return std::optional<std::string>(std::move(*text));
}

std::string aside_text(const std::string& path, const std::string& name) {
  return "`" + path + "` is not a JSON object; it was set aside as `" + name +
         "` and a new one started.";
}

// Renames what does not parse, so that a person can look at it; its bytes are kept.
base::Status set_aside(const std::string& path, const base::Clock& clock, base::Log& log) {
  const std::string stem = path + ".corrupt-" + base::compact_utc(clock.wall_ms());
  for (int number = 1; number <= kMaxSetAside; ++number) {
    std::string name = stem;
    if (number > 1) {
      name += "-" + std::to_string(number);
    }
    if (base::file_info(name, base::Links::dont)) {
      continue;
    }
    if (auto moved = base::rename_file(path, name); !moved) {
      return moved;
    }
    log.warning(aside_text(path, name));
    return {};
  }
  return base::Error{
      base::Errc::io,
      "`" + path + "` is not a JSON object, and too many such files were set aside already."};
}

}  // namespace

base::Result<std::optional<base::Json>> PrivateJson::read() const {
  auto text = checked_bytes(path_);
  if (!text) {
    return text.error();
  }
  if (!text->has_value()) {
    return std::optional<base::Json>();
  }
  auto parsed = parse(path_, **text);
  if (!parsed) {
    return parsed.error();
  }
  return std::optional<base::Json>(std::move(*parsed));
}

base::Result<base::Json> PrivateJson::read_to_change(const base::Clock& clock,
                                                     base::Log& log) const {
  auto current = read();
  if (current) {
    return current->has_value() ? std::move(**current) : base::Json::object();
  }
  if (current.error().code != base::Errc::corrupt) {
    return current.error();
  }
  if (auto aside = set_aside(path_, clock, log); !aside) {
    return aside.error();
  }
  return base::Json::object();
}

base::Status PrivateJson::edit(const base::Clock& clock, base::Log& log,
                               const std::function<void(base::Json&)>& change) const {
  const std::string folder = base::parent_path(path_);
  if (auto made = base::make_private_directory(folder); !made) {
    return base::Error{made.error().code,
                       "Could not create `" + folder + "` to store the credential in."};
  }
  const auto lock =
      base::FileLock::acquire(path_ + ".lock", base::deadline_in(kFileLockTime), kLockStep);
  if (!lock) {
    return base::Error{lock.error().code,
                       "Could not open `" + path_ + "` to store the credential."};
  }
  auto object = read_to_change(clock, log);
  if (!object) {
    return object.error();
  }
  change(*object);
  if (object->empty()) {
    auto removed = base::remove_file(path_);
    if (!removed && removed.error().code != base::Errc::not_found) {
      return removed;
    }
    return base::sync_directory(folder);
  }
  const std::string text = base::dump_pretty(base::OrderedJson(*object), 2) + "\n";
  if (text.size() > kMaxAccountFile) {
    return base::Error{base::Errc::invalid,
                       "The credential could not be stored in `" + path_ + "`."};
  }
  if (!base::replace_file(path_, text, base::Sync::yes)) {
    return base::Error{base::Errc::io, "The credential could not be stored in `" + path_ + "`."};
  }
  return {};
}

}  // namespace robot_council::account
