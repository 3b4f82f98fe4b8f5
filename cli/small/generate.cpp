#include "cli/small/generate.hpp"

#include "base/atomic_file.hpp"
#include "base/files.hpp"
#include "cli/completion.hpp"
#include "cli/exit.hpp"
#include "cli/manual.hpp"

namespace robot_council::cli {
namespace {

constexpr unsigned kShipped = 0644;  // files that an installation gives to every user
constexpr unsigned kFolder = 0755;

int code(Exit exit) {
  return static_cast<int>(exit);
}

base::Status write_shipped(const std::string& folder, const std::string& name,
                           std::string_view text) {
  if (auto made = base::make_private_directory(folder); !made) {
    return made;
  }
  if (auto opened = base::set_mode(folder, kFolder); !opened) {
    return opened;
  }
  return base::replace_file(folder + "/" + name, text, base::Sync::no, kShipped);
}

base::Status write_all_shipped(const std::string& folder) {
  const std::string pages = folder + "/man/man1";
  if (auto wrote = write_shipped(pages, "robot-council.1", manual_page()); !wrote) {
    return wrote;
  }
  for (const auto& command : commands()) {
    if (command.show == Show::listed) {
      if (auto wrote = write_shipped(pages, manual_name(command) + ".1", manual_page(command));
          !wrote) {
        return wrote;
      }
    }
  }
  struct Place {
    const char* shell;
    const char* folder;
    const char* name;
  };
  for (const Place& place : {Place{"bash", "/bash-completion/completions", "robot-council"},
                             Place{"zsh", "/zsh/site-functions", "_robot-council"},
                             Place{"fish", "/fish/vendor_completions.d", "robot-council.fish"}}) {
    if (auto wrote = write_shipped(folder + place.folder, place.name,
                                   completion_script(place.shell).value_or(""));
        !wrote) {
      return wrote;
    }
  }
  return {};
}

}  // namespace

int run_completion(const base::Context& context, const Args& args) {
  const auto script = completion_script(args.positionals().front());
  if (!script) {
    context.log.error("completion takes bash, zsh or fish.");
    return code(Exit::usage);
  }
  return code(print(context, *script) ? Exit::ok : Exit::failed);
}

int run_generate(const base::Context& context, const Args& args) {
  if (auto wrote = write_all_shipped(args.positionals().front()); !wrote) {
    context.log.error(wrote.error().what);
    return code(Exit::failed);
  }
  return code(Exit::ok);
}

}  // namespace robot_council::cli
