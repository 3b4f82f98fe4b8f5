#include "base/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <thread>
#include <utility>

#include "base/files.hpp"
#include "base/os.hpp"
#include "base/text.hpp"

namespace robot_council::base {
namespace {

constexpr Milliseconds kTermGrace{500};
constexpr Milliseconds kKillWait{1500};
constexpr Milliseconds kPollStep{5};  // only where the system has no process descriptor

// posix_spawn's two parameter blocks, freed together.
class SpawnSetup {
 public:
  SpawnSetup() {
    ready_ = ::posix_spawn_file_actions_init(&actions_) == 0 &&
             ::posix_spawnattr_init(&attributes_) == 0;
  }
  ~SpawnSetup() {
    (void)::posix_spawn_file_actions_destroy(&actions_);
    (void)::posix_spawnattr_destroy(&attributes_);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;
  SpawnSetup(SpawnSetup&&) = delete;
  SpawnSetup& operator=(SpawnSetup&&) = delete;

  [[nodiscard]] bool ready() const { return ready_; }
  posix_spawn_file_actions_t* actions() { return &actions_; }
  posix_spawnattr_t* attributes() { return &attributes_; }

 private:
  bool ready_ = false;
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// Signals at their defaults, nothing blocked, own group if asked.
bool set_attributes(posix_spawnattr_t* attributes, Group group) {
  sigset_t none;
  sigemptyset(&none);
  sigset_t all;
  sigfillset(&all);
  int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  if (group == Group::own) {
    flags |= POSIX_SPAWN_SETPGROUP;
  } else if (group == Group::session) {
    flags |= POSIX_SPAWN_SETSID;
  }
  return ::posix_spawnattr_setsigmask(attributes, &none) == 0 &&
         ::posix_spawnattr_setsigdefault(attributes, &all) == 0 &&
         ::posix_spawnattr_setpgroup(attributes, 0) == 0 &&
         ::posix_spawnattr_setflags(attributes, static_cast<short>(flags)) == 0;
}

// The child's `target` becomes /dev/null, ours, or a pipe whose other end is returned in `ours`.
Status set_stream(SpawnSetup& setup, int target, Stdio kind, Fd& ours, Fd& theirs) {
  if (kind == Stdio::inherit || kind == Stdio::given) {
    return {};
  }
  if (kind == Stdio::null) {
    if (::posix_spawn_file_actions_addopen(setup.actions(), target, "/dev/null",
                                           target == STDIN_FILENO ? O_RDONLY : O_WRONLY, 0) != 0) {
      return Error{Errc::io, "prepare a child's streams"};
    }
    return {};
  }
  auto pipe = Pipe::open();
  if (!pipe) {
    return pipe.error();
  }
  const bool child_reads = target == STDIN_FILENO;
  theirs = child_reads ? std::move(pipe->read_end) : std::move(pipe->write_end);
  ours = child_reads ? std::move(pipe->write_end) : std::move(pipe->read_end);
  // An end that has the target's number already would keep its close-on-exec flag.
  if (theirs.get() <= STDERR_FILENO) {
    const int moved = ::fcntl(theirs.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (moved < 0) {
      return errno_error("duplicate a descriptor");
    }
    theirs = Fd(moved);
  }
  if (::posix_spawn_file_actions_adddup2(setup.actions(), theirs.get(), target) != 0) {
    return Error{Errc::io, "prepare a child's streams"};
  }
  return {};
}

ExitStatus status_of(int raw) {
  ExitStatus status;
  if (WIFEXITED(raw)) {
    status.code = WEXITSTATUS(raw);
  } else if (WIFSIGNALED(raw)) {
    status.signal = WTERMSIG(raw);
  }
  return status;
}

// The caller's own descriptors, for the streams that are to be those.
Status set_given(SpawnSetup& setup, const ChildOptions& options) {
  const std::array<std::pair<int, const Fd*>, 2> streams = {
      std::pair{STDOUT_FILENO,
                options.standard_out == Stdio::given ? options.given_out.get() : nullptr},
      std::pair{STDERR_FILENO,
                options.standard_err == Stdio::given ? options.given_err.get() : nullptr}};
  if (options.standard_in == Stdio::given ||
      (options.standard_out == Stdio::given && !options.given_out) ||
      (options.standard_err == Stdio::given && !options.given_err)) {
    return Error{Errc::invalid, "start a child: a stream was not given"};
  }
  for (const auto& [target, fd] : streams) {
    // One that has a standard stream's number would keep its close-on-exec flag.
    if (fd != nullptr &&
        (fd->get() <= STDERR_FILENO ||
         ::posix_spawn_file_actions_adddup2(setup.actions(), fd->get(), target) != 0)) {
      return Error{Errc::io, "prepare a child's streams"};
    }
  }
  return {};
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (const auto& text : strings) {
    result.push_back(const_cast<char*>(
        text.c_str()));  // NOLINT(cppcoreguidelines-pro-type-const-cast): the call's type
  }
  result.push_back(nullptr);
  return result;
}

std::string_view path_of(const std::vector<std::string>& environment) {
  constexpr std::string_view kName = "PATH=";
  for (const auto& entry : environment) {
    if (entry.compare(0, kName.size(), kName) == 0) {
      return std::string_view(entry).substr(kName.size());
    }
  }
  return "/usr/bin:/bin";
}

}  // namespace

Result<Child> Child::start(const ChildOptions& options) {
  if (options.argv.empty()) {
    return Error{Errc::invalid, "start a child: no program"};
  }
  const auto program = find_program(options.argv.front(), path_of(options.environment));
  if (!program) {
    return Error{Errc::not_found, "start " + options.argv.front() + ": no such program"};
  }
  SpawnSetup setup;
  if (!setup.ready() || !set_attributes(setup.attributes(), options.group)) {
    return Error{Errc::io, "start " + options.argv.front() + ": out of memory"};
  }
  Child child;
  std::array<Fd, 3> theirs;
  const std::array<Status, 3> streams = {
      set_stream(setup, STDIN_FILENO, options.standard_in, child.standard_in, theirs[0]),
      set_stream(setup, STDOUT_FILENO, options.standard_out, child.standard_out, theirs[1]),
      set_stream(setup, STDERR_FILENO, options.standard_err, child.standard_err, theirs[2])};
  for (const auto& stream : streams) {
    if (!stream) {
      return stream.error();
    }
  }
  if (auto given = set_given(setup, options); !given) {
    return given.error();
  }
  if (options.directory &&
      ::posix_spawn_file_actions_addchdir_np(setup.actions(), options.directory->c_str()) != 0) {
    return Error{Errc::io, "start " + options.argv.front() + ": out of memory"};
  }
  pid_t pid = -1;
  const auto arguments = pointers(options.argv);
  const auto environment = pointers(options.environment);
  const int failed = ::posix_spawn(&pid, program->c_str(), setup.actions(), setup.attributes(),
                                   arguments.data(), environment.data());
  if (failed != 0) {
    return errno_error("start " + options.argv.front(), failed);
  }
  child.pid_ = pid;
  child.own_group_ = options.group != Group::parents;
  return child;
}

Child::Child(Child&& other) noexcept
    : standard_in(std::move(other.standard_in)),
      standard_out(std::move(other.standard_out)),
      standard_err(std::move(other.standard_err)),
      pid_(std::exchange(other.pid_, -1)),
      own_group_(other.own_group_),
      ended_(other.ended_) {}

Child& Child::operator=(Child&& other) noexcept {
  if (this != &other) {
    terminate(kTermGrace);
    standard_in = std::move(other.standard_in);
    standard_out = std::move(other.standard_out);
    standard_err = std::move(other.standard_err);
    pid_ = std::exchange(other.pid_, -1);
    own_group_ = other.own_group_;
    ended_ = other.ended_;
  }
  return *this;
}

Child::~Child() {
  terminate(kTermGrace);
}

Result<ExitStatus> Child::wait(SteadyTime deadline) {
  if (ended_) {
    return *ended_;
  }
  if (pid_ <= 0) {
    return Error{Errc::invalid, "wait for a child: none was started"};
  }
  const Fd process = os::open_process(pid_);
  while (true) {
    int raw = 0;
    pid_t got = 0;
    do {
      got = ::waitpid(pid_, &raw, WNOHANG);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
      return errno_error("wait for a child");
    }
    if (got == pid_) {
      ended_ = status_of(raw);
      return *ended_;
    }
    const auto left = time_left(deadline);
    if (left.count() == 0) {
      return Error{Errc::timeout, "wait for a child: the time is over"};
    }
    if (process.valid()) {
      (void)wait_readable(process.get(), deadline);
    } else {
      std::this_thread::sleep_for(std::min(left, kPollStep));
    }
  }
}

void Child::send_signal(int signal_number) const {
  if (pid_ > 0 && !ended_) {
    (void)::kill(own_group_ ? -pid_ : pid_, signal_number);
  }
}

ExitStatus Child::terminate(Milliseconds grace) {
  if (pid_ <= 0) {
    return {};
  }
  if (!ended_) {
    send_signal(SIGTERM);
    if (!wait(deadline_in(grace))) {
      send_signal(SIGKILL);
      (void)wait(deadline_in(kKillWait));
    }
  }
  return ended_.value_or(ExitStatus{});
}

namespace {

// Reads what is there into `into` (at most max bytes kept); closes the descriptor at its end.
void drain(Fd& fd, std::string& into, std::size_t max) {
  std::array<char, 65536> buffer{};
  auto got = read_some(fd.get(), buffer);
  if (!got || *got == 0) {
    if (got || got.error().code != Errc::busy) {
      fd.reset();
    }
    return;
  }
  into.append(buffer.data(), std::min(*got, max - std::min(max, into.size())));
}

void feed(Fd& fd, std::string_view& input) {
  const ssize_t wrote = input.empty() ? -1 : ::write(fd.get(), input.data(), input.size());
  if (wrote > 0) {
    input.remove_prefix(static_cast<std::size_t>(wrote));
  }
  if (input.empty() || (wrote < 0 && errno != EAGAIN && errno != EINTR)) {
    fd.reset();  // all written, or the child reads no more
  }
}

}  // namespace

Result<Finished> run_child(ChildOptions options, std::string_view input, SteadyTime deadline,
                           std::size_t max_output) {
  options.standard_in = Stdio::pipe;
  options.standard_out = Stdio::pipe;
  auto child = Child::start(options);
  if (!child) {
    return child.error();
  }
  for (const Fd* fd : {&child->standard_in, &child->standard_out, &child->standard_err}) {
    if (fd->valid()) {
      (void)set_nonblocking(fd->get());
    }
  }
  Finished finished;
  if (input.empty()) {
    child->standard_in.reset();
  }
  while (child->standard_in.valid() || child->standard_out.valid() || child->standard_err.valid()) {
    const auto left = time_left(deadline);
    if (left.count() == 0) {
      child->terminate(kTermGrace);
      return Error{Errc::timeout, "run " + options.argv.front() + ": the time is over"};
    }
    std::array<pollfd, 3> entries = {pollfd{child->standard_in.get(), POLLOUT, 0},
                                     pollfd{child->standard_out.get(), POLLIN, 0},
                                     pollfd{child->standard_err.get(), POLLIN, 0}};
    if (::poll(entries.data(), entries.size(),
               static_cast<int>(std::min<std::int64_t>(left.count(), 60000))) < 0 &&
        errno != EINTR) {
      return errno_error("poll");
    }
    if (entries[0].revents != 0) {
      feed(child->standard_in, input);
    }
    if (entries[1].revents != 0) {
      drain(child->standard_out, finished.out, max_output);
    }
    if (entries[2].revents != 0) {
      drain(child->standard_err, finished.err, max_output);
    }
  }
  auto status = child->wait(deadline);
  if (!status) {
    child->terminate(kTermGrace);
    return Error{status.error().code, "run " + options.argv.front() + ": the time is over"};
  }
  finished.status = *status;
  return finished;
}

std::optional<std::string> find_program(std::string_view name, std::string_view path_variable) {
  if (name.empty()) {
    return std::nullopt;
  }
  if (name.find('/') != std::string_view::npos) {
    return std::string(name);
  }
  for (const auto& folder : split(path_variable, ':')) {
    if (folder.empty() || folder.front() != '/') {
      continue;  // an empty or relative entry would be the working directory's
    }
    std::string path = join_path(folder, name);
    auto info = file_info(path, Links::follow);
    if (info && info->kind == FileKind::regular && ::access(path.c_str(), X_OK) == 0) {
      return path;
    }
  }
  return std::nullopt;
}

}  // namespace robot_council::base
