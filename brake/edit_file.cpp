#include "brake/edit_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/atomic_file.hpp"
#include "base/file_lock.hpp"
#include "base/files.hpp"
#include "base/paths.hpp"
#include "base/sha256.hpp"
#include "brake/disk.hpp"
#include "brake/limits.hpp"

namespace robot_council::brake {
namespace {

constexpr std::size_t kLockDigits = 32;

// Where the bytes really are: a settings file may be a link into a folder of dotfiles.
std::string target_of(const std::string& path) {
  const base::Result<std::string> real = base::real_path(path);
  return real.ok() ? real.value() : path;
}

base::Result<std::optional<std::string>> read_text(const std::string& path) {
  std::string text;
  const int error_number = read_followed(path, kMaxSettingsBytes, &text);
  if (error_number == ENOENT) {
    struct ::stat info {};
    if (look(path, &info) == 0) {
      return base::Error{base::Errc::invalid, path + " is a link to nowhere"};
    }
    return std::optional<std::string>();
  }
  if (error_number != 0) {
    return base::Error{base::Errc::io, "cannot read " + path + ": " + errno_words(error_number)};
  }
  return std::optional<std::string>(std::move(text));
}

base::Status make_folders(const std::string& folder, unsigned mode) {
  struct ::stat info {};
  if (look_through(folder, &info) == 0) {
    return {};
  }
  base::Status parent = make_folders(base::parent_path(folder), mode);
  if (!parent.ok()) {
    return parent;
  }
  if (::mkdir(folder.c_str(), mode) != 0 && errno != EEXIST) {
    return base::errno_error("cannot make " + folder);
  }
  return {};
}

unsigned shared_mode(unsigned mode) {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return mode & ~static_cast<unsigned>(mask);
}

base::Status write_text(const std::string& path, const std::string& text, NewFile new_file) {
  const std::string target = target_of(path);
  struct ::stat info {};
  unsigned mode = new_file == NewFile::shared ? shared_mode(0666) : 0600U;
  if (look_through(target, &info) == 0) {
    mode = info.st_mode & 07777U;
  } else {
    base::Status folders =
        make_folders(base::parent_path(target), new_file == NewFile::shared ? 0777U : 0700U);
    if (!folders.ok()) {
      return folders;
    }
  }
  base::Status replaced = base::replace_file(target, text, base::Sync::yes, mode);
  if (!replaced.ok()) {
    return replaced;
  }
  const base::Result<std::optional<std::string>> back = read_text(path);
  if (!back.ok() || back.value() != text) {
    return base::Error{base::Errc::io, path + " does not hold what was written"};
  }
  return {};
}

// The bytes that a person can go back to, kept before the first change.
base::Status keep_backup(const std::string& path, const std::optional<std::string>& before) {
  const std::string backup = path + std::string(kBackupSuffix);
  if (!before || base::exists(backup)) {
    return {};
  }
  struct ::stat info {};
  const unsigned mode = look_through(path, &info) == 0 ? info.st_mode & 07777U : 0600U;
  return base::replace_file(backup, *before, base::Sync::yes, mode);
}

// A backup is of no use once the file holds its bytes again. Best effort: one that stays harms
// nothing.
void drop_backup(const std::string& path) {
  const std::string backup = path + std::string(kBackupSuffix);
  const base::Result<std::optional<std::string>> kept = read_text(backup);
  const base::Result<std::optional<std::string>> now = read_text(path);
  if (kept.ok() && now.ok() && kept.value() && kept.value() == now.value()) {
    (void)base::remove_file(backup);
  }
}

base::Result<base::FileLock> lock(const base::Environment& environment, const std::string& path) {
  const std::string folder = base::join_path(base::data_directory(environment), "locks");
  const base::Status made = base::make_private_directory(folder);
  if (!made.ok()) {
    return made.error();
  }
  const std::string name = base::sha256_hex(target_of(path)).substr(0, kLockDigits);
  return base::FileLock::acquire(base::join_path(folder, name), base::deadline_in(kEditLockWait));
}

}  // namespace

base::Result<Edited> edit_file(const base::Environment& environment, const std::string& path,
                               NewFile new_file, DryRun dry_run, const Editor& editor) {
  std::optional<base::FileLock> held;
  if (dry_run == DryRun::no) {
    base::Result<base::FileLock> taken = lock(environment, path);
    if (!taken.ok()) {
      return taken.error();
    }
    held.emplace(std::move(taken).value());
  }
  for (int attempt = 0; attempt < kEditTries; ++attempt) {
    const base::Result<std::optional<std::string>> before = read_text(path);
    if (!before.ok()) {
      return before.error();
    }
    base::Result<Edited> edited = editor(before.value());
    if (edited.ok()) {
      edited.value().before = before.value();
    }
    if (!edited.ok() || edited.value().kind == Edited::Kind::keep || dry_run == DryRun::yes) {
      return edited;
    }
    const base::Result<std::optional<std::string>> again = read_text(path);
    if (!again.ok() || again.value() != before.value()) {
      continue;
    }
    const base::Status kept =
        edited.value().keep_backup ? keep_backup(path, before.value()) : base::Status{};
    if (!kept.ok()) {
      return kept.error();
    }
    const base::Status done = edited.value().kind == Edited::Kind::remove
                                  ? base::remove_file(path)
                                  : write_text(path, edited.value().text, new_file);
    if (!done.ok()) {
      return done.error();
    }
    drop_backup(path);
    return edited;
  }
  return base::Error{base::Errc::busy, path + " is changed by another program again and again"};
}

}  // namespace robot_council::brake
