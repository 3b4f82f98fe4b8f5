#include "cli/ask.hpp"

#include "base/text.hpp"
#include "brake/ceremony.hpp"

namespace robot_council::cli {

bool may_write(const base::Context& context, const Args& args) {
  if (args.has("--yes") || args.has("--dry-run") || brake::Terminal::open().ok()) {
    return true;
  }
  context.log.error("there is no terminal to ask at; pass --yes, or --dry-run to see the changes");
  return false;
}

Said ask_to_write() {
  auto terminal = brake::Terminal::open();
  if (!terminal.ok()) {
    return Said::no;
  }
  const auto answer = terminal->ask("Write these changes? [y/N] ");
  if (answer.typed == brake::Terminal::Typed::interrupted) {
    return Said::interrupted;
  }
  const std::string text = base::to_lower_ascii(base::trim(answer.text));
  return answer.typed == brake::Terminal::Typed::line && (text == "y" || text == "yes") ? Said::yes
                                                                                        : Said::no;
}

}  // namespace robot_council::cli
