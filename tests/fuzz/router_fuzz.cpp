// What a harness may write, line by line, to the router of an unjoined and of a joined bridge that
// reaches no service: every line that comes out is JSON, and each request is answered once unless
// it was cancelled or waits for a join.

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/check.hpp"
#include "base/fd.hpp"
#include "base/json_scan.hpp"
#include "base/log.hpp"
#include "bridge/framing.hpp"
#include "bridge/limits.hpp"
#include "bridge/router.hpp"

namespace rc = robot_council;
namespace rcb = robot_council::bridge;

namespace {

struct World {
  rc::base::SystemClock clock;
  rc::base::MapEnvironment environment;
  rc::base::MemoryLog log;
  rc::base::Context context{clock, environment, log};
  rcb::Timings timings;
  rcb::Inbox inbox;
  rcb::Session session{clock, timings};
  rc::sink::SeatFiles files{"/proc/nowhere", "key"};  // where nothing can be made
  rcb::SinkDesk sink{files, context};
  rcb::BridgeRecord record{context, files, {}, true, rc::base::Milliseconds(1000000)};
};

rc::base::Error offline() {
  return {rc::base::Errc::not_found, "none"};
}

// How many lines are owed an answer with their id, when each of them is: requests, and what is an
// object with an id and no request.
std::optional<std::size_t> push_lines(std::string_view bytes, rcb::Inbox& inbox) {
  std::optional<std::size_t> owed = 0;
  rcb::LineFramer framer;
  framer.feed(bytes);
  while (auto frame = framer.next()) {
    if (frame->kind == rcb::FrameKind::content_length) {
      owed.reset();
      break;
    }
    rcb::Message message = rcb::classify(std::move(frame->text));
    const bool answered =
        message.kind == rcb::MessageKind::request ||
        (message.kind == rcb::MessageKind::invalid_request && message.id != "null");
    if (owed && answered) {
      ++*owed;
    }
    if (message.method == "notifications/cancelled" || message.method == "tools/call" ||
        message.kind == rcb::MessageKind::batch) {
      owed.reset();
    }
    inbox.push(rcb::Incoming{std::move(message), {}});
  }
  inbox.push(rcb::EndOfInput{});
  return owed;
}

void check_lines(int fd, std::optional<std::size_t> owed) {
  RC_CHECK(::lseek(fd, 0, SEEK_SET) == 0);
  const std::string text = *rc::base::read_all(fd, std::size_t{1} << 30U,
                                               rc::base::deadline_in(rc::base::Milliseconds(5000)));
  std::size_t answers = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    RC_CHECK(end != std::string::npos);
    const std::string_view line = std::string_view(text).substr(at, end - at);
    RC_CHECK(rc::base::validate_json(line, rcb::kMaxDepth).ok());
    const std::string_view id = rc::base::json_member(line, "id");
    answers += !id.empty() && id != "null" ? 1U : 0U;
    at = end + 1;
  }
  RC_CHECK(!owed || answers == *owed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) {
    return 0;
  }
  World world;
  const std::string_view bytes(
      reinterpret_cast<const char*>(data) + 1,
      size - 1);  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast): bytes
  const bool joined = (data[0] & 1U) != 0;
  // The keeper does not run: nobody waits here for a join or a leave.
  const bool waits = joined && bytes.find("leave") == std::string_view::npos;
  world.timings.leave_wait = rc::base::Milliseconds(waits ? 2000 : 0);
  const rc::base::Fd file(::memfd_create("out", MFD_CLOEXEC));
  rcb::Output output = *rcb::Output::open(file.get());
  const auto connect = [&world] {
    return std::make_unique<rcb::Upstream>("http://127.0.0.1:1", world.timings);
  };
  rcb::Announcer announcer({world.context, output, world.record, world.files, [] { return false; }},
                           world.timings, rcb::Announcer::Channel::none, rcb::HookState::found, {});
  rcb::Keeper keeper({world.context, world.session, world.sink, world.record, announcer,
                      world.inbox, connect, [] { return offline(); }, [] { return true; }},
                     {}, world.timings);
  rcb::Forwarder forwarder(
      {world.context, world.session, output, connect,
       [&world] { world.inbox.push(rcb::CallFinished{}); }, [](const std::string&) {}},
      world.timings);
  if (joined) {
    world.inbox.push(rcb::JoinFinished{true, "", ""});
  }
  const std::optional<std::size_t> owed = push_lines(bytes, world.inbox);
  rcb::Router router({world.context, world.inbox, output, forwarder, keeper, world.session,
                      announcer, world.record, [](const std::string&) { return std::string(); },
                      [] { return std::string(); }, [] {}, [] { return false; }},
                     {}, world.timings);
  static_cast<void>(router.run());
  forwarder.stop();
  check_lines(file.get(), waits || !joined ? owed : std::nullopt);
  return 0;
}
