#include "stops/own_judges.hpp"

#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill() is POSIX
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/child.hpp"
#include "base/files.hpp"
#include "base/json_value.hpp"
#include "base/os.hpp"
#include "base/text.hpp"
#include "stops/judge_pipe.hpp"
#include "stops/limits.hpp"

namespace robot_council::stops {
namespace {

constexpr base::Milliseconds kReapWait{500};
constexpr std::string_view kInJudge = "ROBOT_COUNCIL_IN_JUDGE=1";

JudgeError error(JudgeErrorKind kind, std::string message) {
  return {kind, std::move(message)};
}

struct Ran {
  std::string out;
  bool late = false;
  bool too_long = false;
  base::ExitStatus status;
};

// Says that a child is being started, then its group; clears it before the process is reaped, so
// that nobody kills another's group.
class GroupMark {
 public:
  explicit GroupMark(std::atomic<pid_t>& group) : group_(group) { group_.store(kGroupStarting); }
  ~GroupMark() { group_.store(0); }
  GroupMark(const GroupMark&) = delete;
  GroupMark& operator=(const GroupMark&) = delete;
  GroupMark(GroupMark&&) = delete;
  GroupMark& operator=(GroupMark&&) = delete;

  // False: an end was asked for while the child was being started.
  [[nodiscard]] bool started(pid_t pid) { return group_.exchange(pid) != kGroupEndAsked; }

 private:
  std::atomic<pid_t>& group_;
};

// Writes what the pipe takes now.
void feed(base::Fd& fd, std::string_view& input) {
  const ssize_t wrote = input.empty() ? 0 : ::write(fd.get(), input.data(), input.size());
  if (wrote > 0) {
    input.remove_prefix(static_cast<std::size_t>(wrote));
  }
  if (input.empty() || (wrote < 0 && errno != EAGAIN && errno != EINTR)) {
    fd.reset();
  }
}

// Reads what is there. False: the end, or too much.
bool drain(base::Fd& fd, Ran& ran) {
  std::array<char, 16384> buffer{};
  const base::Result<std::size_t> got = base::read_some(fd.get(), buffer);
  if (!got.ok()) {
    return got.error().code == base::Errc::busy;
  }
  ran.out.append(buffer.data(), *got);
  ran.too_long = ran.out.size() > kMaxJudgeReplyBytes;
  return *got > 0 && !ran.too_long;
}

// Feeds and reads until the child has closed its stdout, has ended, or the time is over.
void converse(base::Child& child, std::string_view input, base::SteadyTime deadline, Ran& ran) {
  const base::Fd process = base::os::open_process(child.pid());
  while (child.standard_out.valid()) {
    std::array<pollfd, 3> waits = {
        {{child.standard_out.get(), POLLIN, 0},
         {child.standard_in.valid() ? child.standard_in.get() : -1, POLLOUT, 0},
         {process.get(), POLLIN, 0}}};
    const base::Milliseconds left = base::time_left(deadline);
    if (left.count() == 0) {
      ran.late = true;
      return;
    }
    if (::poll(waits.data(), waits.size(), static_cast<int>(left.count())) < 0) {
      continue;
    }
    if (waits[1].revents != 0) {
      feed(child.standard_in, input);
    }
    // An ended child's grandchildren may keep its stdout open.
    const bool ended = waits[2].revents != 0;
    if ((waits[0].revents != 0 && !drain(child.standard_out, ran)) ||
        (ended && waits[0].revents == 0)) {
      child.standard_out.reset();
    }
  }
  child.standard_in.reset();
}

base::Result<Ran> run(base::ChildOptions options, std::string_view input, const ChildPlace& place) {
  options.standard_in = base::Stdio::pipe;
  options.standard_out = base::Stdio::pipe;
  options.standard_err = base::Stdio::null;
  options.group = base::Group::own;
  std::optional<GroupMark> mark(std::in_place, place.group);
  base::Result<base::Child> child = base::Child::start(options);
  if (!child.ok()) {
    return child.error();
  }
  Ran ran;
  ran.late = !mark->started(child->pid());
  (void)base::set_nonblocking(child->standard_in.get());
  (void)base::set_nonblocking(child->standard_out.get());
  if (!ran.late) {
    converse(*child, input, place.deadline, ran);
  }
  if (!ran.late && !ran.too_long) {
    const base::Result<base::ExitStatus> ended = child->wait(place.deadline);
    ran.late = !ended.ok();
    ran.status = ended.value_or(base::ExitStatus{});
  }
  // All of it: a stopped child hears nothing but KILL, and no grandchild is left behind.
  (void)::kill(-child->pid(), SIGKILL);
  mark.reset();
  (void)child->wait(base::deadline_in(kReapWait));
  return ran;
}

// A child's output, or why it has none.
std::variant<std::string, JudgeError> output(base::ChildOptions options, std::string_view input,
                                             const ChildPlace& place, const std::string& who) {
  const base::Result<Ran> ran = run(std::move(options), input, place);
  if (!ran.ok()) {
    return error(JudgeErrorKind::unavailable, who + " cannot be started");
  }
  if (ran->too_long) {
    return error(JudgeErrorKind::malformed_response, who + " wrote too much");
  }
  if (ran->late) {
    return error(JudgeErrorKind::timeout, who + " gave no answer in time");
  }
  if (!ran->status.success()) {
    return error(JudgeErrorKind::unavailable,
                 who + (ran->status.signal != 0
                            ? " was ended by signal " + std::to_string(ran->status.signal)
                            : " exited with " + std::to_string(ran->status.code)));
  }
  return ran->out;
}

// Answers of the questions asked. A member that is no number from 0 to 1 spoils all.
JudgeResult read_answers(const base::Json* answers, const Request& request, Reply reply) {
  if (answers == nullptr) {
    return error(JudgeErrorKind::malformed_response, "no map of answers");
  }
  for (const Question& question : request.questions) {
    const base::Json* answer = base::get_member(*answers, question.name);
    if (answer == nullptr) {
      continue;
    }
    const double p = answer->is_number() ? answer->get<double>() : -1;
    if (!(p >= 0 && p <= 1)) {
      return error(JudgeErrorKind::malformed_response, "an answer is no number from 0 to 1");
    }
    reply.answers[question.name] = p;
  }
  if (reply.answers.empty()) {
    return error(JudgeErrorKind::malformed_response, "no answer to any question");
  }
  return reply;
}

// Our keys are for the judges that they were given for.
bool is_our_key(const std::string& variable) {
  const std::string name = variable.substr(0, variable.find('='));
  return name.rfind("ROBOT_COUNCIL_STOP_", 0) == 0 &&
         (name.ends_with("_KEY") || name.ends_with("_KEY_FILE"));
}

std::vector<std::string> command_environment(const base::Environment& environment) {
  std::vector<std::string> all = environment.all();
  all.erase(std::remove_if(all.begin(), all.end(),
                           [](const std::string& variable) {
                             return is_our_key(variable) ||
                                    variable.rfind("ROBOT_COUNCIL_IN_JUDGE=", 0) == 0;
                           }),
            all.end());
  all.emplace_back(kInJudge);
  return all;
}

// A net judge needs nearly nothing, and gets no provider's key by accident.
std::vector<std::string> net_environment(const base::Environment& environment) {
  constexpr std::array<std::string_view, 7> kNeeded = {
      "PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR"};
  std::vector<std::string> all = {std::string(kInJudge)};
  for (const std::string_view name : kNeeded) {
    if (const auto value = environment.get(std::string(name))) {
      all.push_back(std::string(name) + "=" + *value);
    }
  }
  return all;
}

std::string command_request(const Request& request) {
  base::OrderedJson questions = base::OrderedJson::object();
  for (const Question& question : request.questions) {
    questions[question.name]["instructions"] = question.instructions;
    for (const auto& [key, text] : question.criteria) {
      questions[question.name]["criteria"][key] = text;
    }
  }
  return base::dump_safe(base::OrderedJson{{"state", request.state}, {"questions", questions}});
}

}  // namespace

JudgeResult ask_mock(const Request& request, const base::Environment& environment,
                     base::SteadyTime deadline) {
  const auto delay =
      base::parse_digits(environment.get_or_empty("ROBOT_COUNCIL_STOP_MOCK_DELAY_MS"));
  if (delay && *delay > 0) {
    const base::SteadyTime until = base::deadline_in(
        base::Milliseconds(std::min<std::int64_t>(*delay, kMaxHardDeadline.count())));
    const base::SteadyTime end = std::min(until, deadline);
    while (base::time_left(end).count() > 0) {
      (void)::poll(nullptr, 0, static_cast<int>(base::time_left(end).count()));
    }
    if (until > deadline) {
      return error(JudgeErrorKind::timeout, "mock gave no answer in time");
    }
  }
  if (const auto name = environment.nonblank("ROBOT_COUNCIL_STOP_MOCK_ERROR")) {
    return error(judge_error_from(*name).value_or(JudgeErrorKind::unavailable), "mock error");
  }
  const base::Result<base::Json> answers = base::parse_bounded(
      environment.get_or_empty("ROBOT_COUNCIL_STOP_MOCK_ANSWERS"), kMaxJudgeReplyBytes);
  const base::Json* map = answers.ok() && answers->is_object() ? &*answers : nullptr;
  return read_answers(map, request, {{}, "mock", PKind::probability});
}

JudgeResult ask_command(const JudgeSettings& settings, const Request& request,
                        const ChildPlace& place) {
  base::ChildOptions options;
  options.argv = settings.command;
  options.environment = command_environment(place.environment);
  const auto out = output(std::move(options), command_request(request), place, "the command");
  if (const auto* failed = std::get_if<JudgeError>(&out)) {
    return *failed;
  }
  const base::Result<base::Json> json =
      base::parse_bounded(std::get<std::string>(out), kMaxJudgeReplyBytes);
  if (!json.ok()) {
    return error(JudgeErrorKind::malformed_response, "the command wrote no JSON");
  }
  const std::string model =
      base::get_string(*json, "model").value_or(base::base_name(settings.command.front()));
  return read_answers(base::get_object(*json, "answers"), request, {{}, model, PKind::probability});
}

JudgeResult ask_net(const std::string& program, const JudgeSettings& settings,
                    const Request& request, const ChildPlace& place) {
  base::ChildOptions options;
  options.argv = {program, "stops", "judge"};
  options.environment = net_environment(place.environment);
  PipeRequest piped{settings, request, base::time_left(place.deadline)};
  const auto out =
      output(std::move(options), encode_request(piped), place, base::base_name(program));
  if (const auto* failed = std::get_if<JudgeError>(&out)) {
    return *failed;
  }
  return decode_result(std::get<std::string>(out));
}

}  // namespace robot_council::stops
