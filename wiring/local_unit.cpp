#include "wiring/local_unit.hpp"

#include <unistd.h>

#include <utility>
#include <vector>

#include "base/atomic_file.hpp"
#include "base/child.hpp"
#include "base/files.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "wiring/limits.hpp"

namespace robot_council::wiring {

namespace {

constexpr std::string_view kCommand = "ExecStart=";
// Begins every unit that we wrote.
constexpr std::string_view kOurs = "# robot-council setup --local wrote this";
constexpr std::string_view kHead =
    "# robot-council setup --local wrote this file; robot-council unsetup HARNESS --local ends the "
    "unit and takes it out.\n";
constexpr unsigned kUnitMode = 0644;
constexpr const char* kStep = "service";

// One word of ExecStart, in which systemd expands "%" and "$" and honours C escapes in quotes
// (systemd.service(5), "Command lines").
std::string unit_word(const std::string& text) {
  std::string word = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      word += '\\';
    } else if (c == '%' || c == '$') {
      word += c;
    }
    word += c;
  }
  return word + "\"";
}

// systemctl finds the user's manager by XDG_RUNTIME_DIR, which cron, ssh commands and some
// harnesses leave out.
std::vector<std::string> systemctl_environment(const base::Environment& environment) {
  auto all = environment.all();
  const std::string run = "/run/user/" + std::to_string(::geteuid());
  if (!environment.nonblank("XDG_RUNTIME_DIR") && base::exists(run)) {
    all.push_back("XDG_RUNTIME_DIR=" + run);
  }
  return all;
}

base::Status systemctl(const base::Context& context, std::vector<std::string> words) {
  const std::string shown = "systemctl --user " + base::join(words, " ");
  base::ChildOptions options;
  options.argv = {"systemctl", "--user", "--no-ask-password"};
  options.argv.insert(options.argv.end(), words.begin(), words.end());
  options.environment = systemctl_environment(context.environment);
  options.standard_err = base::Stdio::pipe;
  const auto ran = base::run_child(std::move(options), {}, context.clock.steady() + kSystemctlTime);
  if (!ran) {
    return base::Error{ran.error().code, shown + ": " + ran.error().what};
  }
  if (!ran->status.success()) {
    return base::Error{base::Errc::io, shown + ": exit " + std::to_string(ran->status.code) +
                                           (ran->err.empty() ? "" : ", ") +
                                           base::for_display(ran->err)};
  }
  return {};
}

base::Result<std::optional<std::string>> read_unit(const std::string& path) {
  auto bytes = base::read_file(path, kMaxUnit);
  if (bytes) {
    return std::optional<std::string>(std::move(*bytes));
  }
  if (bytes.error().code == base::Errc::not_found) {
    return std::optional<std::string>();
  }
  return bytes.error();
}

bool is_ours(const std::string& text) {
  return text.compare(0, kOurs.size(), kOurs) == 0;
}

}  // namespace

std::string local_unit_path(const base::Environment& environment) {
  return base::join_path(base::parent_path(base::config_directory(environment)),
                         "systemd/user/" + std::string(kLocalUnit));
}

std::string local_unit_source(const std::string& script) {
  const std::string beside = base::parent_path(base::parent_path(script));
  const std::string installed =
      base::join_path(base::parent_path(beside), "systemd/user/" + std::string(kLocalUnit));
  return base::exists(installed)
             ? installed
             : base::join_path(beside, "systemd/" + std::string(kLocalUnit) + ".in");
}

base::Result<std::string> fill_unit(std::string_view unit, const std::string& program,
                                    const std::string& data) {
  for (const std::string& value : {program, data}) {
    if (value.empty() || value.front() != '/' || value.find_first_of("\r\n") != std::string::npos) {
      return base::Error{base::Errc::invalid,
                         "\"" + base::for_display(value) + "\" cannot be named in a unit"};
    }
  }
  std::string text(kHead);
  int commands = 0;
  for (const std::string& line :
       base::split(base::without_trailing(std::string(unit), '\n'), '\n')) {
    const bool command = line.compare(0, kCommand.size(), kCommand) == 0;
    commands += command ? 1 : 0;
    text += (command ? std::string(kCommand) + unit_word(program) +
                           " serve --listen 127.0.0.1:8787 --data " + unit_word(data)
                     : line) +
            "\n";
  }
  if (commands != 1) {
    return base::Error{base::Errc::invalid, "the shipped unit is damaged; reinstall robot-council"};
  }
  return text;
}

bool has_user_systemd(const base::Context& context) {
  return systemctl(context, {"show-environment"}).ok();
}

base::Result<UnitFile> plan_unit(const base::Context& context, const std::string& source,
                                 const std::string& program, const std::string& data) {
  const auto shipped = base::read_file(source, kMaxUnit);
  if (!shipped) {
    return base::Error{shipped.error().code,
                       "the shipped unit could not be read: " + shipped.error().what};
  }
  auto text = fill_unit(*shipped, program, data);
  if (!text) {
    return text.error();
  }
  UnitFile unit{local_unit_path(context.environment), std::move(*text), std::nullopt};
  auto before = read_unit(unit.path);
  if (!before) {
    return before.error();
  }
  if (*before && !is_ours(**before)) {
    return base::Error{base::Errc::refused,
                       unit.path + " is a unit that setup did not write; rename it first"};
  }
  unit.before = std::move(*before);
  return unit;
}

base::Status start_unit(const base::Context& context, const UnitFile& unit) {
  base::Status done;
  const std::string folder = base::parent_path(unit.path);
  if (!base::exists(folder)) {  // one that is there keeps its mode
    done = base::make_private_directory(folder);
  }
  if (done && (!unit.before || *unit.before != unit.text)) {
    done = base::replace_file(unit.path, unit.text, base::Sync::yes, kUnitMode);
  }
  const std::string name(kLocalUnit);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"daemon-reload"}, {"enable", name}, {"restart", name}}) {
    if (done) {
      done = systemctl(context, words);
    }
  }
  if (!done) {
    (void)stop_unit(context, unit.path, unit.before);  // what failed is told, not this
  }
  return done;
}

base::Status stop_unit(const base::Context& context, const std::string& path,
                       const std::optional<std::string>& before) {
  const auto stopped = systemctl(context, {"disable", "--now", std::string(kLocalUnit)});
  auto put = before ? base::replace_file(path, *before, base::Sync::yes, kUnitMode)
                    : base::remove_file(path);
  const auto read = systemctl(context, {"daemon-reload"});
  if (!put && put.error().code != base::Errc::not_found) {
    return put;
  }
  return stopped ? read : stopped;
}

Step take_unit(const base::Context& context, DryRun dry) {
  const std::string path = local_unit_path(context.environment);
  const auto there = read_unit(path);
  if (!there) {
    return {StepResult::failed, kStep, there.error().what};
  }
  if (!*there) {
    return {StepResult::ok, kStep, path + " is not there"};
  }
  if (!is_ours(**there)) {
    return {StepResult::ok, kStep, path + " is a unit that setup did not write; it stays"};
  }
  if (dry == DryRun::yes) {
    return {StepResult::changed, kStep, "would end the unit and remove " + path};
  }
  const auto stopped = stop_unit(context, path, std::nullopt);
  return stopped ? Step{StepResult::changed, kStep, path}
                 : Step{StepResult::failed, kStep,
                        (base::exists(path) ? "" : path + " is gone, but ") + stopped.error().what};
}

}  // namespace robot_council::wiring
