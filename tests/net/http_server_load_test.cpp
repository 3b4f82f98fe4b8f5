#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

#include "net/http_server.hpp"
#include "net/limits.hpp"
#include "tests/lib/support.hpp"
#include "tests/net/peer.hpp"

namespace robot_council::net {
namespace {

using base::Milliseconds;
using std::chrono::steady_clock;
using test::ask;
using test::Peer;
using test::request;
using test::Running;
using test::status_of;
using test::wait_until;

void serve_plain(Running& running) {
  running.server->route("GET", "/plain",
                        [](const ServerRequest&) -> HandlerResult { return ServerResponse{}; });
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    ++count;
  }
  return count;
}

double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

Milliseconds median_of_plain(std::uint16_t port) {
  std::array<Milliseconds, 15> times{};
  for (Milliseconds& time : times) {
    const auto begin = steady_clock::now();
    EXPECT_EQ(status_of(ask(port, request(port, "GET /plain"))), 200);
    time = std::chrono::duration_cast<Milliseconds>(steady_clock::now() - begin);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

// Acceptance 56: 64 slow peers delay nobody.
TEST(ServerLoad, SlowPeersDelayNobody) {
  Running running;
  serve_plain(running);
  running.start();
  std::vector<std::unique_ptr<Peer>> slow;
  for (int i = 0; i < 64; ++i) {
    slow.push_back(std::make_unique<Peer>(running.port));
    ASSERT_TRUE(slow.back()->send(i % 2 == 0 ? "GET /plain HTTP/1.1\r\nHost: 127" : ""));
  }
  std::atomic<bool> done{false};
  std::thread drip([&] {
    while (!done) {
      for (const auto& peer : slow) {
        (void)peer->send("a");
      }
      (void)base::wait_readable(slow.front()->fd(), base::deadline_in(Milliseconds(10)));
    }
  });
  EXPECT_LT(median_of_plain(running.port), test::allowed(Milliseconds(50)));
  done = true;
  drip.join();
}

TEST(ServerLoad, PeersThatDoNotReadTheirAnswersDelayNobody) {
  Running running;
  serve_plain(running);
  running.server->route("GET", "/large", [](const ServerRequest&) -> HandlerResult {
    ServerResponse response;
    response.body = std::string(std::size_t{8} << 20U, 'x');
    return response;
  });
  running.start();
  std::vector<std::unique_ptr<Peer>> lazy;
  for (int i = 0; i < 12; ++i) {
    lazy.push_back(std::make_unique<Peer>(running.port));
    ASSERT_TRUE(lazy.back()->send(request(running.port, "GET /large")));
  }
  EXPECT_LT(median_of_plain(running.port), test::allowed(Milliseconds(50)));
  EXPECT_GT(lazy.front()->read_all().size(), std::size_t{8} << 20U)
      << "whole, when it is read at last";
}

TEST(ServerLoad, TenThousandConnectionsOpenedAndDroppedStayBounded) {
  ServerOptions options;
  options.max_parked = 64;
  Running running(options);
  serve_plain(running);
  running.start();
  const std::size_t before = open_descriptors();
  std::vector<std::unique_ptr<Peer>> open;
  std::size_t most = 0;
  for (int i = 0; i < 10000; ++i) {
    auto peer = std::make_unique<Peer>(running.port);
    ASSERT_TRUE(peer->connected()) << i;
    if (i % 4 == 0) {
      (void)peer->send("GET /pl");
    }
    open.push_back(std::move(peer));
    if (open.size() > 2000) {
      open.erase(open.begin(), open.begin() + 1000);
      most = std::max(most, open_descriptors() - before - open.size());
    }
  }
  EXPECT_LE(most, 64 + kSpareConnections + 8) << "the server's own part";
  EXPECT_LT(median_of_plain(running.port), test::allowed(Milliseconds(100)));
  open.clear();
  EXPECT_TRUE(wait_until([before] { return open_descriptors() <= before + 4; }));
}

// The oldest unfinished request makes room, held ones stay.
TEST(ServerLoad, OldestUnfinishedRequestMakesRoom) {
  ServerOptions options;
  options.max_parked = 4;
  Running running(options);
  running.server->route("GET", "/held", [](const ServerRequest& asked) -> HandlerResult {
    if (asked.turn == Turn::first) {
      return Park{base::deadline_in(Milliseconds(60000))};
    }
    return ServerResponse{};
  });
  running.start();
  Peer held(running.port);
  ASSERT_TRUE(held.send(request(running.port, "GET /held")));
  ASSERT_TRUE(wait_until([&] { return running.server->parked() == 1; }));
  Peer oldest(running.port);
  ASSERT_TRUE(oldest.send("GET"));
  std::vector<std::unique_ptr<Peer>> others;
  for (std::size_t i = 0; i < 4 + kSpareConnections; ++i) {
    others.push_back(std::make_unique<Peer>(running.port));
    ASSERT_TRUE(others.back()->connected());
  }
  EXPECT_EQ(oldest.read_all(Milliseconds(5000)), "") << "long before its own 10 s";
  EXPECT_EQ(running.server->parked(), 1U);
  EXPECT_TRUE(running.log.contains("; 1 unfinished requests were dropped so far"));
}

TEST(ServerLoad, ManyCallersAtOnceAreAllAnswered) {
  Running running;
  running.server->route("POST", "/echo", [](const ServerRequest& asked) -> HandlerResult {
    ServerResponse response;
    response.body = asked.body;
    return response;
  });
  running.start();
  std::atomic<int> right{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 8; ++caller) {
    callers.emplace_back([&, caller] {
      for (int i = 0; i < 100; ++i) {
        const std::string body = std::to_string(caller) + ":" + std::to_string(i);
        const std::string answer = ask(
            running.port, request(running.port, "POST /echo",
                                  "Content-Length: " + std::to_string(body.size()) + "\r\n", body));
        right += answer.substr(answer.find("\r\n\r\n") + 4) == body ? 1 : 0;
      }
    });
  }
  for (std::thread& caller : callers) {
    caller.join();
  }
  EXPECT_EQ(right, 800);
}

// --- few descriptors: in a process of its own, as the limit cannot be raised again ---

int fail(const char* what) {
  (void)std::fprintf(stderr, "%s\n", what);
  return 1;
}

void limit_descriptors(rlim_t soft, rlim_t hard) {
  const rlimit limit{soft, hard};
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    ::_exit(fail("setrlimit"));
  }
}

int with_soft_limit_1024() {
  limit_descriptors(1024, 4096);
  base::MemoryLog log;
  ServerOptions options;
  options.max_parked = 100000;
  const auto opened = HttpServer::open(options, log);
  rlimit now{};
  ::getrlimit(RLIMIT_NOFILE, &now);
  if (!opened.ok() || now.rlim_cur != 4096) {
    return fail("the soft limit was not raised");
  }
  if ((*opened)->parked_capacity() != 4096 - 512) {
    return fail("the bound is not the limit less 512");
  }
  if (!log.contains(
          "at most 3584 requests are held instead of 100000: the limit of open files is 4096")) {
    return fail("the cut was not said");
  }
  return 0;
}

// All descriptors of the process are used up by others: accept() fails with EMFILE.
int with_no_descriptor_left() {
  limit_descriptors(128, 128);
  base::MemoryLog log;
  const auto opened = HttpServer::open(ServerOptions{}, log);
  if (!opened.ok() || (*opened)->parked_capacity() != 0) {
    return fail("open");
  }
  HttpServer& server = **opened;
  server.route("GET", "/plain",
               [](const ServerRequest&) -> HandlerResult { return ServerResponse{}; });
  if (!server.start().ok()) {
    return fail("start");
  }
  Peer unfinished(server.port());
  (void)unfinished.send("GET");
  if (status_of(ask(server.port(), request(server.port(), "GET /plain"))) != 200) {
    return fail("the first call");
  }
  Peer late(server.port());
  Peer later(server.port());
  (void)late.send("GET");
  (void)later.send(request(server.port(), "GET /plain"));
  if (status_of(later.read_all()) != 200) {
    return fail("a call beside unfinished ones");
  }
  std::vector<base::Fd> hogs;
  Peer waiting(server.port());  // its descriptor here is there before the rest is used up
  while (true) {
    base::Fd hog(::dup(0));
    if (!hog.valid()) {
      break;
    }
    hogs.push_back(std::move(hog));
  }
  hogs.pop_back();
  Peer starved(server.port());  // takes our last one: the server has none
  if (!starved.connected()) {
    return fail("no connection");
  }
  (void)starved.send(request(server.port(), "GET /plain"));
  if (status_of(starved.read_all(Milliseconds(5000))) != 200) {  // long before their own 10 s
    return fail("an unfinished request should have made room");
  }
  return 0;
}

int spinning_without_descriptors() {
  limit_descriptors(64, 64);
  base::MemoryLog log;
  const auto opened = HttpServer::open(ServerOptions{}, log);
  if (!opened.ok() || !(*opened)->start().ok()) {
    return fail("start");
  }
  std::vector<base::Fd> hogs;
  for (base::Fd hog(::dup(0)); hog.valid(); hog = base::Fd(::dup(0))) {
    hogs.push_back(std::move(hog));
  }
  hogs.pop_back();
  Peer starved((*opened)->port());
  const double before = cpu_seconds();
  (void)base::wait_readable(starved.fd(), base::deadline_in(Milliseconds(600)));
  if (cpu_seconds() - before > 0.2) {
    return fail("it spins");
  }
  hogs.clear();
  (void)starved.send(request((*opened)->port(), "GET /none"));
  return status_of(starved.read_all()) == 404 ? 0 : fail("not served after descriptors came back");
}

class FewDescriptors : public ::testing::Test {
 protected:
  FewDescriptors() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// Acceptance 52, service contract 8.4 (4).
TEST_F(FewDescriptors, SoftLimitIsRaisedAndTheBoundCutAndSaid) {
  EXPECT_EXIT(::_exit(with_soft_limit_1024()), ::testing::ExitedWithCode(0), "");
}

TEST_F(FewDescriptors, OldestUnfinishedRequestMakesRoom) {
  EXPECT_EXIT(::_exit(with_no_descriptor_left()), ::testing::ExitedWithCode(0), "");
}

TEST_F(FewDescriptors, AcceptErrorDoesNotSpin) {
  EXPECT_EXIT(::_exit(spinning_without_descriptors()), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace robot_council::net
