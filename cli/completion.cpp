#include "cli/completion.hpp"

#include <functional>
#include <set>

#include "base/text.hpp"
#include "cli/command.hpp"

namespace robot_council::cli {
namespace {

void each_listed(const std::function<void(const Command&)>& use) {
  for (const auto& command : commands()) {
    if (command.show == Show::listed) {
      use(command);
    }
  }
}

// "hooks" of "hooks scan", each once, in order.
std::string first_words() {
  std::set<std::string, std::less<>> seen;
  std::string words;
  each_listed([&](const Command& command) {
    const std::string word = base::split(command.name, ' ').front();
    if (seen.insert(word).second) {
      words += (words.empty() ? "" : " ") + word;
    }
  });
  return words;
}

std::string option_words(const Command& command) {
  std::string words;
  for (const auto& option : command.options) {
    words += std::string(option.name) + " ";
  }
  return words + "--help";
}

// Second words of a group, as "scan" of "hooks scan".
std::string second_words(std::string_view first) {
  std::string words;
  const std::string head = std::string(first) + " ";
  each_listed([&](const Command& command) {
    if (command.name.substr(0, head.size()) == head) {
      words += (words.empty() ? "" : " ") + std::string(command.name.substr(head.size()));
    }
  });
  return words;
}

// A word of a help text inside single quotes of zsh and fish.
std::string quoted(std::string_view text) {
  return base::replace_all(std::string(text), "'", "'\\''");
}

std::string bash_script() {
  std::string text =
      "# bash completion for robot-council, made from its command table\n"
      "_robot_council() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]:-} two\n"
      "  two=\"$command ${COMP_WORDS[2]:-}\"\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '" +
      first_words() +
      " --help --version' -- \"$cur\"))\n"
      "    return\n"
      "  fi\n"
      "  case $two in\n";
  each_listed([&](const Command& command) {
    if (command.name.find(' ') != std::string_view::npos) {
      text += "    '" + std::string(command.name) + "'*) COMPREPLY=($(compgen -W '" +
              option_words(command) + "' -- \"$cur\")); return ;;\n";
    }
  });
  text += "  esac\n  case $command in\n";
  each_listed([&](const Command& command) {
    if (command.name.find(' ') == std::string_view::npos) {
      const std::string more = second_words(command.name);
      text += "    " + std::string(command.name) + ") COMPREPLY=($(compgen -W '" +
              option_words(command) + (more.empty() ? "" : " " + more) + "' -- \"$cur\")) ;;\n";
    }
  });
  std::set<std::string, std::less<>> groups;
  each_listed([&](const Command& command) {
    const auto words = base::split(command.name, ' ');
    if (words.size() > 1 && find_command(words[0]) == nullptr && groups.insert(words[0]).second) {
      text += "    " + words[0] + ") COMPREPLY=($(compgen -W '" + second_words(words[0]) +
              "' -- \"$cur\")) ;;\n";
    }
  });
  return text + "  esac\n}\ncomplete -F _robot_council robot-council\n";
}

std::string zsh_script() {
  std::string text =
      "#compdef robot-council\n"
      "# zsh completion for robot-council, made from its command table\n"
      "_robot_council() {\n"
      "  local -a names\n"
      "  if (( CURRENT == 2 )); then\n"
      "    names=(\n";
  each_listed([&](const Command& command) {
    if (command.name.find(' ') == std::string_view::npos) {
      text += "      '" + std::string(command.name) + ":" + quoted(command.summary) + "'\n";
    }
  });
  std::set<std::string, std::less<>> groups;
  each_listed([&](const Command& command) {
    const auto words = base::split(command.name, ' ');
    if (words.size() > 1 && find_command(words[0]) == nullptr && groups.insert(words[0]).second) {
      text += "      '" + words[0] + ":" + second_words(words[0]) + "'\n";
    }
  });
  text +=
      "    )\n    _describe command names\n    return\n  fi\n  case \"$words[2] $words[3]\" in\n";
  each_listed([&](const Command& command) {
    const bool two = command.name.find(' ') != std::string_view::npos;
    if (two) {
      text += "    '" + std::string(command.name) + "'*) compadd -- " + option_words(command) +
              "; return ;;\n";
    }
  });
  text += "  esac\n  case \"$words[2]\" in\n";
  each_listed([&](const Command& command) {
    if (command.name.find(' ') == std::string_view::npos) {
      const std::string more = second_words(command.name);
      text += "    " + std::string(command.name) + ") compadd -- " + option_words(command) +
              (more.empty() ? "" : " " + more) + " ;;\n";
    }
  });
  for (const auto& group : groups) {
    text += "    " + group + ") compadd -- " + second_words(group) + " ;;\n";
  }
  return text + "  esac\n}\ncompdef _robot_council robot-council\n";
}

std::string fish_script() {
  std::string text =
      "# fish completion for robot-council, made from its command table\ncomplete -c robot-council "
      "-f\n";
  each_listed([&](const Command& command) {
    const auto words = base::split(command.name, ' ');
    std::string condition = "__fish_seen_subcommand_from " + words[0];
    if (words.size() == 1) {
      text += "complete -c robot-council -n __fish_use_subcommand -a '" + words[0] + "' -d '" +
              quoted(command.summary) + "'\n";
    } else {
      text += "complete -c robot-council -n __fish_use_subcommand -a '" + words[0] + "'\n";
      text += "complete -c robot-council -n '" + condition + "' -a '" + words[1] + "' -d '" +
              quoted(command.summary) + "'\n";
      condition += "; and __fish_seen_subcommand_from " + words[1];
    }
    for (const auto& option : command.options) {
      text += "complete -c robot-council -n '" + condition + "' -l '" +
              std::string(option.name.substr(2)) + "'" + (option.value.empty() ? "" : " -r") +
              " -d '" + quoted(option.help) + "'\n";
    }
  });
  return text;
}

}  // namespace

std::optional<std::string> completion_script(std::string_view shell) {
  if (shell == "bash") {
    return bash_script();
  }
  if (shell == "zsh") {
    return zsh_script();
  }
  if (shell == "fish") {
    return fish_script();
  }
  return std::nullopt;
}

}  // namespace robot_council::cli
