#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/files.hpp"
#include "pending/engine.hpp"
#include "tests/crash/world.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::crash {
namespace {

constexpr base::Milliseconds kCallLimit{20000};
constexpr int kSteps = static_cast<int>(pending::Step::taken_back) + 1;
constexpr int kMostWrites = 40;          // of one call
constexpr int kMostMicroseconds = 9000;  // a call's life

void let_pass(int microseconds) {
  const timespec time{0, microseconds * 1000L};
  ::ppoll(nullptr, 0, &time, nullptr);
}

}  // namespace

std::vector<std::string> World::argv_of(const Role& role, bool real) const {
  if (!real) {
    std::vector<std::string> argv = role_arguments(role);
    argv.insert(argv.begin(), plan_.self);
    return argv;
  }
  switch (role.kind) {
    case Role::Kind::bridge:
      return {test::program("robot-council-net"), "mcp", "--auto-join"};
    case Role::Kind::hook:
      return {test::program("robot-council"), "pending", "--hook"};
    case Role::Kind::plain:
      break;
  }
  return {test::program("robot-council"), "pending"};
}

Fault World::random_fault(bool real) {
  Fault fault;
  if (last_ || one_in(2)) {
    return fault;
  }
  fault.seed = static_cast<std::uint32_t>(random_());
  if (plan_.power) {
    fault.kind = one_in(2) ? Fault::Kind::cut_all : Fault::Kind::cut_some;
    fault.at = random(kMostWrites);
    return fault;
  }
  // Hooks with the defect lose what was marked and not printed, so that is what happens to them.
  constexpr int kFaultsOfDefect[] = {0, 1, 5};
  const int what = plan_.mark_first ? kFaultsOfDefect[random(3)] : random(real ? 5 : 10);
  if (what == 0) {
    fault.kind = Fault::Kind::reader_gone;
  } else if (what == 1) {
    fault.kind = Fault::Kind::disk_full;
  } else if (what < 5) {
    fault.kind = Fault::Kind::moment;
    fault.at = random(kMostMicroseconds);
  } else if (what < 8) {
    fault.kind = Fault::Kind::step;
    fault.at = random(kSteps);
  } else {
    fault.kind = Fault::Kind::write;
    fault.at = random(kMostWrites);
  }
  return fault;
}

World::Call World::start_call(Agent* agent, const std::string& payload) {
  Call call;
  call.agent = agent;
  call.to = agent != nullptr ? agent->name() : "";
  // The programs do not have the defect.
  call.real = last_ || (!plan_.power && (brake_ || (!plan_.mark_first && one_in(3))));
  call.role.kind = agent != nullptr ? Role::Kind::hook : Role::Kind::plain;
  call.role.fault = random_fault(call.real);
  call.role.clock_shift_ms = clock_shift_ms_;
  call.role.mark_first = plan_.mark_first;
  base::ChildOptions options;
  options.argv = argv_of(call.role, call.real);
  options.environment = environment_.all();
  options.directory = folder_ + "/work";
  options.standard_in = base::Stdio::pipe;
  options.standard_out = base::Stdio::given;
  options.standard_err = base::Stdio::given;
  const auto open = [](const std::string& path, int flags) {
    auto fd = base::open_file(path, flags, 0600);
    return fd ? std::make_shared<const base::Fd>(std::move(*fd)) : nullptr;
  };
  options.given_err = open(folder_ + "/calls.err", O_WRONLY | O_CREAT | O_APPEND);
  ++calls_made_;
  if (call.role.fault.kind == Fault::Kind::reader_gone) {
    auto pipe = base::Pipe::open();
    options.given_out = std::make_shared<const base::Fd>(std::move(pipe->write_end));
  } else if (call.role.fault.kind == Fault::Kind::disk_full) {
    options.given_out = open("/dev/full", O_WRONLY);
  } else {
    call.out = folder_ + "/out-" + std::to_string(calls_made_ % 2);
    options.given_out = open(call.out, O_WRONLY | O_CREAT | O_TRUNC);
  }
  auto child = base::Child::start(options);
  if (!child) {
    judge_.broken("a call could not be started: " + child.error().what);
    return call;
  }
  ++processes_;
  call.child = std::move(*child);
  static_cast<void>(base::write_all(call.child->standard_in.get(), payload,
                                    base::deadline_in(base::Milliseconds(5000))));
  call.child->standard_in.reset();
  return call;
}

World::Heard World::end_call(Call& call) {
  Heard heard;
  heard.printed.to = call.to;
  if (!call.child) {
    return heard;
  }
  if (call.role.fault.kind == Fault::Kind::moment) {
    let_pass(call.role.fault.at);
    call.child->send_signal(SIGKILL);
  }
  const auto status = call.child->wait(base::deadline_in(kCallLimit));
  if (!status) {
    judge_.broken("a call did not end");
    return heard;
  }
  const std::string bytes = call.out.empty() ? std::string() : test::read_text(call.out);
  const bool lives = status->signal == 0 && status->code != 77;
  killed_ += lives ? 0 : 1;
  check_exit(call, *status, bytes);
  if (call.agent == nullptr) {
    heard.printed.lines = prints_in(bytes.substr(0, bytes.rfind('\n') + 1));
  } else if (const auto text = answer_text(bytes)) {
    heard.printed.lines = prints_in(*text);
    if (lives) {
      heard.text = text;
    }
  }
  std::string printed;
  for (const Print& line : heard.printed.lines) {
    printed += std::string(" ") + (line.marked ? "r" : "") + std::to_string(line.event_id);
  }
  tell(std::string(call.agent != nullptr ? call.to : "plain") + (call.real ? " (program)" : "") +
       ", fault " + std::to_string(static_cast<int>(call.role.fault.kind)) + "@" +
       std::to_string(call.role.fault.at) +
       (lives ? ", code " + std::to_string(status->code) : ", killed") + ", printed" +
       (printed.empty() ? " nothing" : printed));
  return heard;
}

void World::check_exit(const Call& call, const base::ExitStatus& status, const std::string& bytes) {
  if (status.signal != 0 || status.code == 77) {
    return;
  }
  const bool plain_may_fail = call.agent == nullptr && status.code == 3;
  if (status.code != 0 && !plain_may_fail) {
    judge_.broken("a call ended with code " + std::to_string(status.code));
  }
  if (call.agent != nullptr && !bytes.empty() && bytes != "{}" && !answer_text(bytes)) {
    judge_.broken("a hook's answer is not whole: " + bytes.substr(0, 200));
  }
  if (brake_ && !bytes.empty() && !damaged_) {
    judge_.broken("something was printed under the brake: " + bytes.substr(0, 200));
  }
}

void World::calls(int count) {
  // Two at once: a hook wired twice, two sessions, or a session and a person.
  const bool twice = count == 2 && one_in(3);
  std::vector<Call> started;
  Agent* first = nullptr;
  std::string payload;
  for (int i = 0; i < count; ++i) {
    if (i == 0 || !twice) {
      const int who = random(static_cast<int>(agents_.size()) + 1);
      Agent* agent = who == 0 ? nullptr : &agents_.at(static_cast<std::size_t>(who) - 1);
      if (i == 1 && agent == first) {
        break;
      }
      first = agent;
      payload = agent != nullptr ? agent->turn_end() : "";
    }
    started.push_back(start_call(first, payload));
  }
  std::vector<Printed> printed;
  std::map<Agent*, std::optional<std::string>> texts;
  int answers = 0;
  for (Call& call : started) {
    Heard heard = end_call(call);
    printed.push_back(heard.printed);
    answers += heard.printed.lines.empty() ? 0 : 1;
    if (call.agent != nullptr) {
      auto& text = texts[call.agent];
      text = heard.text ? heard.text : text;
    }
  }
  judge_.printed(std::move(printed));
  const bool same_turn_end = twice && started.size() == 2 && first != nullptr &&
                             started[0].real == started[1].real &&
                             started[0].role.fault.kind == Fault::Kind::none &&
                             started[1].role.fault.kind == Fault::Kind::none;
  if (same_turn_end && answers == 2) {
    judge_.broken("a hook that is wired twice answered twice");
  }
  for (auto& [agent, text] : texts) {
    agent->heard(text, random_);
  }
}

}  // namespace robot_council::crash
