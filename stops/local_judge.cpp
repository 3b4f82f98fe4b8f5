#include "stops/local_judge.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "base/json_value.hpp"
#include "base/text.hpp"
#include "stops/limits.hpp"
#include "stops/local_text.hpp"

namespace robot_council::stops {
namespace {

using Words = std::span<const std::string_view>;

constexpr double kUnsure = 0.5;
constexpr std::size_t kShortQuestion = 7;  // words

constexpr auto kNoAsk =
    std::to_array<std::string_view>({"no need", "no approval", "without asking", "you asked"});
constexpr auto kAsk = std::to_array<std::string_view>(
    {"shall i",  "shall we", "should i",   "should we",  "may i",       "may we",   "can i",
     "can we",   "could i",  "could we",   "want me to", "like me to",  "ok to",    "ok if",
     "ok with",  "okay to",  "okay if",    "okay with",  "fine to",     "fine if",  "fine with",
     "happy to", "happy if", "happy with", "mind if",    "you approve", "you agree"});
constexpr auto kGo =
    std::to_array<std::string_view>({"proceed", "continue", "go", "merge", "push", "deploy", "ship",
                                     "start", "run", "apply", "commit", "ready"});
constexpr auto kWord = std::to_array<std::string_view>({"say the word",
                                                        "say go",
                                                        "your go-ahead",
                                                        "your approval",
                                                        "your ok",
                                                        "your sign-off",
                                                        "your confirmation",
                                                        "green light",
                                                        "once you approve",
                                                        "once you agree",
                                                        "once you confirm",
                                                        "if you approve",
                                                        "if you agree",
                                                        "if you confirm",
                                                        "if you want me to",
                                                        "if you would like me to",
                                                        "when you are ready",
                                                        "whenever you are ready",
                                                        "if i should",
                                                        "whether i should",
                                                        "whether to proceed",
                                                        "whether to go on"});
constexpr auto kWh =
    std::to_array<std::string_view>({"which", "what", "where", "who", "when", "why", "how"});
constexpr auto kChoose = std::to_array<std::string_view>({"your call", "your choice", "up to you"});
constexpr auto kChooseVerbs =
    std::to_array<std::string_view>({"tell me", "let me know", "choose", "pick", "decide"});
constexpr auto kInfo =
    std::to_array<std::string_view>({"can you", "could you", "would you", "will you", "do you",
                                     "have you", "are you", "did you", "is there", "are there"});
constexpr auto kGive = std::to_array<std::string_view>(
    {"please provide",     "please share",   "please paste",    "please send",    "please tell",
     "please choose",      "please pick",    "please specify",  "please add",     "please run",
     "please check",       "please confirm", "i need the",      "i need a",       "i need your",
     "i need you",         "i need access",  "i still need",    "i am missing",   "cannot continue",
     "cannot proceed",     "blocked",        "waiting for you", "waiting on you", "tell me whether",
     "let me know whether"});
constexpr auto kOffer = std::to_array<std::string_view>(
    {"if you want", "if you like", "if you would like", "let me know if", "let me know when",
     "i can also", "i could also", "happy to", "next step", "i suggest", "i recommend", "i propose",
     "i would suggest", "i would recommend", "i would propose"});
constexpr auto kHardVerbs = std::to_array<std::string_view>(
    {"merge",     "push",   "publish", "release",  "deploy",  "ship",      "delete",
     "drop",      "purge",  "wipe",    "truncate", "migrate", "overwrite", "destroy",
     "terminate", "revoke", "rotate",  "send",     "post",    "email",     "tag",
     "upload",    "pay",    "buy",     "force"});
constexpr auto kHard =
    std::to_array<std::string_view>({"deployment", "migration", "production", "prod", "rm -rf",
                                     "reset --hard", "shut down", "roll out"});
constexpr auto kMildVerbs =
    std::to_array<std::string_view>({"apply", "remove", "replace", "rename", "reset", "restart",
                                     "upgrade", "disable", "move", "rebase", "close"});
constexpr auto kMild = std::to_array<std::string_view>({"clean up"});
constexpr auto kSoft = std::to_array<std::string_view>(
    {"draft", "dry run", "dry-run", "local", "locally", "sandbox", "staging"});
constexpr auto kLeading =
    std::to_array<std::string_view>({"so", "and", "but", "also", "then", "or", "ok", "okay"});

bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '\'' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Where the phrase stands as whole words, from `from` on; npos if nowhere.
std::size_t find_phrase(std::string_view text, std::string_view phrase, std::size_t from = 0) {
  for (std::size_t at = text.find(phrase, from); at != std::string_view::npos && !phrase.empty();
       at = text.find(phrase, at + 1)) {
    const std::size_t end = at + phrase.size();
    if ((at == 0 || !in_word(text[at - 1])) && (end == text.size() || !in_word(text[end]))) {
      return at;
    }
  }
  return std::string_view::npos;
}

bool has(std::string_view text, std::string_view phrase) {
  return find_phrase(text, phrase) != std::string_view::npos;
}

bool has_any(std::string_view text, Words phrases) {
  return std::any_of(phrases.begin(), phrases.end(),
                     [text](std::string_view phrase) { return has(text, phrase); });
}

// The verb itself or its form in -ing: merging, pushing, shipping.
bool has_verb(std::string_view text, Words verbs) {
  return std::any_of(verbs.begin(), verbs.end(), [text](std::string_view verb) {
    const std::string whole(verb);
    const std::string stem = whole.back() == 'e' ? whole.substr(0, whole.size() - 1) : whole;
    return has(text, whole) || has(text, stem + "ing") || has(text, whole + whole.back() + "ing");
  });
}

bool is_one_of(std::string_view word, Words words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    if (!in_word(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && text[end] != ' ') {
      ++end;
    }
    std::size_t last = end;
    while (last > at && !in_word(text[last - 1])) {
      --last;
    }
    words.push_back(text.substr(at, last - at));
    at = end;
  }
  return words;
}

std::string_view first_word(const std::vector<std::string_view>& words) {
  std::size_t at = 0;
  while (at + 1 < words.size() && is_one_of(words[at], kLeading)) {
    ++at;
  }
  return words.empty() ? std::string_view() : words[at];
}

// `or` but not `or not`.
bool has_or(std::string_view text) {
  for (std::size_t at = find_phrase(text, "or"); at != std::string_view::npos;
       at = find_phrase(text, "or", at + 1)) {
    if (find_phrase(text.substr(at), "or not") != 0) {
      return true;
    }
  }
  return false;
}

// "let me know which", "pick one".
bool has_choose_pair(std::string_view text) {
  for (const std::string_view verb : kChooseVerbs) {
    for (const std::string_view wh : kWh) {
      if (has(text, std::string(verb) + " " + std::string(wh))) {
        return true;
      }
    }
    if (has(text, std::string(verb) + " one") || has(text, std::string(verb) + " between")) {
      return true;
    }
  }
  return false;
}

enum class Kind : std::uint8_t { none, choice, approval, info, question, offer };

Kind kind_of(const Sentence& sentence) {
  const std::string_view text = sentence.words;
  if (has_any(text, kNoAsk)) {
    return Kind::none;
  }
  const std::vector<std::string_view> words = words_of(text);
  const std::string_view first = first_word(words);
  const bool go = words.size() <= kShortQuestion && (is_one_of(first, kGo) || first == "ok");
  const bool asking = (sentence.question && (has_any(text, kAsk) || go)) || has_any(text, kWord);
  if (((sentence.question || asking) && has_or(text)) ||
      (sentence.question && (is_one_of(first, kWh) || has(text, "which"))) ||
      has_any(text, kChoose) || has_choose_pair(text)) {
    return Kind::choice;
  }
  if (asking) {
    return Kind::approval;
  }
  if ((sentence.question && has_any(text, kInfo)) || has_any(text, kGive)) {
    return Kind::info;
  }
  if (sentence.question) {
    return Kind::question;
  }
  return has_any(text, kOffer) ? Kind::offer : Kind::none;
}

double hardness(const Sentence& sentence) {
  const std::string_view text = sentence.with_code;
  if (has_verb(text, kHardVerbs) || has_any(text, kHard)) {
    return has_any(text, kSoft) ? kUnsure : 1;
  }
  return has_verb(text, kMildVerbs) || has_any(text, kMild) ? kUnsure : 0;
}

struct Findings {
  double asks_approval = 0;
  double needs_input = 0;
  double hard_to_undo = 0;
};

Findings look(const std::vector<Sentence>& sentences) {
  Findings found;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const Kind kind = kind_of(sentences[i]);
    if (kind == Kind::approval || kind == Kind::offer) {
      found.asks_approval = std::max(found.asks_approval, kind == Kind::approval ? 1 : kUnsure);
    }
    if (kind == Kind::choice || kind == Kind::info || kind == Kind::question) {
      found.needs_input = std::max(found.needs_input, kind == Kind::question ? kUnsure : 1);
    }
    if (kind == Kind::approval || kind == Kind::choice || kind == Kind::offer) {
      found.hard_to_undo = std::max(found.hard_to_undo, hardness(sentences[i]));
      if (i > 0) {
        found.hard_to_undo = std::max(found.hard_to_undo, hardness(sentences[i - 1]));
      }
    }
  }
  return found;
}

}  // namespace

JudgeResult ask_local(const Request& request) {
  const base::Result<base::Json> state =
      base::parse_bounded(request.state, kMaxJudgeRequestBytes * 2);
  if (!state.ok()) {
    return JudgeError{JudgeErrorKind::invalid_request, "the state is no JSON"};
  }
  const std::string text = base::get_string(*state, "closing_message").value_or("");
  const bool cut = base::get_bool(*state, "cut").value_or(false);
  const Findings found = look(last_sentences(text, cut ? Start::cut : Start::whole));
  Reply reply;
  reply.model = kLocalModel;
  reply.p_kind = PKind::phrase;
  for (const Question& question : request.questions) {
    double p = kUnsure;
    if (question.name == "asks_approval") {
      p = found.asks_approval;
    } else if (question.name == "needs_input") {
      p = found.needs_input;
    } else if (question.name == "hard_to_undo") {
      p = found.hard_to_undo;
    }
    reply.answers[question.name] = p;
  }
  return reply;
}

}  // namespace robot_council::stops
