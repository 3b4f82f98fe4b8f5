// `robot-council serve` as a process (service contract, 8).

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/child.hpp"
#include "base/fd.hpp"
#include "base/files.hpp"
#include "base/json_value.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "net/http_client.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::test {
namespace {

using base::Milliseconds;

struct Answer {
  int status = 0;
  base::Json json;
  std::string body;
};

// One `serve` child on a port of its own, ended with the object.
class Serving {
 public:
  // `words` are put behind "serve --listen 127.0.0.1:0 --data DIR".
  Serving(const std::string& data, const std::vector<std::string>& words,
          std::vector<std::string> wrapper = {}) {
    base::ChildOptions options;
    options.argv = std::move(wrapper);
    for (const std::string& word :
         {program("robot-council-net"), std::string("serve"), std::string("--listen"),
          std::string("127.0.0.1:0"), std::string("--data"), data}) {
      options.argv.push_back(word);
    }
    options.argv.insert(options.argv.end(), words.begin(), words.end());
    options.environment = {"HOME=" + base::parent_path(data), "PATH=/usr/bin:/bin"};
    options.standard_out = base::Stdio::pipe;
    options.standard_err = base::Stdio::null;
    auto child = base::Child::start(options);
    if (!child) {
      ADD_FAILURE() << child.error().what;
      return;
    }
    child_ = std::make_unique<base::Child>(*std::move(child));
    read_line();
  }

  [[nodiscard]] bool running() const { return !address_.empty(); }
  [[nodiscard]] const std::string& line() const { return line_; }
  [[nodiscard]] const std::string& address() const { return address_; }
  [[nodiscard]] pid_t pid() const { return child_->pid(); }
  [[nodiscard]] std::uint16_t port() const {
    return static_cast<std::uint16_t>(
        base::parse_digits(address_.substr(address_.rfind(':') + 1)).value_or(0));
  }
  void send_signal(int number) { child_->send_signal(number); }
  base::ExitStatus wait() {
    auto ended = child_->wait(test::in_time());
    if (!ended) {
      ADD_FAILURE() << ended.error().what;
      return {};
    }
    return *ended;
  }

  Answer call(const std::string& method, const std::string& target, const std::string& token,
              const std::string& body = "{}") const {
    Answer answer;
    auto client = net::HttpClient::open(*net::parse_url(address_), {});
    net::ClientRequest request;
    request.method = method;
    request.target = target;
    if (!token.empty()) {
      request.headers.emplace_back("Authorization", "Bearer " + token);
    }
    if (method != "GET") {
      request.body = body;
    }
    auto response = client->send(request, base::deadline_in(Milliseconds(40000)));
    if (response) {
      answer.status = response->status;
      answer.body = response->body;
      auto json = base::parse_bounded(response->body, std::size_t{1} << 20U);
      answer.json = json ? *std::move(json) : base::Json();
    }
    return answer;
  }

 private:
  void read_line() {
    const auto deadline = base::deadline_in(Milliseconds(30000));
    while (line_.find('\n') == std::string::npos) {
      auto ready = base::wait_readable(child_->standard_out.get(), deadline);
      std::string part(512, '\0');
      const auto n = ready && *ready == base::Ready::yes
                         ? base::read_some(child_->standard_out.get(), part)
                         : base::Result<std::size_t>(std::size_t{0});
      if (!n || *n == 0) {
        return;
      }
      line_ += part.substr(0, *n);
    }
    const std::string prefix = "listening on ";
    if (line_.rfind(prefix, 0) == 0) {
      address_ = line_.substr(prefix.size(), line_.size() - prefix.size() - 1);
    }
  }

  std::unique_ptr<base::Child> child_;
  std::string line_;
  std::string address_;
};

const std::string kApi = "/robot-council/api/";

// An installation's token; needs --auto-approve.
std::string enrol(const Serving& serving, const std::string& label) {
  const std::string verifier(43, 'v');
  const Answer code =
      serving.call("POST", kApi + "device/code", "",
                   R"({"harness":"claude","machine_label":")" + label +
                       R"(","requested_abilities":["tasks:create"],"code_challenge":")" +
                       base::sha256_hex(verifier) + "\"}");
  EXPECT_EQ(code.status, 201) << code.body;
  const Answer token =
      serving.call("POST", kApi + "device/token", "",
                   R"({"device_code":")" + base::get_string(code.json, "device_code").value_or("") +
                       R"(","code_verifier":")" + verifier + "\"}");
  EXPECT_EQ(token.status, 201) << token.body;
  return base::get_string(token.json, "token").value_or("");
}

std::string start_session(const Serving& serving, const std::string& installation) {
  const Answer started = serving.call("POST", kApi + "sessions", installation);
  EXPECT_EQ(started.status, 201) << started.body;
  return base::get_string(started.json, "token").value_or("");
}

TEST(Serve, PrintsOneLineWithThePortItAnswersOn) {  // acceptance 54
  const TempDir folder;
  Serving serving(folder / "fleet", {});
  ASSERT_TRUE(serving.running()) << serving.line();
  EXPECT_EQ(serving.line(),
            "listening on http://127.0.0.1:" + std::to_string(serving.port()) + "\n");
  EXPECT_EQ(serving.call("GET", "/healthz", "").status, 200);
  EXPECT_EQ(read_text(folder / "fleet/service.url"), serving.address() + "\n");
  serving.send_signal(SIGTERM);
  EXPECT_EQ(serving.wait().code, 0);
  EXPECT_FALSE(base::exists(folder / "fleet/service.url"));
}

TEST(Serve, RefusesWhatIsNotSafe) {  // acceptance 55
  const TempDir folder;
  const std::map<std::string, std::string> environment = {{"HOME", folder.path()}};
  const std::string net = program("robot-council-net");
  const Ran open =
      run({net, "serve", "--listen", "0.0.0.0:0", "--data", folder / "a"}, environment);
  EXPECT_EQ(open.code, 1);
  EXPECT_NE(open.err.find("--behind-proxy"), std::string::npos) << open.err;
  const Ran both = run(
      {net, "serve", "--behind-proxy", "--public-url", "https://f.example.org", "--auto-approve"},
      environment);
  EXPECT_EQ(both.code, 2);
  Serving serving(folder / "fleet", {});
  ASSERT_TRUE(serving.running());
  const Ran second =
      run({net, "serve", "--listen", "127.0.0.1:0", "--data", folder / "fleet"}, environment);
  EXPECT_EQ(second.code, 1);
  EXPECT_NE(second.err.find("pid " + std::to_string(serving.pid())), std::string::npos)
      << second.err;
  const Ran port = run({net, "serve", "--listen", "127.0.0.1:" + std::to_string(serving.port()),
                        "--data", folder / "b"},
                       environment);
  EXPECT_EQ(port.code, 1);
  EXPECT_EQ(port.out, "");
  EXPECT_EQ(serving.call("GET", "/healthz", "").status, 200);
}

TEST(Serve, RefusesATokenThatOthersCanRead) {  // acceptance 59
  const TempDir folder;
  {
    Serving first(folder / "fleet", {});
    ASSERT_TRUE(first.running());
    first.send_signal(SIGINT);
    EXPECT_EQ(first.wait().code, 0);
  }
  EXPECT_EQ(base::file_info(folder / "fleet/operator.token", base::Links::dont)->mode, 0600U);
  ASSERT_TRUE(base::set_mode(folder / "fleet/operator.token", 0644).ok());
  const Ran refused = run({program("robot-council-net"), "serve", "--listen", "127.0.0.1:0",
                           "--data", folder / "fleet"},
                          {{"HOME", folder.path()}});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("chmod 600"), std::string::npos) << refused.err;
}

TEST(Serve, ATermAnswersHeldReadsAndEndsWithZero) {  // acceptance 53
  const TempDir folder;
  Serving serving(folder / "fleet", {"--auto-approve"});
  ASSERT_TRUE(serving.running());
  const std::string token = start_session(serving, enrol(serving, "one"));
  Answer held;
  std::thread reader([&] {
    held = serving.call("GET", kApi + "events?after=1&wait=25&acknowledge=false", token);
  });
  const std::string operator_token(base::trim(read_text(folder / "fleet/operator.token")));
  EXPECT_TRUE(wait_until([&] {
    const Answer seen = serving.call("GET", kApi + "operator/overview", operator_token);
    return seen.json.contains("counts") && seen.json["counts"]["held_requests"] == 1;
  }));
  serving.send_signal(SIGTERM);
  reader.join();
  EXPECT_EQ(held.status, 200);
  EXPECT_TRUE(held.json["events"].empty());
  EXPECT_EQ(serving.wait().code, 0);
}

// What the clients of one round were told.
struct Told {
  std::mutex mu;
  std::vector<std::int64_t> events;
  std::vector<std::int64_t> created;
  std::vector<std::int64_t> claimed;
};

void load(const Serving& serving, const std::string& token, Told& told,
          const std::atomic<bool>& stop) {
  while (!stop) {
    const Answer narrated = serving.call("POST", kApi + "events", token, R"({"body":"x"})");
    const Answer created = serving.call("POST", kApi + "tasks", token, R"({"title":"t"})");
    const std::int64_t id = base::get_integer(created.json, "task_id").value_or(0);
    const Answer claimed =
        id == 0 ? Answer()
                : serving.call("POST", kApi + "tasks/" + std::to_string(id) + "/claim", token);
    const std::scoped_lock lock(told.mu);
    if (narrated.status == 201) {
      told.events.push_back(base::get_integer(narrated.json, "event_id").value_or(0));
    }
    if (created.status == 201) {
      told.created.push_back(id);
    }
    if (claimed.status == 200) {
      told.claimed.push_back(id);
    }
  }
}

// Every event of the feed: id -> (type, task).
std::map<std::int64_t, std::pair<std::string, std::int64_t>> whole_feed(const Serving& serving,
                                                                        const std::string& token) {
  std::map<std::int64_t, std::pair<std::string, std::int64_t>> feed;
  std::int64_t after = 0;
  for (;;) {
    const Answer page =
        serving.call("GET", kApi + "operator/events?after=" + std::to_string(after), token);
    const std::int64_t cursor = base::get_integer(page.json, "cursor").value_or(after);
    if (cursor == after) {
      return feed;
    }
    for (const auto& event : page.json["events"]) {
      feed[event["id"].get<std::int64_t>()] = {
          event["type"].get<std::string>(),
          base::get_integer(event["meta"], "task_id").value_or(0)};
    }
    after = cursor;
  }
}

TEST(Serve, FiftyKillsUnderLoadLoseNoAnsweredWriteAndTearNothingApart) {  // acceptance 30, 58
  const TempDir folder;
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::vector<std::string> words = {"--auto-approve", "--no-rate-limit"};
  Told told;
  std::string token;
  for (int round = 0; round < 50; ++round) {
    Serving serving(folder / "fleet", words);
    ASSERT_TRUE(serving.running()) << "round " << round;
    if (token.empty()) {
      token = start_session(serving, enrol(serving, "one"));
    }
    std::atomic<bool> stop{false};
    std::vector<std::thread> clients;
    for (int c = 0; c < 3; ++c) {
      clients.emplace_back([&] { load(serving, token, told, stop); });
    }
    const auto until =
        base::deadline_in(Milliseconds(std::uniform_int_distribution<int>(5, 90)(random)));
    while (base::time_left(until).count() > 0) {
      std::this_thread::yield();
    }
    serving.send_signal(SIGKILL);
    stop = true;
    for (auto& client : clients) {
      client.join();
    }
    (void)serving.wait();
  }
  ASSERT_GT(told.events.size(), 20U) << "the load was no load";
  Serving serving(folder / "fleet", words);
  ASSERT_TRUE(serving.running());
  const std::string operator_token(base::trim(read_text(folder / "fleet/operator.token")));
  const auto feed = whole_feed(serving, operator_token);
  for (const std::int64_t id : told.events) {
    ASSERT_TRUE(feed.count(id) == 1 && feed.at(id).first == "narration") << id;
  }
  std::map<std::int64_t, std::string> of_events;  // what the feed says each task's status is
  for (const auto& [id, event] : feed) {
    if (event.first == "task.created" || event.first == "task.claimed") {
      of_events[event.second] = event.first == "task.created" ? "pending" : "claimed";
    }
  }
  std::map<std::int64_t, std::string> of_tasks;
  std::string cursor;
  for (;;) {
    const Answer page = serving.call("GET", kApi + "tasks?limit=100" + cursor, token);
    ASSERT_EQ(page.status, 200) << page.body;
    if (page.json["tasks"].empty()) {
      break;
    }
    for (const auto& task : page.json["tasks"]) {
      of_tasks[task["id"].get<std::int64_t>()] = task["status"].get<std::string>();
    }
    cursor = "&after_priority=0&after_id=" + std::to_string(of_tasks.rbegin()->first);
  }
  EXPECT_EQ(of_tasks, of_events) << "no event without its change, no change without its event";
  for (const std::int64_t id : told.created) {
    EXPECT_EQ(of_tasks.count(id), 1U) << id;
  }
  for (const std::int64_t id : told.claimed) {
    EXPECT_EQ(of_tasks[id], "claimed") << id;
  }
}

int threads_of(pid_t pid) {
  const std::string status = read_text("/proc/" + std::to_string(pid) + "/status");
  const std::size_t at = status.find("Threads:");
  return at == std::string::npos ? -1 : std::stoi(status.substr(at + 8));
}

// A held read over a socket of its own.
base::Fd hold(std::uint16_t port, const std::string& token, std::int64_t after) {
  base::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
      0) {  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast): the socket interface
    return {};
  }
  const std::string request = "GET " + kApi +
                              "events?acknowledge=false&wait=25&after=" + std::to_string(after) +
                              " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                              "\r\nAuthorization: Bearer " + token + "\r\n\r\n";
  EXPECT_TRUE(base::write_all(socket.get(), request, test::in_time()).ok());
  return socket;
}

TEST(Serve, AThousandHeldReadsTakeNoThreadAndOneEventWakesThemAll) {  // acceptance 52
  struct rlimit limit {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  limit.rlim_cur = limit.rlim_max;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  if (limit.rlim_cur < 4096) {
    GTEST_SKIP() << "this process may open " << limit.rlim_cur
                 << " descriptors; the test needs 4096";
  }
  const TempDir folder(TempDir::Place::memory);
  Serving serving(folder / "fleet", {"--auto-approve", "--no-rate-limit"},
                  {"/bin/sh", "-c", "ulimit -Sn 1024 && exec \"$@\"", "sh"});
  ASSERT_TRUE(serving.running());
  const std::string installation = enrol(serving, "one");
  std::vector<std::string> tokens;
  for (int i = 0; i < 500; ++i) {
    tokens.push_back(start_session(serving, installation));
  }
  const std::string operator_token(base::trim(read_text(folder / "fleet/operator.token")));
  const auto overview = [&] {
    return serving.call("GET", kApi + "operator/overview", operator_token).json;
  };
  const int threads = threads_of(serving.pid());
  const std::int64_t head = overview()["cursor"].get<std::int64_t>();
  std::vector<base::Fd> held;
  for (int i = 0; i < 1000; ++i) {
    held.push_back(hold(serving.port(), tokens[static_cast<std::size_t>(i) % tokens.size()], head));
    ASSERT_TRUE(held.back().valid()) << i;
  }
  ASSERT_TRUE(wait_until([&] { return overview()["counts"]["held_requests"] == 1000; }));
  EXPECT_EQ(threads_of(serving.pid()), threads);
  std::vector<Milliseconds> calls;
  for (int i = 0; i < 21; ++i) {
    const auto began = std::chrono::steady_clock::now();
    EXPECT_EQ(serving.call("POST", kApi + "agent/heartbeat", tokens[0]).status, 200);
    calls.push_back(
        std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - began));
  }
  std::sort(calls.begin(), calls.end());
  EXPECT_LT(calls[calls.size() / 2], test::allowed(Milliseconds(50)))
      << "median of an ordinary call";
  ASSERT_EQ(
      serving.call("POST", kApi + "operator/directives", operator_token, R"({"body":"wake up"})")
          .status,
      201);
  for (auto& socket : held) {
    const auto answer = base::read_all(socket.get(), std::size_t{64} << 10U, test::in_time());
    ASSERT_TRUE(answer.ok());
    ASSERT_NE(answer->find("wake up"), std::string::npos) << *answer;
  }
}

// One command line of `robot-council fleet` on the folder of a serve.
class FleetCommands {
 public:
  explicit FleetCommands(std::string data) : data_(std::move(data)) {}
  Ran operator()(std::vector<std::string> words,
                 std::map<std::string, std::string> more = {}) const {
    std::vector<std::string> argv = {program("robot-council-net"), "fleet"};
    argv.insert(argv.end(), words.begin(), words.end());
    argv.insert(argv.end(), {"--data", data_});
    more["HOME"] = base::parent_path(data_);
    return run(argv, more, {}, base::parent_path(data_));
  }

 private:
  std::string data_;
};

TEST(FleetCommands, EachWorksEndToEnd) {  // acceptance 62
  const TempDir folder;
  Serving serving(folder / "fleet", {"--login", "ana"});
  ASSERT_TRUE(serving.running());
  const FleetCommands fleet(folder / "fleet");
  const std::string verifier(43, 'v');
  const auto ask = [&](const std::string& label) {
    return serving.call("POST", kApi + "device/code", "",
                        R"({"harness":"claude","machine_label":")" + label +
                            R"(","requested_abilities":["tasks:create"],"code_challenge":")" +
                            base::sha256_hex(verifier) + "\"}");
  };
  const auto code_of = [](const Answer& code) {
    return base::get_string(code.json, "user_code").value_or("");
  };
  const Answer unwanted = ask("other");
  EXPECT_NE(fleet({"deny", code_of(unwanted)}).out.find("is denied."), std::string::npos);
  const Answer code = ask("laptop");
  EXPECT_NE(fleet({"overview"}).out.find(code_of(code)), std::string::npos)
      << "a waiting code is shown";
  const Ran approved = fleet({"approve", code_of(code)});
  EXPECT_EQ(approved.code, 0) << approved.err;
  EXPECT_EQ(approved.out, "The enrolment " + code_of(code) + " is approved.\n");
  EXPECT_EQ(fleet({"approve", code_of(code)}).code, 1) << "decided already";
  const Answer token =
      serving.call("POST", kApi + "device/token", "",
                   R"({"device_code":")" + base::get_string(code.json, "device_code").value_or("") +
                       R"(","code_verifier":")" + verifier + "\"}");
  const std::string session =
      start_session(serving, base::get_string(token.json, "token").value_or(""));
  ASSERT_EQ(serving.call("POST", kApi + "agent/role", session, R"({"role":"ci"})").status, 202);
  EXPECT_EQ(fleet({"deny-role", "1"}).out, "Session 1 was refused ci and stays build.\n");
  ASSERT_EQ(serving.call("POST", kApi + "agent/role", session, R"({"role":"coordinator"})").status,
            202);
  EXPECT_EQ(fleet({"role", "1", "coordinator"}).out, "Session 1: approved as coordinator.\n");
  EXPECT_EQ(fleet({"role", "1", "ci"}).out, "Session 1: imposed as ci.\n");
  EXPECT_EQ(fleet({"role", "1", "ci"}).out, "Session 1 holds it already: ci.\n");
  const Ran directed = fleet({"direct", "--to", "1", "go", "on"});
  EXPECT_EQ(directed.code, 0) << directed.err;
  EXPECT_EQ(directed.out.find("Posted as event "), 0U) << directed.out;
  EXPECT_EQ(directed.out.find('\n'), directed.out.size() - 1) << directed.out;
  ASSERT_EQ(
      serving.call("POST", kApi + "events", session, R"({"body":"a\u001b[31mred\u0007\nline"})")
          .status,
      201);
  const Ran feed = fleet({"feed"});
  EXPECT_NE(feed.out.find(" ana directive: go on\n"), std::string::npos) << feed.out;
  EXPECT_NE(feed.out.find(" session 1 (ana) narration: a[31mredline\n"), std::string::npos)
      << feed.out;
  EXPECT_NE(fleet({"feed", "--json"}).out.find("\"targets\":[1]"), std::string::npos);
  const Ran json = fleet({"overview", "--json"});
  EXPECT_TRUE(base::parse_bounded(json.out, std::size_t{1} << 20U).ok());
  EXPECT_EQ(fleet({"revoke", "session", "1"}).out, "The session 1 is revoked.\n");
  EXPECT_EQ(serving.call("GET", kApi + "agent/session", session).status, 401);
  EXPECT_EQ(fleet({"revoke", "installation", "1"}).code, 0);
  EXPECT_EQ(fleet({"revoke", "everything", "1"}).code, 2);
  EXPECT_EQ(fleet({"revoke", "session", "99"}).code, 1);
}

// A person would wait for an answer of a fleet in which nobody is.
TEST(FleetCommands, ADirectiveThatNobodyHearsSaysSo) {
  const TempDir folder;
  Serving serving(folder / "fleet", {"--auto-approve"});
  ASSERT_TRUE(serving.running());
  const FleetCommands fleet(folder / "fleet");
  const Ran unheard = fleet({"direct", "rebase"});
  EXPECT_EQ(unheard.code, 0) << unheard.err;
  EXPECT_EQ(unheard.err, "");
  EXPECT_EQ(unheard.out,
            "Posted as event 1.\nNo session is live, so nobody was there to get it, and one that "
            "joins later starts after it: post it again then.\n");
  EXPECT_EQ(fleet({"direct", "--json", "rebase"}).out, "{\"event_id\":2,\"type\":\"directive\"}\n");
  // A session for one call hears nothing.
  const std::string installation = enrol(serving, "one");
  ASSERT_EQ(serving.call("POST", kApi + "sessions", installation, R"({"ephemeral":true})").status,
            201);
  EXPECT_NE(fleet({"direct", "again"}).out.find("No session is live"), std::string::npos);
  // The one that joins later does not get them; what comes then it does.
  const std::string session = start_session(serving, installation);
  const Ran heard = fleet({"direct", "now"});
  EXPECT_EQ(heard.out.find('\n'), heard.out.size() - 1) << heard.out;
  const Answer page = serving.call("GET", kApi + "events", session);
  ASSERT_EQ(page.status, 200) << page.body;
  EXPECT_EQ(page.body.find("rebase"), std::string::npos) << page.body;
  EXPECT_EQ(page.body.find("again"), std::string::npos) << page.body;
  EXPECT_NE(page.body.find("\"now\""), std::string::npos) << page.body;
}

TEST(FleetCommands, ActsRefuseAnAgentAndReadsDoNot) {
  const TempDir folder;
  Serving serving(folder / "fleet", {});
  ASSERT_TRUE(serving.running());
  const FleetCommands fleet(folder / "fleet");
  const std::map<std::string, std::string> agent = {{"CLAUDECODE", "1"}};
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"approve", "BCDFGHJK"},
                                             {"deny", "BCDFGHJK"},
                                             {"role", "1", "ci"},
                                             {"deny-role", "1"},
                                             {"revoke", "session", "1"},
                                             {"direct", "go"}}) {
    const Ran refused = fleet(words, agent);
    EXPECT_EQ(refused.code, 1) << words.front();
    EXPECT_NE(refused.err.find("only a person may do this"), std::string::npos) << refused.err;
  }
  EXPECT_EQ(fleet({"overview"}, agent).code, 0);
  const Ran feed = fleet({"feed"}, agent);
  EXPECT_EQ(feed.code, 0);
  EXPECT_EQ(feed.out, "") << "nothing was posted";
}

TEST(FleetCommands, SendNoTokenWhereNoServeRuns) {
  const TempDir folder;
  {
    Serving serving(folder / "fleet", {});
    ASSERT_TRUE(serving.running());
  }
  const Ran refused = FleetCommands(folder / "fleet")({"overview"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("no `serve` runs"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace robot_council::test
