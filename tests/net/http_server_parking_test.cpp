#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "base/mutex.hpp"
#include "net/http_client.hpp"
#include "net/http_server.hpp"
#include "tests/lib/support.hpp"
#include "tests/net/peer.hpp"

namespace robot_council::net {
namespace {

using base::Milliseconds;
using test::ask;
using test::Peer;
using test::request;
using test::Running;
using test::status_of;
using test::wait_until;

const char* name_of(Turn turn) {
  switch (turn) {
    case Turn::first:
      return "first";
    case Turn::woken:
      return "woken";
    case Turn::over:
      return "over";
    case Turn::stopping:
      return "stopping";
  }
  return "?";
}

// A server whose GET /held parks once and then answers with its turn.
class Parking : public ::testing::Test {
 protected:
  explicit Parking(const ServerOptions& options = {}) : running_(options) {
    running_.server->route("GET", "/held", [this](const ServerRequest& asked) -> HandlerResult {
      if (asked.turn == Turn::first) {
        const base::MutexLock lock(mu_);
        held_.push_back(asked.id);
        return Park{base::deadline_in(hold_)};
      }
      ServerResponse response;
      response.body = name_of(asked.turn);
      return response;
    });
    running_.server->route("GET", "/plain",
                           [](const ServerRequest&) -> HandlerResult { return ServerResponse{}; });
    running_.server->on_gone([this](RequestId id) {
      const base::MutexLock lock(mu_);
      gone_.push_back(id);
    });
  }
  std::vector<RequestId> held() {
    const base::MutexLock lock(mu_);
    return held_;
  }
  std::vector<RequestId> gone() {
    const base::MutexLock lock(mu_);
    return gone_;
  }
  std::string held_request() { return request(running_.port, "GET /held"); }

  base::Mutex mu_;
  std::vector<RequestId> held_ RC_GUARDED_BY(mu_);
  std::vector<RequestId> gone_ RC_GUARDED_BY(mu_);
  Milliseconds hold_{60000};
  Running running_;
};

TEST_F(Parking, WakeEndsTheHold) {
  running_.start();
  Peer peer(running_.port);
  ASSERT_TRUE(peer.send(held_request()));
  ASSERT_TRUE(wait_until([this] { return running_.server->parked() == 1; }));
  running_.server->wake(held());
  const std::string answer = peer.read_all();
  EXPECT_EQ(status_of(answer), 200);
  EXPECT_NE(answer.find("\r\n\r\nwoken"), std::string::npos) << answer;
  EXPECT_EQ(running_.server->parked(), 0U);
  EXPECT_TRUE(gone().empty());
}

TEST_F(Parking, TimeOver) {
  hold_ = Milliseconds(100);
  running_.start();
  EXPECT_NE(ask(running_.port, held_request()).find("\r\n\r\nover"), std::string::npos);
}

TEST_F(Parking, WakeOfOthersDoesNotEndIt) {
  hold_ = Milliseconds(300);
  running_.start();
  Peer peer(running_.port);
  ASSERT_TRUE(peer.send(held_request()));
  ASSERT_TRUE(wait_until([this] { return running_.server->parked() == 1; }));
  running_.server->wake({0, 999999});
  EXPECT_NE(peer.read_all().find("\r\n\r\nover"), std::string::npos);
}

// Acceptance 53 and section 8.9: held requests get their answer at once, then every thread ends.
TEST_F(Parking, StopGivesTheLastTurn) {
  const std::size_t before = test::thread_count();
  running_.start();
  std::vector<std::unique_ptr<Peer>> peers;
  for (int i = 0; i < 50; ++i) {
    peers.push_back(std::make_unique<Peer>(running_.port));
    ASSERT_TRUE(peers.back()->send(held_request()));
  }
  ASSERT_TRUE(wait_until([this] { return running_.server->parked() == 50; }));
  Peer unfinished(running_.port);
  ASSERT_TRUE(unfinished.send("GET /pl"));
  const auto begin = std::chrono::steady_clock::now();
  running_.server->stop(Milliseconds(10000));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, test::allowed(std::chrono::seconds(2)));
  for (const auto& peer : peers) {
    EXPECT_NE(peer->read_all().find("\r\n\r\nstopping"), std::string::npos);
  }
  EXPECT_EQ(unfinished.read_all(), "");
  EXPECT_FALSE(Peer(running_.port).connected());
  EXPECT_EQ(test::thread_count(), before);
  running_.server->stop(Milliseconds(10000));
  EXPECT_TRUE(gone().empty());
}

TEST_F(Parking, StopLetsRunningRequestsFinish) {
  std::atomic<bool> entered{false};
  std::atomic<bool> go_on{false};
  running_.server->route("GET", "/slow", [&](const ServerRequest&) -> HandlerResult {
    entered = true;
    (void)wait_until([&] { return go_on.load(); });
    ServerResponse response;
    response.body = "whole";
    return response;
  });
  running_.start();
  Peer peer(running_.port);
  ASSERT_TRUE(peer.send(request(running_.port, "GET /slow")));
  ASSERT_TRUE(wait_until([&] { return entered.load(); }));
  std::thread stopper([this] { running_.server->stop(Milliseconds(10000)); });
  ASSERT_TRUE(wait_until([this] { return !Peer(running_.port).connected(); }));
  go_on = true;
  stopper.join();
  EXPECT_NE(peer.read_all().find("\r\n\r\nwhole"), std::string::npos);
}

TEST_F(Parking, HandlerThatParksInItsLastTurnIsAnsweredFor) {
  running_.server->route("GET", "/stubborn", [](const ServerRequest&) -> HandlerResult {
    return Park{base::deadline_in(Milliseconds(60000))};
  });
  running_.start();
  Peer peer(running_.port);
  ASSERT_TRUE(peer.send(request(running_.port, "GET /stubborn")));
  ASSERT_TRUE(wait_until([this] { return running_.server->parked() == 1; }));
  running_.server->stop(Milliseconds(10000));
  EXPECT_EQ(status_of(peer.read_all()), 503);
  EXPECT_EQ(gone().size(), 1U);
}

TEST_F(Parking, HandlerThatParksWithNoTimeLeftDoesNotSpin) {
  std::atomic<int> runs{0};
  running_.server->route("GET", "/past", [&](const ServerRequest&) -> HandlerResult {
    ++runs;
    return Park{base::deadline_in(Milliseconds(-1000))};
  });
  running_.start();
  EXPECT_EQ(status_of(ask(running_.port, request(running_.port, "GET /past"))), 503);
  EXPECT_EQ(runs, 2);
}

TEST_F(Parking, HandlerMayParkAgain) {
  std::atomic<int> runs{0};
  running_.server->route("GET", "/again", [&](const ServerRequest& asked) -> HandlerResult {
    if (++runs < 4) {
      return Park{base::deadline_in(Milliseconds(20))};
    }
    ServerResponse response;
    response.body = name_of(asked.turn);
    return response;
  });
  running_.start();
  EXPECT_NE(ask(running_.port, request(running_.port, "GET /again")).find("\r\n\r\nover"),
            std::string::npos);
  EXPECT_EQ(runs, 4);
}

// Service contract 8.4 (4): a closed connection frees its place within 5 s.
TEST_F(Parking, PeerThatClosesIsGoneAtOnce) {
  running_.start();
  for (const bool reset : {false, true}) {
    Peer peer(running_.port);
    ASSERT_TRUE(peer.send(held_request()));
    ASSERT_TRUE(wait_until([this] { return running_.server->parked() == 1; }));
    if (reset) {
      const linger hard{1, 0};
      ::setsockopt(peer.fd(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    }
    peer.close();
    ASSERT_TRUE(wait_until([this] { return running_.server->parked() == 0; }, Milliseconds(2000)));
    ASSERT_TRUE(wait_until([this] { return gone() == held(); }, Milliseconds(2000)));
  }
  running_.server->wake(held());
  EXPECT_EQ(status_of(ask(running_.port, request(running_.port, "GET /plain"))), 200);
}

TEST_F(Parking, PeerThatSentMoreAndClosesIsGoneToo) {
  running_.start();
  Peer peer(running_.port);
  ASSERT_TRUE(peer.send(held_request() + held_request()));
  ASSERT_TRUE(wait_until([this] { return running_.server->parked() == 1; }));
  ASSERT_TRUE(peer.send("more"));
  peer.close();
  EXPECT_TRUE(wait_until([this] { return gone().size() == 1; }, Milliseconds(2000)));
}

TEST_F(Parking, PeerThatClosesWhileTheHandlerRunsIsGoneOnceItParks) {
  std::atomic<bool> entered{false};
  std::atomic<bool> closed{false};
  running_.server->route("GET", "/late", [&](const ServerRequest&) -> HandlerResult {
    entered = true;
    (void)wait_until([&] { return closed.load(); });
    return Park{base::deadline_in(Milliseconds(60000))};
  });
  running_.start();
  Peer peer(running_.port);
  ASSERT_TRUE(peer.send(request(running_.port, "GET /late")));
  ASSERT_TRUE(wait_until([&] { return entered.load(); }));
  peer.close();
  closed = true;
  EXPECT_TRUE(wait_until([this] { return gone().size() == 1; }, Milliseconds(2000)));
  EXPECT_EQ(running_.server->parked(), 0U);
}

// A wake between the handler's look and its parking must not be lost.
TEST_F(Parking, WakeBeforeParkIsNotLost) {
  running_.server->route("GET", "/raced", [this](const ServerRequest& asked) -> HandlerResult {
    if (asked.turn == Turn::first) {
      running_.server->wake({asked.id});
      return Park{base::deadline_in(Milliseconds(60000))};
    }
    return ServerResponse{};
  });
  running_.start();
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(status_of(ask(running_.port, request(running_.port, "GET /raced"))), 200);
  }
}

TEST_F(Parking, WakesFromAnotherThreadRacingTheParkingAreNotLost) {
  constexpr int kClients = 8;
  constexpr int kRounds = 100;
  std::atomic<RequestId> latest[kClients];
  std::atomic<bool> done{false};
  for (auto& id : latest) {
    id = 0;
  }
  running_.server->route("GET", "/raced/{}", [&](const ServerRequest& asked) -> HandlerResult {
    if (asked.turn == Turn::first) {
      latest[std::stoul(asked.captures[0])] =
          asked.id;  // from here on the waker may come at any moment, once
      return Park{base::deadline_in(Milliseconds(60000))};
    }
    return ServerResponse{};
  });
  running_.start();
  std::thread waker([&] {
    while (!done) {
      for (auto& id : latest) {
        if (const RequestId seen = id.exchange(0); seen != 0) {
          running_.server->wake({seen});
        }
      }
    }
  });
  std::vector<std::thread> clients;
  std::atomic<int> answered{0};
  clients.reserve(kClients);
  for (int client = 0; client < kClients; ++client) {
    clients.emplace_back([&, client] {
      for (int round = 0; round < kRounds; ++round) {
        const std::string answer =
            ask(running_.port, request(running_.port, "GET /raced/" + std::to_string(client)));
        answered += status_of(answer) == 200 ? 1 : 0;
      }
    });
  }
  for (std::thread& client : clients) {
    client.join();
  }
  done = true;
  waker.join();
  EXPECT_EQ(answered, kClients * kRounds);
}

class FewPlaces : public Parking {
 protected:
  FewPlaces() : Parking(options()) {}
  static ServerOptions options() {
    ServerOptions few;
    few.max_parked = 2;
    return few;
  }
};

TEST_F(FewPlaces, OverTheBoundTheHandlerAnswersAtOnce) {
  running_.start();
  EXPECT_EQ(running_.server->parked_capacity(), 2U);
  Peer first(running_.port);
  Peer second(running_.port);
  ASSERT_TRUE(first.send(held_request()));
  ASSERT_TRUE(second.send(held_request()));
  ASSERT_TRUE(wait_until([this] { return running_.server->parked() == 2; }));
  EXPECT_NE(ask(running_.port, held_request()).find("\r\n\r\nover"), std::string::npos);
  first.close();
  ASSERT_TRUE(wait_until([this] { return running_.server->parked() == 1; }));
  Peer third(running_.port);
  ASSERT_TRUE(third.send(held_request()));
  EXPECT_TRUE(wait_until([this] { return running_.server->parked() == 2; }));
}

// Acceptance 52: 1,000 held with no thread more, an ordinary call at once. (The soft limit of 1024
// is in its own test.)
TEST_F(Parking, ThousandHeldRequestsUseNoThreadAndDelayNobody) {
  running_.start();
  const std::size_t threads = test::thread_count();
  std::vector<std::unique_ptr<Peer>> peers;
  for (int i = 0; i < 1000; ++i) {
    peers.push_back(std::make_unique<Peer>(running_.port));
    ASSERT_TRUE(peers.back()->connected()) << i;
    ASSERT_TRUE(peers.back()->send(held_request()));
  }
  ASSERT_TRUE(wait_until([this] { return running_.server->parked() == 1000; }));
  EXPECT_EQ(test::thread_count(), threads);
  std::vector<std::chrono::steady_clock::duration> times;
  for (int i = 0; i < 20; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_EQ(status_of(ask(running_.port, request(running_.port, "GET /plain"))), 200);
    times.push_back(std::chrono::steady_clock::now() - begin);
  }
  std::sort(times.begin(), times.end());
  EXPECT_LT(times[times.size() / 2], test::allowed(Milliseconds(50)));
  running_.server->wake(held());
  for (const auto& peer : peers) {
    ASSERT_NE(peer->read_all().find("\r\n\r\nwoken"), std::string::npos);
  }
}

}  // namespace
}  // namespace robot_council::net
