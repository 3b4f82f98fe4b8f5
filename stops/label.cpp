#include "stops/label.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "stops/limits.hpp"

namespace robot_council::stops {
namespace {

using Words = std::vector<std::string>;
using View = std::string_view;

// All the words that a go-ahead is made of. Whatever stands in none of these lists, as a "?", a
// number, a line break, "no", "but" or "first", makes a reply something else.
constexpr auto kAssents = std::to_array<View>({"ok", "okay", "k", "yes", "yeah", "yep", "yup", "ya",
                                               "y", "sure", "fine", "please", "lgtm", "approved",
                                               "agreed", "confirmed", "looks good", "sounds good"});
constexpr auto kFillers =
    std::to_array<View>({"great", "perfect", "good", "nice", "cool", "right", "thanks", "thx",
                         "thank you", "alright", "lets", "let's"});
constexpr auto kPhrases = std::to_array<View>({"go",
                                               "go ahead",
                                               "go on",
                                               "go for it",
                                               "proceed",
                                               "continue",
                                               "carry on",
                                               "keep going",
                                               "resume",
                                               "next",
                                               "next step",
                                               "do it",
                                               "do that",
                                               "do this",
                                               "do so",
                                               "please do",
                                               "make it so",
                                               "ship it",
                                               "run it",
                                               "apply it",
                                               "start",
                                               "begin",
                                               "execute",
                                               "merge",
                                               "merge it",
                                               "merge this",
                                               "merge that",
                                               "merge the pr",
                                               "push",
                                               "push it",
                                               "commit",
                                               "commit it",
                                               "commit and push",
                                               "do as you suggest",
                                               "do as you suggested"});
constexpr auto kEndings =
    std::to_array<View>({"please", "now", "to it", "with it", "with that", "with this", "thanks"});

// Emoji and their joiners, by block: dingbats, symbols, arrows, pictographs, flags, skin tones.
bool is_emoji(char32_t c) {
  return (c >= 0x2190 && c <= 0x21FF) || (c >= 0x2300 && c <= 0x23FF) ||
         (c >= 0x2600 && c <= 0x27BF) || (c >= 0x2B00 && c <= 0x2BFF) || c == 0x200D ||
         c == 0xFE0F || c == 0x20E3 || (c >= 0x1F000 && c <= 0x1FAFF);
}

char32_t decode(View text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  if (first < 0x80) {
    return first;
  }
  int more = 1;
  char32_t value = first & 0x1FU;
  if (first >= 0xF0) {
    more = 3;
    value = first & 0x07U;
  } else if (first >= 0xE0) {
    more = 2;
    value = first & 0x0FU;
  }
  while (more-- > 0 && at < text.size()) {
    value = (value << 6U) | (static_cast<unsigned char>(text[at++]) & 0x3FU);
  }
  return value;
}

// Lower case, straight quotes, single blanks; emoji . ! , become blanks.
std::string normal_form(View text) {
  std::string out;
  bool blank = false;
  const auto put = [&out, &blank](View bytes) {
    if (blank && !out.empty()) {
      out += ' ';
    }
    blank = false;
    out += bytes;
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = at;
    const char32_t c = decode(text, at);
    if (c == ' ' || c == '\t' || c == '.' || c == '!' || c == ',' || c == 0xA0 || is_emoji(c)) {
      blank = true;
    } else if (c == 0x2018 || c == 0x2019) {
      put("'");
    } else if (c == 0x201C || c == 0x201D) {
      put("\"");
    } else {
      put(base::to_lower_ascii(text.substr(from, at - from)));
    }
  }
  return out;
}

Words words_of(View normal) {
  Words words;
  for (auto& word : base::split(normal, ' ')) {
    if (!word.empty()) {
      words.push_back(std::move(word));
    }
  }
  return words;
}

// How many of the words from `from` the phrase takes; 0 = it does not stand there.
std::size_t matches(const Words& words, std::size_t from, View phrase) {
  const Words wanted = words_of(phrase);
  if (wanted.empty() || words.size() - from < wanted.size()) {
    return 0;
  }
  return std::equal(wanted.begin(), wanted.end(), words.begin() + static_cast<std::ptrdiff_t>(from))
             ? wanted.size()
             : 0;
}

std::size_t longest(const Words& words, std::size_t from, std::span<const View> phrases) {
  std::size_t best = 0;
  for (const View phrase : phrases) {
    best = std::max(best, matches(words, from, phrase));
  }
  return best;
}

// One phrase to the end, or one phrase and one ending.
bool is_phrase(const Words& words, std::size_t from) {
  return std::any_of(kPhrases.begin(), kPhrases.end(), [&words, from](View phrase) {
    const std::size_t taken = matches(words, from, phrase);
    if (taken == 0) {
      return false;
    }
    const std::size_t rest = from + taken;
    return rest == words.size() ||
           std::any_of(kEndings.begin(), kEndings.end(), [&words, rest](View ending) {
             return rest + words_of(ending).size() == words.size() &&
                    matches(words, rest, ending) > 0;
           });
  });
}

bool is_goahead(const Words& words) {
  bool assented = false;
  for (std::size_t from = 0; from < words.size();) {
    if (is_phrase(words, from)) {
      return true;
    }
    const std::size_t assent = longest(words, from, kAssents);
    const std::size_t taken = std::max(assent, longest(words, from, kFillers));
    if (taken == 0) {
      return false;
    }
    assented = assented || assent == taken;
    from += taken;
  }
  return assented;
}

std::string list_of(std::span<const View> words) {
  std::string text;
  for (const View word : words) {
    if (!word.empty()) {
      text += text.empty() ? "" : ", ";
      text += word;
    }
  }
  return text;
}

}  // namespace

Label label_reply(const ReplyText& reply) {
  const View text = base::trim(reply.text);
  if (reply.attachment || text.size() > kMaxGoaheadChars * 4 ||
      base::count_code_points(text) > kMaxGoaheadChars) {
    return {};
  }
  const std::string normal = normal_form(text);
  const Words words = words_of(normal);
  if (words.size() > kMaxGoaheadWords || !is_goahead(words)) {
    return {};
  }
  return {true, normal};
}

std::string pattern_text() {
  std::string text = "goahead-1: when a reply counts as a bare go-ahead\n\n";
  text += "Never: an image, a document or a pasted block; over " +
          std::to_string(kMaxGoaheadWords) + " words or " + std::to_string(kMaxGoaheadChars) +
          " characters; anything that is not in the\nlists below: a \"?\", a number, a line break "
          "between words, a word like no, not, but, wait, first, only.\n\n";
  text += "In lower case and without emoji . ! and commas:\n";
  text += "  a phrase:   " + list_of(kPhrases) + "\n";
  text += "  at its end: nothing, or one of: " + list_of(kEndings) + "\n";
  text += "  before it any number of\n";
  text += "  assents:    " + list_of(kAssents) + "\n";
  text += "  fillers:    " + list_of(kFillers) + "\n";
  text += "Without a phrase it needs an assent: \"yes please\" counts, \"thanks\" does not.\n\n";
  text +=
      "Known errors: \"ok\" may close a topic instead of opening the next step; go-aheads in other "
      "languages\nand in more words are missed; an emoji alone is missed; what \"it\" means is not "
      "looked at.\n";
  return text;
}

}  // namespace robot_council::stops
