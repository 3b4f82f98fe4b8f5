#include "wiring/programs.hpp"

#include <string>
#include <utility>
#include <vector>

#include "base/child.hpp"
#include "base/files.hpp"
#include "base/json_value.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "base/version.hpp"
#include "sink/check.hpp"
#include "stop-hook/script.hpp"
#include "wiring/limits.hpp"

namespace robot_council::wiring {

namespace {

struct Script {
  std::string path;
  std::string harness;
  std::string version;
};

void add_script(std::vector<Script>& scripts, const std::string& folder,
                const std::string& harness) {
  const std::string path = base::join_path(folder, stop_hook::kScriptName);
  const auto text = base::read_file(path, kMaxFilledScript);
  const auto values =
      text ? stop_hook::read_script(*text) : base::Result<stop_hook::ScriptValues>(text.error());
  if (values) {
    scripts.push_back({path, harness, values->version});
  }
}

// DATA/hooks/<harness>/<script>, and one folder more for a project's.
std::vector<Script> filled_scripts(const base::Environment& environment) {
  std::vector<Script> scripts;
  const std::string hooks = base::join_path(base::data_directory(environment), "hooks");
  for (const auto& harness : base::list_directory(hooks).value_or({})) {
    const std::string folder = base::join_path(hooks, harness);
    add_script(scripts, folder, harness);
    for (const auto& name : base::list_directory(folder).value_or({})) {
      add_script(scripts, base::join_path(folder, name), harness);
    }
  }
  return scripts;
}

// What the network executable says of itself: {"version","tls"}.
base::Result<base::Json> ask_network(const base::Context& context, const std::string& path) {
  base::ChildOptions options;
  options.argv = {path, "linked"};
  options.environment = context.environment.all();
  options.standard_err = base::Stdio::pipe;
  const auto ran = base::run_child(std::move(options), {}, base::deadline_in(kVersionTime));
  if (!ran) {
    return ran.error();
  }
  auto told = base::parse_bounded(ran->out, kMaxVersionAnswer);
  if (!ran->status.success() || !told || !told->is_object()) {
    return base::Error{base::Errc::io, ran->err.empty() ? "it did not tell its version"
                                                        : base::for_display(ran->err)};
  }
  return told;
}

}  // namespace

int version(const base::Context& context, const Programs& programs, Shape shape,
            const std::function<base::Status(std::string_view)>& out) {
  const std::string own(base::version());
  const auto network = ask_network(context, programs.network);
  const std::string its = network ? base::get_string(*network, "version").value_or("") : "";
  const std::string tls = network ? base::get_string(*network, "tls").value_or("") : "";
  base::OrderedJson object = base::OrderedJson::object();
  object["version"] = own;
  object["executables"] = base::OrderedJson::array();
  object["executables"].push_back({{"path", programs.small}, {"version", own}});
  object["executables"].push_back(
      {{"path", programs.network},
       {"version", its.empty() ? base::OrderedJson() : base::OrderedJson(its)}});
  object["scripts"] = base::OrderedJson::array();
  object["sqlite"] = sink::sqlite_version();
  object["tls"] = tls.empty() ? base::OrderedJson() : base::OrderedJson(tls);
  std::string text =
      "robot-council " + own + "\n  " + programs.small + ": " + own + ", SQLite " +
      sink::sqlite_version() + "\n  " + programs.network + ": " +
      (its.empty() ? "does not start" : base::for_display(its) + ", " + base::for_display(tls)) +
      "\n";
  for (const Script& script : filled_scripts(context.environment)) {
    object["scripts"].push_back(
        {{"path", script.path},
         {"harness", script.harness},
         {"version",
          script.version.empty() ? base::OrderedJson() : base::OrderedJson(script.version)}});
    text += "  " + base::for_display(script.path) + ": " +
            (script.version.empty() ? "not filled by setup" : base::for_display(script.version)) +
            "\n";
  }
  const auto written = out(shape == Shape::json ? base::dump_safe(object) + "\n" : text);
  if (!written) {
    context.log.error("cannot write the answer to stdout: " + written.error().what);
    return kExitFailed;
  }
  if (!network) {
    context.log.error("cannot run " + programs.network + ": " + network.error().what +
                      "; reinstall robot-council");
    return kExitFailed;
  }
  if (its != own) {
    context.log.error(programs.network + " is " + base::for_display(its) + ", " + programs.small +
                      " is " + own + "; reinstall robot-council");
    return kExitFailed;
  }
  return kExitOk;
}

}  // namespace robot_council::wiring
