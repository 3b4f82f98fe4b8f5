#include "brake/agent.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "base/child.hpp"
#include "base/fd.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "brake/disk.hpp"
#include "brake/limits.hpp"

namespace robot_council::brake {
namespace {

constexpr std::size_t kMaxProcBytes =
    std::size_t{64} * 1024;    // of /proc/<pid>/cmdline; the first arguments are at its beginning
constexpr int kArguments = 3;  // the program itself and its first two arguments

bool is_variable_name(std::string_view name) {
  if (name.empty() || (name.front() >= '0' && name.front() <= '9')) {
    return false;
  }
  return std::all_of(name.begin(), name.end(), [](char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_';
  });
}

// /proc files say size 0, so that read_followed does not fit.
std::string read_proc(pid_t pid, std::string_view name) {
  const base::Result<base::Fd> file =
      base::open_file("/proc/" + std::to_string(pid) + "/" + std::string(name), O_RDONLY);
  if (!file.ok()) {
    return {};
  }
  std::string bytes(kMaxProcBytes, '\0');
  const base::Result<std::size_t> got = base::read_some(file.value().get(), bytes);
  bytes.resize(got.value_or(0));
  return bytes;
}

std::optional<std::string> agent_program_of(pid_t pid) {
  std::string name(base::trim(read_proc(pid, "comm")));
  if (harness::is_agent_program(name)) {
    return name;
  }
  const std::vector<std::string> arguments = base::split(read_proc(pid, "cmdline"), '\0');
  for (std::size_t at = 0; at < std::min<std::size_t>(arguments.size(), kArguments); ++at) {
    name = base::base_name(arguments[at]);
    if (harness::is_agent_program(name)) {
      return name;
    }
  }
  return std::nullopt;
}

}  // namespace

AgentEnv parse_agent_env(const std::string& text) {
  AgentEnv result;
  for (const std::string& line : base::split(text, '\n')) {
    const std::string name(base::trim(std::string_view(line).substr(0, line.find('#'))));
    if (name.empty()) {
      continue;
    }
    (is_variable_name(name) ? result.names : result.bad).push_back(name);
  }
  return result;
}

AgentEnv read_agent_env(const std::string& main_checkout) {
  std::string text;
  if (read_regular(base::join_path(main_checkout, ".robot-council/agent-env"), kMaxAgentEnvBytes,
                   &text) != 0) {
    return {};
  }
  return parse_agent_env(text);
}

std::vector<harness::BrakeMarker> agent_markers(const base::Environment& environment,
                                                const std::vector<std::string>& main_checkouts) {
  std::vector<std::string> extra;
  for (const std::string& main_checkout : main_checkouts) {
    const AgentEnv added = read_agent_env(main_checkout);
    extra.insert(extra.end(), added.names.begin(), added.names.end());
  }
  struct ::stat info {};
  const bool devin = look_through(std::string(harness::kDevinFile), &info) == 0;
  return harness::find_brake_markers(
      environment, extra, devin ? harness::DevinMachine::yes : harness::DevinMachine::no);
}

std::optional<std::string> agent_ancestor() {
  pid_t pid = ::getppid();
  for (int level = 0; level < kMaxAncestors && pid > 1; ++level) {
    if (std::optional<std::string> found = agent_program_of(pid)) {
      return found;
    }
    pid = base::parent_of(pid);
  }
  return std::nullopt;
}

}  // namespace robot_council::brake
