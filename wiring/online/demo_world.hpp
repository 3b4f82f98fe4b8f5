#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "account/device_flow.hpp"
#include "account/identity.hpp"
#include "base/child.hpp"
#include "base/clock.hpp"
#include "base/context.hpp"
#include "base/json.hpp"
#include "base/result.hpp"
#include "wiring/online/hook_payload.hpp"
#include "wiring/online/mcp_client.hpp"

namespace robot_council::wiring::online {

// A private folder, removed with everything in it at the end.
class ScratchFolder {
 public:
  // "<temporary folder>/<prefix>-XXXXXX", 0700.
  [[nodiscard]] static base::Result<ScratchFolder> create(const base::Environment& environment,
                                                          const std::string& prefix);
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// What a run of the stop hook gave.
struct HookRun {
  int code = -1;
  std::string out;
  std::string err;
};

// The demo's own machine: folders, an environment with nothing of the caller's, the children, and
// the ways to look at them. Everything it starts ends with it. Threads: one.
class DemoWorld {
 public:
  struct Parts {
    const base::Context& context;
    std::string program;
    std::string script;
    std::function<bool()> interrupted;
    account::Pause pause;
  };
  [[nodiscard]] static base::Result<std::unique_ptr<DemoWorld>> create(const Parts& parts);
  DemoWorld(const DemoWorld&) = delete;
  DemoWorld& operator=(const DemoWorld&) = delete;
  DemoWorld(DemoWorld&&) = delete;
  DemoWorld& operator=(DemoWorld&&) = delete;
  ~DemoWorld();

  // Each returns what was proven, as a few words, or what came instead.
  [[nodiscard]] base::Result<std::string> start_service();
  [[nodiscard]] base::Result<std::string> enrol();
  [[nodiscard]] base::Result<std::string> join();
  [[nodiscard]] base::Result<std::string> post_directive(const std::string& text);
  // Waits until `count` rows with this text are in `list` ("waiting", "written") of the sink, and
  // have the state, if one is named.
  [[nodiscard]] base::Result<std::string> wait_for_row(const std::string& list,
                                                       const std::string& text,
                                                       const std::string& state);
  // One turn end of the harness: the script as the harness starts it, with its payload on stdin.
  [[nodiscard]] base::Result<HookRun> turn_end(const StopTurn& turn);
  // A turn end whose reader takes nothing: killed once the sink says that its answer was begun. The
  // text that came out.
  [[nodiscard]] base::Result<std::string> killed_turn_end(const StopTurn& turn,
                                                          const std::string& text);
  [[nodiscard]] base::Result<std::string> put_stop_file();
  [[nodiscard]] base::Result<std::string> remove_stop_file();
  [[nodiscard]] base::Result<HookRun> run(const std::vector<std::string>& words);
  [[nodiscard]] base::Result<std::string> end_bridge();
  [[nodiscard]] base::Result<std::string> end_service();

  // A turn end of this checkout's agent; `id`: the turn's.
  [[nodiscard]] StopTurn turn(const std::string& id, Continued continued) const;

  // The last lines that this child ("serve", "mcp") wrote to stderr.
  [[nodiscard]] std::string last_errors(const std::string& child) const;
  [[nodiscard]] const std::string& service() const { return service_.text; }

 private:
  DemoWorld(const Parts& parts, ScratchFolder folder);
  [[nodiscard]] base::Status prepare();
  [[nodiscard]] base::Status prepare_checkout();
  [[nodiscard]] std::string at(const std::string& name) const {
    return folder_.path() + "/" + name;
  }
  [[nodiscard]] base::SteadyTime step_deadline(base::Milliseconds limit) const;
  [[nodiscard]] base::ChildOptions child(const std::vector<std::string>& argv) const;
  [[nodiscard]] base::Result<base::ChildOptions> logged_child(const std::vector<std::string>& argv,
                                                              const std::string& log_name) const;
  [[nodiscard]] base::Result<base::ChildOptions> hook_child(const StopTurn& turn);
  [[nodiscard]] base::Result<HookRun> run_watched(base::ChildOptions options,
                                                  const std::string& input,
                                                  base::Milliseconds limit);
  [[nodiscard]] base::Result<base::Json> peek();
  [[nodiscard]] base::Status check_going() const;

  const base::Context& context_;
  std::string program_;
  std::string script_source_;
  std::function<bool()> interrupted_;
  account::Pause pause_;
  base::SteadyTime deadline_;
  ScratchFolder folder_;
  account::Service service_;
  std::string script_;  // the filled copy
  std::optional<base::Child> serve_;
  std::optional<McpClient> bridge_;
};

}  // namespace robot_council::wiring::online
