#include "cli/parse.hpp"

#include <algorithm>
#include <utility>

#include <CLI/CLI.hpp>

#include "base/utf8.hpp"

namespace robot_council::cli {
namespace {

base::Error unknown_option(const Command& command, std::string_view word) {
  const auto name = word.substr(0, word.find('='));
  std::string what = "Unknown option \"" + base::for_display(name) + "\" for \"" +
                     std::string(command.name) + "\".";
  if (command.unknown == Unknown::refused_with_list) {
    what += " It takes";
    for (const Option& option : command.options) {
      what += " " + std::string(option.name);
    }
    what += ".";
  } else if (command.usage_exit != 2) {
    what += " See robot-council " + std::string(command.name) + " --help.";
  }
  return base::Error{base::Errc::invalid, std::move(what)};
}

// "--project=": given and empty, so not given. CLI11 would take the next word as its value.
bool is_empty_value(const Command& command, std::string_view word) {
  return std::any_of(command.options.begin(), command.options.end(), [word](const Option& option) {
    return !option.value.empty() && word.size() == option.name.size() + 1 && word.back() == '=' &&
           word.substr(0, option.name.size()) == option.name;
  });
}

// "--keep-warm" alone, where that is allowed: the last word, or another option follows.
bool stands_alone(const Command& command, const std::string& word, const std::string* next) {
  const bool may =
      std::any_of(command.options.begin(), command.options.end(), [&word](const Option& option) {
        return option.bare == Bare::allowed && option.name == word;
      });
  return may && (next == nullptr || next->rfind("--", 0) == 0);
}

const Option* find_option(const Command& command, std::string_view name) {
  const auto found = std::find_if(command.options.begin(), command.options.end(),
                                  [name](const Option& option) { return option.name == name; });
  return found == command.options.end() ? nullptr : &*found;
}

// A value that is not there, or one where none is taken. CLI11's own words for both are for
// programmers.
base::Status check_value(const Command& command, const std::string& word, const std::string* next) {
  const auto equals = word.find('=');
  const Option* option = find_option(command, word.substr(0, equals));
  if (option == nullptr) {
    return {};
  }
  const std::string see = " See robot-council " + std::string(command.name) + " --help.";
  if (equals != std::string::npos) {
    return option->value.empty()
               ? base::Status(base::Error{
                     base::Errc::invalid,
                     "Option \"" + std::string(option->name) + "\" takes no value." + see})
               : base::Status();
  }
  const bool missing =
      !option->value.empty() && option->bare != Bare::allowed &&
      (next == nullptr || find_option(command, next->substr(0, next->find('='))) != nullptr);
  return missing ? base::Status(base::Error{base::Errc::invalid,
                                            "Option \"" + std::string(option->name) + "\" needs " +
                                                std::string(option->value) + "." + see})
                 : base::Status();
}

// A value given as a word of its own may be empty too: `--project ""`.
void drop_empty(std::vector<std::string>& values) {
  values.erase(std::remove(values.begin(), values.end(), std::string()), values.end());
}

base::Status check_choices(const Command& command, const Option& option,
                           const std::vector<std::string>& values) {
  // Commands with texts of their own for a bad value check it themselves.
  if (option.choices.empty() || command.usage_exit != 2) {
    return {};
  }
  for (const auto& value : values) {
    const std::string padded = " " + std::string(option.choices) + " ";
    if (padded.find(" " + value + " ") == std::string::npos) {
      return base::Error{base::Errc::invalid, std::string(option.name) +
                                                  " takes one of: " + std::string(option.choices) +
                                                  "; not \"" + base::for_display(value) + "\"."};
    }
  }
  return {};
}

base::Status check_arguments(const Command& command, const std::vector<std::string>& words) {
  std::size_t most = 0;
  bool rest = false;
  for (std::size_t i = 0; i < command.arguments.size(); ++i) {
    const Argument& argument = command.arguments[i];
    if (argument.required && words.size() <= i) {
      return base::Error{base::Errc::invalid, "\"" + std::string(command.name) + "\" needs " +
                                                  std::string(argument.name) +
                                                  ". See robot-council " +
                                                  std::string(command.name) + " --help."};
    }
    ++most;
    rest = rest || argument.rest;
  }
  if (!rest && words.size() > most) {
    return base::Error{base::Errc::invalid, "\"" + std::string(command.name) +
                                                "\" does not take \"" +
                                                base::for_display(words[most]) + "\"."};
  }
  return {};
}

bool is_option(std::string_view word) {
  return word.size() > 1 && word.front() == '-';
}

// "--project" or "--project=...". Telling CLI11 of an option costs more than reading it, and this
// runs at every turn end: so it is told only of those that are there.
bool stands_in(const std::vector<std::string>& words, const Option& option) {
  return std::any_of(words.begin(), words.end(), [&option](std::string_view word) {
    return word.substr(0, word.find('=')) == option.name;
  });
}

base::Result<Args> checked(const Command& command, Args args) {
  if (auto good = check_arguments(command, args.positionals()); !good) {
    return good.error();
  }
  return args;
}

}  // namespace

bool Args::has(std::string_view option) const {
  return options_.find(option) != options_.end();
}

std::optional<std::string> Args::value(std::string_view option) const {
  const auto found = options_.find(option);
  if (found == options_.end() || found->second.empty()) {
    return std::nullopt;
  }
  return found->second.back();
}

std::vector<std::string> Args::values(std::string_view option) const {
  const auto found = options_.find(option);
  return found == options_.end() ? std::vector<std::string>() : found->second;
}

base::Result<Args> parse(const Command& command, const std::vector<std::string>& words) try {
  Args args;
  std::vector<std::string> read;
  const auto dashes = std::find(words.begin(), words.end(), "--");
  for (auto word = words.begin(); word != dashes; ++word) {
    const auto next = word + 1;
    const auto good = check_value(command, *word, next == dashes ? nullptr : &*next);
    if (!good && command.unknown != Unknown::ignored) {
      return good.error();
    }
    if (stands_alone(command, *word, next == dashes ? nullptr : &*next)) {
      args.options_[*word] = {};
    } else if (!is_empty_value(command, *word)) {
      read.push_back(*word);
    }
  }
  if (dashes != words.end()) {
    args.after_dashes_.assign(dashes + 1, words.end());
  }
  if (std::none_of(read.begin(), read.end(), is_option)) {
    args.positionals_ = std::move(read);  // nothing for CLI11 to read
    return checked(command, std::move(args));
  }
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::map<std::string_view, std::vector<std::string>> values;
  std::map<std::string_view, CLI::Option*> known;
  for (const auto& option : command.options) {
    if (!stands_in(read, option)) {
      continue;
    }
    const std::string name(option.name);
    known[option.name] = option.value.empty()
                             ? app.add_flag(name)
                             : app.add_option(name, values[option.name])->allow_extra_args(false);
  }
  std::reverse(read.begin(), read.end());  // CLI11 reads a vector from its end
  app.parse(read);
  for (const auto& option : command.options) {
    if (known.count(option.name) == 0 || known[option.name]->count() == 0) {
      continue;
    }
    auto& given = values[option.name];
    if (!option.value.empty()) {
      drop_empty(given);
      if (given.empty()) {
        continue;
      }
      if (auto good = check_choices(command, option, given); !good) {
        return good.error();
      }
    }
    args.options_[std::string(option.name)] = given;
  }
  if (command.unknown == Unknown::ignored) {
    return args;
  }
  for (const auto& word : app.remaining()) {
    if (is_option(word)) {
      return unknown_option(command, word);
    }
    args.positionals_.push_back(word);
  }
  return checked(command, std::move(args));
} catch (const CLI::Error& failure) {
  if (command.unknown == Unknown::ignored) {
    return Args{};
  }
  return base::Error{base::Errc::invalid, base::for_display(failure.what()) + "."};
}

}  // namespace robot_council::cli
