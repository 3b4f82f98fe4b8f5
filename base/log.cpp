#include "base/log.hpp"

#include <unistd.h>

#include <cerrno>

namespace robot_council::base {

void StderrLog::write(Level level, std::string_view message) {
  if (level > most_) {
    return;
  }
  std::string line = "robot-council: ";
  line += message;
  line += '\n';
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t wrote = ::write(STDERR_FILENO, rest.data(), rest.size());
    if (wrote < 0) {
      if (errno == EINTR) {
        continue;
      }
      return;
    }
    rest.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

void MemoryLog::write(Level /*level*/, std::string_view message) {
  const MutexLock lock(mu_);
  lines_.emplace_back(message);
}

std::vector<std::string> MemoryLog::lines() const {
  const MutexLock lock(mu_);
  return lines_;
}

bool MemoryLog::contains(std::string_view part) const {
  const MutexLock lock(mu_);
  for (const auto& line : lines_) {
    if (line.find(part) != std::string::npos) {
      return true;
    }
  }
  return false;
}

}  // namespace robot_council::base
