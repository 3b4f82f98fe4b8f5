#include "harness/settings_command.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/files.hpp"
#include "base/text.hpp"

namespace robot_council::harness {

namespace {

constexpr std::string_view kScriptName = "robot-council-stop-hook";
constexpr std::string_view kProgramName = "robot-council";

// One word of a shell's line, or an operator.
struct Word {
  std::string text;
  bool is_operator = false;
};

bool is_blank_byte(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool is_operator_byte(char c) {
  return c == '|' || c == '&' || c == ';' || c == '<' || c == '>' || c == '(' || c == ')';
}

class Splitter {
 public:
  explicit Splitter(std::string_view line) : s_(line) {}

  std::vector<Word> split() {
    while (i_ < s_.size()) {
      const char c = s_[i_];
      if (is_blank_byte(c)) {
        end_word();
        ++i_;
      } else if (is_operator_byte(c)) {
        end_word();
        take_operator();
      } else if (c == '\'' || c == '"') {
        take_quoted(c);
      } else if (c == '\\') {
        take_backslash();
      } else {
        add(c);
        ++i_;
      }
    }
    end_word();
    return std::move(words_);
  }

 private:
  void add(char c) {
    word_ += c;
    open_ = true;
  }

  void end_word() {
    if (open_) {
      words_.push_back({std::move(word_), false});
    }
    word_.clear();
    open_ = false;
  }

  void take_operator() {
    const char c = s_[i_];
    std::string text(1, c);
    if (i_ + 1 < s_.size() && s_[i_ + 1] == c && (c == '|' || c == '&')) {
      text += c;
      ++i_;
    }
    ++i_;
    words_.push_back({std::move(text), true});
  }

  void take_quoted(char quote) {
    open_ = true;
    for (++i_; i_ < s_.size() && s_[i_] != quote; ++i_) {
      const bool escaped = quote == '"' && s_[i_] == '\\' && i_ + 1 < s_.size() &&
                           (s_[i_ + 1] == '"' || s_[i_ + 1] == '$' || s_[i_ + 1] == '`');
      if (escaped) {
        ++i_;
      }
      add(!escaped && s_[i_] == '\\' ? '/' : s_[i_]);
    }
    ++i_;
  }

  void take_backslash() {
    const char next = i_ + 1 < s_.size() ? s_[i_ + 1] : '\0';
    if (next == ' ' || next == '\'' || next == '"' || next == '$' || next == '(' || next == ')' ||
        next == '&') {
      add(next);
      i_ += 2;
    } else {
      add('/');
      ++i_;
    }
  }

  std::string_view s_;
  std::size_t i_ = 0;
  std::string word_;
  bool open_ = false;
  std::vector<Word> words_;
};

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0 || (word[0] >= '0' && word[0] <= '9')) {
    return false;
  }
  return std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals), [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  });
}

bool has_word(const std::vector<std::string>& words, std::string_view wanted) {
  return std::find(words.begin(), words.end(), wanted) != words.end();
}

CommandForm form_of(std::string_view program, const std::vector<std::string>& words) {
  const std::string name = base::base_name(base::replace_all(std::string(program), "\\", "/"));
  if (name == kScriptName) {
    return has_word(words, "--wait") ? CommandForm::wait : CommandForm::script;
  }
  if (name != kProgramName && name != "robot-council.php") {
    return CommandForm::other;
  }
  const std::string verb = words.empty() ? std::string() : words[0];
  if (verb == "pending") {
    return CommandForm::pending;
  }
  if (verb == "wait") {
    return CommandForm::wait;
  }
  if (verb == "brake-check") {
    return CommandForm::brake;
  }
  return verb == "stops" && words.size() > 1 && words[1] == "record" ? CommandForm::record
                                                                     : CommandForm::other;
}

// The simple command that begins at words[at]: its program and arguments.
HookCommand simple_command(const std::vector<Word>& words, std::size_t at) {
  HookCommand command;
  while (at < words.size() && !words[at].is_operator && is_assignment(words[at].text)) {
    command.assignments.push_back(words[at].text);
    ++at;
  }
  if (at >= words.size() || words[at].is_operator) {
    return command;
  }
  command.program = words[at].text;
  for (++at; at < words.size() && !words[at].is_operator; ++at) {
    command.words.push_back(words[at].text);
  }
  command.form = form_of(command.program, command.words);
  return command;
}

}  // namespace

std::string HookCommand::option(std::string_view name) const {
  const std::string flag = "--" + std::string(name);
  std::string value;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == flag && i + 1 < words.size()) {
      value = words[i + 1];
    } else if (words[i].rfind(flag + "=", 0) == 0) {
      value = words[i].substr(flag.size() + 1);
    }
  }
  return value;
}

bool HookCommand::has_option(std::string_view name) const {
  const std::string flag = "--" + std::string(name);
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return word == flag || word.rfind(flag + "=", 0) == 0;
  });
}

HookCommand read_command(std::string_view line) {
  const std::vector<Word> words = Splitter(line).split();
  HookCommand command = simple_command(words, 0);
  for (std::size_t i = 0; i < words.size() && !command.ours(); ++i) {
    if (words[i].is_operator && words[i].text == "||") {
      HookCommand after = simple_command(words, i + 1);
      if (after.ours()) {
        command = std::move(after);
      }
    }
  }
  // The brake's line is a shell inside a shell; it is told by the text that never changes.
  if (!command.ours() &&
      line.find("robot-council brake-check --client") != std::string_view::npos) {
    command.form = CommandForm::brake;
  }
  command.names_us = line.find(kProgramName) != std::string_view::npos;
  return command;
}

HookCommand read_command(std::string_view program, const std::vector<std::string>& arguments) {
  HookCommand command;
  command.program = program;
  command.words = arguments;
  command.form = form_of(program, arguments);
  command.names_us = program.find(kProgramName) != std::string_view::npos ||
                     std::any_of(arguments.begin(), arguments.end(), [](const std::string& word) {
                       return word.find(kProgramName) != std::string::npos;
                     });
  return command;
}

}  // namespace robot_council::harness
