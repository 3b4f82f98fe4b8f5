#include "bridge/place.hpp"

#include <sys/utsname.h>

#include <algorithm>

#include "base/files.hpp"
#include "base/text.hpp"
#include "bridge/limits.hpp"
#include "service-api/patterns.hpp"

namespace robot_council::bridge {

namespace {

constexpr std::size_t kMaxConfigBytes = std::size_t{1} << 20U;
constexpr std::size_t kMaxPathBytes = 4096;

bool is_github(std::string_view host) {
  const std::string lower = base::to_lower_ascii(host);
  return lower == "github.com" || lower == "www.github.com";
}

// Host and path of `scheme://[user[:password]@]host[:port]/path` or `[user@]host:path`.
bool split_remote(std::string_view remote, std::string_view& host, std::string_view& path) {
  const std::size_t scheme = remote.find("://");
  if (scheme != std::string_view::npos) {
    std::string_view rest = remote.substr(scheme + 3);
    const std::size_t slash = rest.find('/');
    if (slash == std::string_view::npos) {
      return false;
    }
    std::string_view authority = rest.substr(0, slash);
    path = rest.substr(slash + 1);
    const std::size_t at = authority.rfind('@');
    if (at != std::string_view::npos) {
      authority.remove_prefix(at + 1);
    }
    host = authority.substr(0, authority.find(':'));
    return true;
  }
  const std::size_t colon = remote.find(':');
  if (colon == std::string_view::npos ||
      remote.substr(0, colon).find('/') != std::string_view::npos) {
    return false;
  }
  host = remote.substr(0, colon);
  path = remote.substr(colon + 1);
  const std::size_t at = host.rfind('@');
  if (at != std::string_view::npos) {
    host.remove_prefix(at + 1);
  }
  return true;
}

std::string trimmed_file(const std::string& path, std::size_t max_bytes) {
  base::Result<std::string> text = base::read_file(path, max_bytes);
  return text.ok() ? std::string(base::trim(*text)) : std::string();
}

// A value of a git configuration: blanks around it, one pair of quotes and a comment removed.
std::string config_value(std::string_view raw) {
  std::string value;
  bool quoted = false;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const char c = raw[i];
    if (c == '"') {
      quoted = !quoted;
    } else if (c == '\\' && i + 1 < raw.size()) {
      value.push_back(raw[++i]);
    } else if (!quoted && (c == '#' || c == ';')) {
      break;
    } else {
      value.push_back(c);
    }
  }
  return std::string(base::trim(value));
}

bool is_origin_section(std::string_view line) {
  const std::size_t end = line.find(']');
  if (end == std::string_view::npos) {
    return false;
  }
  const std::string_view inside = base::trim(line.substr(1, end - 1));
  if (!base::starts_with_ignoring_case(inside, "remote")) {
    return false;
  }
  return base::trim(inside.substr(6)) == "\"origin\"";
}

}  // namespace

std::optional<std::string> checked_repository(std::string_view text) {
  return service_api::is_repository(text) ? std::optional<std::string>(text) : std::nullopt;
}

std::optional<std::string> repository_of_remote(std::string_view remote) {
  std::string_view host;
  std::string_view path;
  if (!split_remote(base::trim(remote), host, path) || !is_github(host)) {
    return std::nullopt;
  }
  while (!path.empty() && path.front() == '/') {
    path.remove_prefix(1);
  }
  while (!path.empty() && path.back() == '/') {
    path.remove_suffix(1);
  }
  constexpr std::string_view kSuffix = ".git";
  if (path.size() > kSuffix.size() && path.substr(path.size() - kSuffix.size()) == kSuffix) {
    path.remove_suffix(kSuffix.size());
  }
  return checked_repository(path);
}

std::optional<std::string> reduced_location(std::string_view text) {
  std::string kept;
  for (const char c : base::to_lower_ascii(text)) {
    const bool letter = c >= 'a' && c <= 'z';
    const bool digit = c >= '0' && c <= '9';
    if (letter || digit || c == '.' || c == '_' || c == '-') {
      kept.push_back(c);
    }
  }
  kept.erase(0, std::min(kept.find_first_not_of('-'), kept.size()));
  kept.resize(std::min(kept.size(), kMaxLocation));
  if (kept.find_first_not_of('.') == std::string::npos) {
    return std::nullopt;
  }
  return kept;
}

std::string origin_of_config(std::string_view config) {
  std::string url;
  bool in_origin = false;
  for (const std::string& raw : base::split(config, '\n')) {
    const std::string_view line = base::trim(raw);
    if (line.empty() || line.front() == '#' || line.front() == ';') {
      continue;
    }
    if (line.front() == '[') {
      in_origin = is_origin_section(line);
      continue;
    }
    const std::size_t equals = line.find('=');
    if (in_origin && equals != std::string_view::npos &&
        base::equals_ignoring_case(base::trim(line.substr(0, equals)), "url")) {
      url = config_value(line.substr(equals + 1));
    }
  }
  return url;
}

Place place_of_checkout(const std::string& git_directory) {
  Place place;
  if (!base::exists(base::join_path(git_directory, "HEAD"))) {
    return place;
  }
  std::string common = git_directory;
  const std::string link = trimmed_file(base::join_path(git_directory, "commondir"), kMaxPathBytes);
  if (!link.empty()) {
    common = link.front() == '/' ? link : base::join_path(git_directory, link);
    // Only a linked worktree has one: its folder's name is the worktree's.
    place.work_location = reduced_location(base::base_name(git_directory));
  } else {
    place.work_location = "primary";
  }
  base::Result<std::string> config =
      base::read_file(base::join_path(common, "config"), kMaxConfigBytes);
  if (config.ok()) {
    place.repository = repository_of_remote(origin_of_config(*config));
  }
  return place;
}

Platform platform_of(std::string_view system, std::string_view machine) {
  Platform platform;
  platform.os_family = "Unknown";
  if (system == "Linux" || system == "Darwin") {
    platform.os_family = std::string(system);
  } else if (system == "SunOS") {
    platform.os_family = "Solaris";
  } else if ((system.size() >= 3 && system.substr(system.size() - 3) == "BSD") ||
             system == "DragonFly") {
    platform.os_family = "BSD";
  } else if (base::starts_with_ignoring_case(system, "windows")) {
    platform.os_family = "Windows";
  }
  const std::string arch = base::to_lower_ascii(machine);
  if (service_api::is_arch(arch)) {
    platform.arch = arch;
  }
  return platform;
}

Platform this_platform() {
  utsname name{};
  if (::uname(&name) != 0) {
    return platform_of("", "");
  }
  return platform_of(name.sysname, name.machine);
}

}  // namespace robot_council::bridge
