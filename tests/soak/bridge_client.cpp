#include "tests/soak/bridge_client.hpp"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

#include "base/fd.hpp"
#include "base/json_scan.hpp"
#include "base/text.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::test {

namespace {

constexpr int kMaxDepth = 256;
constexpr std::size_t kKeptLines = 40;
constexpr std::size_t kShown = 200;

std::vector<std::int64_t> numbers_in(const std::string& line) {
  std::vector<std::int64_t> found;
  std::istringstream words(line);
  std::string word;
  while (words >> word) {
    word.erase(
        std::remove_if(word.begin(), word.end(), [](char c) { return c == ',' || c == ':'; }),
        word.end());
    if (const auto value = base::parse_digits(word)) {
      found.push_back(*value);
    }
  }
  return found;
}

// Reads lines until the end of `fd`.
template <class Take>
void each_line(int fd, const Take& take) {
  std::string rest;
  std::vector<char> buffer(1U << 16U);
  while (true) {
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n <= 0) {
      break;
    }
    std::size_t from = rest.size();
    rest.append(buffer.data(), static_cast<std::size_t>(n));
    std::size_t begin = 0;
    for (std::size_t end = rest.find('\n', from); end != std::string::npos;
         end = rest.find('\n', begin)) {
      take(rest.substr(begin, end - begin));
      begin = end + 1;
    }
    rest.erase(0, begin);
  }
  if (!rest.empty()) {
    take(rest + " [no newline at its end]");
  }
}

}  // namespace

std::optional<Usage> usage_of(pid_t pid) {
  const std::string proc = "/proc/" + std::to_string(pid);
  Usage usage;
  std::ifstream status(proc + "/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.rfind("VmRSS:", 0) == 0) {
      usage.resident_kb = std::stoll(line.substr(6));
    } else if (line.rfind("Threads:", 0) == 0) {
      usage.threads = static_cast<std::size_t>(std::stoul(line.substr(8)));
    }
  }
  std::ifstream stat(proc + "/stat");
  if (!std::getline(stat, line) || usage.resident_kb == 0) {
    return std::nullopt;
  }
  std::istringstream fields(line.substr(line.rfind(')') + 2));
  constexpr int kUserTime = 11;  // of the fields after the name
  std::string field;
  std::int64_t ticks = 0;
  for (int i = 0; fields >> field && i <= kUserTime + 1; ++i) {
    if (i >= kUserTime) {
      ticks += std::stoll(field);
    }
  }
  usage.cpu = base::Milliseconds(ticks * 1000 / ::sysconf(_SC_CLK_TCK));
  if (DIR* folder = ::opendir((proc + "/fd").c_str())) {
    while (::readdir(folder) != nullptr) {
      ++usage.descriptors;
    }
    ::closedir(folder);
  }
  return usage;
}

BridgeClient::BridgeClient(const std::string& service,
                           const std::map<std::string, std::string>& environment,
                           const std::string& directory) {
  base::ChildOptions options;
  options.argv = {program("robot-council-net"), "mcp", "--service=" + service, "--harness=claude"};
  for (const auto& [name, value] : environment) {
    options.environment.push_back(name + "=" + value);
  }
  options.directory = directory;
  options.standard_in = base::Stdio::pipe;
  options.standard_out = base::Stdio::pipe;
  options.standard_err = base::Stdio::pipe;
  base::Result<base::Child> child = base::Child::start(options);
  if (!child.ok()) {
    wrong_.push_back("the bridge could not be started: " + child.error().what);
    return;
  }
  child_ = *std::move(child);
  static_cast<void>(base::set_nonblocking(child_->standard_in.get()));
  out_ = std::thread([this] { read_out(); });
  err_ = std::thread([this] { read_err(); });
}

BridgeClient::~BridgeClient() {
  close_input();
  if (child_) {
    static_cast<void>(child_->terminate(base::Milliseconds(500)));
  }
  for (std::thread* thread : {&out_, &err_}) {
    if (thread->joinable()) {
      thread->join();
    }
  }
}

void BridgeClient::close_input() {
  const base::MutexLock lock(write_mu_);
  if (child_) {
    child_->standard_in.reset();
  }
}

void BridgeClient::line(const std::string& text) {
  const base::MutexLock lock(write_mu_);
  if (!child_ || !child_->standard_in.valid()) {
    return;
  }
  // A bridge that has just ended takes no more; whoever asked finds no answer owed then.
  static_cast<void>(base::write_all(child_->standard_in.get(), text + "\n",
                                    base::deadline_in(base::Milliseconds(20000))));
}

std::int64_t BridgeClient::request(const std::string& method, const std::string& params) {
  const std::int64_t id = next_id_++;
  {
    const base::MutexLock lock(mu_);
    owed_.insert(id);
  }
  line(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":")" + method + "\"" +
       (params.empty() ? "" : R"(,"params":)" + params) + "}");
  return id;
}

std::int64_t BridgeClient::call(const std::string& tool, const std::string& arguments) {
  return request("tools/call", R"({"name":")" + tool + R"(","arguments":)" + arguments + "}");
}

std::string BridgeClient::ask(const std::string& tool, base::Milliseconds limit) {
  {
    const base::MutexLock lock(mu_);
    keep_.insert(next_id_);
  }
  const std::int64_t id = call(tool);
  std::string answer;
  static_cast<void>(wait_until(
      [&] {
        const base::MutexLock lock(mu_);
        const auto found = kept_.find(id);
        answer = found == kept_.end() ? "" : found->second;
        return found != kept_.end();
      },
      limit));
  return answer;
}

void BridgeClient::cancel(std::int64_t id) {
  {
    const base::MutexLock lock(mu_);
    if (owed_.erase(id) > 0) {
      cancelled_.insert(id);  // its answer may be on its way
    }
  }
  line(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" +
       std::to_string(id) + "}}");
}

std::size_t BridgeClient::owed() {
  const base::MutexLock lock(mu_);
  return owed_.size();
}

std::vector<std::string> BridgeClient::wrong() {
  const base::MutexLock lock(mu_);
  return wrong_;
}

std::vector<std::pair<std::int64_t, std::int64_t>> BridgeClient::pruned() {
  const base::MutexLock lock(mu_);
  return pruned_;
}

std::int64_t BridgeClient::went_back() {
  const base::MutexLock lock(mu_);
  return went_back_;
}

std::string BridgeClient::said() {
  const base::MutexLock lock(mu_);
  std::string all;
  for (const std::string& line : said_) {
    all += line + "\n";
  }
  return all;
}

void BridgeClient::read_out() {
  each_line(child_->standard_out.get(), [this](const std::string& line) { take(line); });
}

void BridgeClient::read_err() {
  each_line(child_->standard_err.get(), [this](const std::string& line) { take_said(line); });
}

void BridgeClient::take(const std::string& line) {
  const bool whole = base::validate_json(line, kMaxDepth).ok();
  const base::MutexLock lock(mu_);
  if (!whole) {
    wrong_.push_back("no JSON on stdout: " + line.substr(0, kShown));
    return;
  }
  if (!base::json_member(line, "method").empty()) {
    return;
  }
  const std::string id(base::json_member(line, "id"));
  if (id == "null" || id.rfind("\"batch", 0) == 0) {
    return;
  }
  const auto number = base::parse_digits(id);
  const std::int64_t key = number.value_or(-1);
  ++answers_;
  if (owed_.erase(key) == 0 && cancelled_.erase(key) == 0) {
    wrong_.push_back("an answer that was not owed: " + line.substr(0, kShown));
  }
  if (keep_.erase(key) > 0) {
    kept_[key] = line;
  }
}

void BridgeClient::take_said(const std::string& line) {
  const base::MutexLock lock(mu_);
  if (line.find("robot-council: The fleet no longer keeps events ") == 0) {
    const std::vector<std::int64_t> range = numbers_in(line);
    if (range.size() == 2) {
      pruned_.emplace_back(range[0], range[1]);
    }
  } else if (line.find("robot-council: The fleet's feed went back ") == 0) {
    ++went_back_;
  } else if (line.find("secret") != std::string::npos || line.find("S|") != std::string::npos) {
    wrong_.push_back("a secret on stderr: " + line);
  }
  if (line.find("The fleet could not be reached") == std::string::npos &&
      line.find("not a protocol message") == std::string::npos) {
    said_.push_back(line);  // these two come by the hundred, and would push all others out
  }
  if (said_.size() > kKeptLines) {
    said_.pop_front();
  }
}

}  // namespace robot_council::test
