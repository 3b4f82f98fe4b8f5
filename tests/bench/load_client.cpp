// One held read for each of many sessions, and a poster beside them: how long an event takes to
// every reader, and whether each reader sees each event once.
//   usage: load_client PORT SECONDS EVENTS_A_SECOND OPERATOR_TOKEN < sessions     (a line each: ID
//   TOKEN CURSOR)
// Prints key=value lines; exit 1 when an event was lost or came twice.

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

std::int64_t now_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now().time_since_epoch())
      .count();
}

sockaddr_in service;

struct Reader {
  std::int64_t id = 0;
  std::string token;
  std::int64_t cursor = 0;  // of the next read
  std::int64_t newest = 0;  // id of the last event seen
  int fd = -1;
  bool sent = false;
  std::string answer;
};

struct Tally {
  std::vector<double> delays;  // ms, message posted to answer read
  std::int64_t events = 0;
  std::int64_t lost = 0;
  std::int64_t doubled = 0;
  std::int64_t failures = 0;  // answers that are no 200
  std::string failure;
  std::int64_t reads = 0;
};

std::int64_t number_at(const std::string& text, std::size_t at) {
  return std::strtoll(text.c_str() + at, nullptr, 10);
}

void fail(const char* what) {
  std::perror(what);
  std::exit(2);
}

void begin(Reader& reader, int epoll) {
  reader.fd = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (reader.fd < 0) {
    fail("socket");
  }
  const int on = 1;
  (void)::setsockopt(reader.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  reader.sent = false;
  reader.answer.clear();
  if (::connect(reader.fd, reinterpret_cast<const sockaddr*>(&service), sizeof service) != 0 &&
      errno != EINPROGRESS) {
    fail("connect");
  }
  epoll_event event{};
  event.events = EPOLLOUT;
  event.data.ptr = &reader;
  if (::epoll_ctl(epoll, EPOLL_CTL_ADD, reader.fd, &event) != 0) {
    fail("epoll_ctl");
  }
}

void send_request(Reader& reader, int epoll) {
  const std::string request =
      "GET /robot-council/api/events?acknowledge=false&wait=25&after=" +
      std::to_string(reader.cursor) +
      " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(ntohs(service.sin_port)) +
      "\r\nAuthorization: Bearer " + reader.token + "\r\nConnection: close\r\n\r\n";
  if (::send(reader.fd, request.data(), request.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(request.size())) {
    fail("send");
  }
  reader.sent = true;
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = &reader;
  (void)::epoll_ctl(epoll, EPOLL_CTL_MOD, reader.fd, &event);
}

// One developer: every reader sees every event, so ids are without gaps.
void take(Reader& reader, Tally& tally) {
  const std::int64_t now = now_us();
  ++tally.reads;
  const std::string& text = reader.answer;
  if (text.compare(0, 12, "HTTP/1.1 200") != 0) {
    ++tally.failures;
    tally.failure = text.substr(0, 200);
    return;
  }
  for (std::size_t at = text.find("{\"id\":"); at != std::string::npos;
       at = text.find("{\"id\":", at + 1)) {
    const std::int64_t id = number_at(text, at + 6);
    ++tally.events;
    if (id <= reader.newest) {
      ++tally.doubled;
    } else {
      tally.lost += id - reader.newest - 1;
      reader.newest = id;
    }
    const std::size_t end = text.find("{\"id\":", at + 1);
    const std::size_t body = text.find("\"body\":\"t=", at);
    if (body != std::string::npos && body < end) {
      tally.delays.push_back(static_cast<double>(now - number_at(text, body + 10)) / 1000.0);
    }
  }
  const std::size_t cursor = text.rfind("\"cursor\":");
  if (cursor != std::string::npos) {
    reader.cursor = number_at(text, cursor + 9);
  }
}

// True when the whole answer is there.
bool receive(Reader& reader) {
  char bytes[16384];
  for (;;) {
    const ssize_t some = ::recv(reader.fd, bytes, sizeof bytes, 0);
    if (some > 0) {
      reader.answer.append(bytes, static_cast<std::size_t>(some));
    } else if (some == 0) {
      return true;
    } else {
      return errno != EAGAIN;
    }
  }
}

// A POST and its answer, on a connection of its own.
std::string post(const std::string& path, const std::string& token, const std::string& body) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || ::connect(fd, reinterpret_cast<const sockaddr*>(&service), sizeof service) != 0) {
    fail("connect");
  }
  const std::string request =
      "POST /robot-council/api/" + path +
      " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(ntohs(service.sin_port)) +
      "\r\nAuthorization: Bearer " + token +
      "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
      "\r\nConnection: close\r\n\r\n" + body;
  (void)::send(fd, request.data(), request.size(), MSG_NOSIGNAL);
  std::string answer;
  char bytes[4096];
  for (ssize_t some = 0; (some = ::recv(fd, bytes, sizeof bytes, 0)) > 0;) {
    answer.append(bytes, static_cast<std::size_t>(some));
  }
  ::close(fd);
  if (answer.compare(0, 10, "HTTP/1.1 2") != 0) {
    std::fprintf(stderr, "load_client: POST %s: %s\n", path.c_str(), answer.substr(0, 300).c_str());
    std::exit(2);
  }
  return answer;
}

std::string timed(const std::string& more) {
  return "{\"body\":\"t=" + std::to_string(now_us()) + "\"" + more + "}";
}

// Directives and narrations to all and to one, tasks and locks of the first hundred sessions, in
// turn and at an even pace.
std::int64_t act(const std::vector<Reader>& readers, const std::string& operator_token,
                 Clock::duration pace, Clock::time_point until) {
  std::int64_t events = 0;
  std::size_t round = 0;
  for (Clock::time_point next = Clock::now(); next < until; next += pace, ++round) {
    std::this_thread::sleep_until(next);
    const Reader& actor = readers[round / 6 % std::min<std::size_t>(readers.size(), 100)];
    const std::string other = std::to_string(readers[round * 7 % readers.size()].id);
    ++events;
    switch (round % 6) {
      case 0:
        post("operator/directives", operator_token, timed(""));
        break;
      case 1:
        post("events", actor.token, timed(""));
        break;
      case 2:
        post("operator/directives", operator_token, timed(",\"targets\":[" + other + "]"));
        break;
      case 3:
        post("events", actor.token, timed(",\"to\":[" + other + "]"));
        break;
      case 4: {
        const std::string made = post("tasks", actor.token, "{\"title\":\"load\"}");
        const std::string id = std::to_string(number_at(made, made.find("\"task_id\":") + 10));
        post("tasks/" + id + "/claim", actor.token, "{}");
        post("tasks/" + id + "/start", actor.token, "{}");
        post("tasks/" + id + "/complete", actor.token, "{}");
        events += 3;
        break;
      }
      default: {
        const std::string name = "{\"name\":\"lock/" + std::to_string(actor.id) + "\"";
        post("locks/acquire", actor.token, name + ",\"ttl\":60}");
        post("locks/release", actor.token, name + "}");
        ++events;
        break;
      }
    }
  }
  return events;
}

double share(std::vector<double>& values, double part) {
  if (values.empty()) {
    return 0;
  }
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1,
                         static_cast<std::size_t>(part * static_cast<double>(values.size())))];
}

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: load_client PORT SECONDS EVENTS_A_SECOND OPERATOR_TOKEN\n");
    return 2;
  }
  service.sin_family = AF_INET;
  service.sin_port = htons(static_cast<std::uint16_t>(std::atoi(argv[1])));
  service.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto until = Clock::now() + std::chrono::seconds(std::atoi(argv[2]));
  const auto pace = std::chrono::microseconds(static_cast<std::int64_t>(1e6 / std::atof(argv[3])));
  std::vector<Reader> readers;
  for (Reader reader; std::cin >> reader.id >> reader.token >> reader.cursor;) {
    reader.newest = reader.cursor;
    readers.push_back(reader);
  }
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  for (Reader& reader : readers) {
    begin(reader, epoll);
  }
  std::atomic<std::int64_t> posted{-1};
  std::thread poster([&] { posted = act(readers, argv[4], pace, until); });
  Tally tally;
  std::vector<epoll_event> events(1024);
  // After the last post the readers get what is under way; then everything has arrived, or was
  // lost.
  Clock::time_point end = Clock::time_point::max();
  while (Clock::now() < end) {
    const int ready = ::epoll_wait(epoll, events.data(), static_cast<int>(events.size()), 100);
    for (int i = 0; i < ready; ++i) {
      Reader& reader = *static_cast<Reader*>(events[static_cast<std::size_t>(i)].data.ptr);
      if (!reader.sent) {
        send_request(reader, epoll);
      } else if (receive(reader)) {
        ::close(reader.fd);
        take(reader, tally);
        begin(reader, epoll);
      }
    }
    if (posted >= 0) {
      std::int64_t newest = 0;
      std::int64_t oldest = INT64_MAX;
      for (const Reader& reader : readers) {
        newest = std::max(newest, reader.newest);
        oldest = std::min(oldest, reader.newest);
      }
      if (oldest == newest && tally.events >= posted * static_cast<std::int64_t>(readers.size())) {
        break;
      }
      if (end == Clock::time_point::max()) {
        end = Clock::now() + std::chrono::seconds(10);
      }
    }
  }
  poster.join();
  const std::int64_t expected = posted * static_cast<std::int64_t>(readers.size());
  tally.lost += std::max<std::int64_t>(0, expected - tally.events - tally.lost + tally.doubled);
  const double p50 = share(tally.delays, 0.5);
  std::printf(
      "readers=%zu\nposted=%lld\ndeliveries=%lld\nlost=%lld\ndoubled=%lld\nfailed_reads=%lld\n",
      readers.size(), static_cast<long long>(posted.load()), static_cast<long long>(tally.events),
      static_cast<long long>(tally.lost), static_cast<long long>(tally.doubled),
      static_cast<long long>(tally.failures));
  std::printf("p50_ms=%.1f\np99_ms=%.1f\nmax_ms=%.1f\nclient_cpu_s=%.2f\n", p50,
              share(tally.delays, 0.99), share(tally.delays, 1.0), cpu_seconds());
  if (tally.failures > 0) {
    std::fprintf(stderr, "load_client: a read failed: %s\n", tally.failure.c_str());
  }
  return tally.lost == 0 && tally.doubled == 0 && tally.failures == 0 ? 0 : 1;
}
