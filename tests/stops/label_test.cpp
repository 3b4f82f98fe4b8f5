#include "stops/label.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace robot_council::stops {
namespace {

bool bare(const std::string& text) {
  return label_reply({text}).goahead;
}

// Statement 98 and more of the pattern.
TEST(Label, BareGoAheads) {
  const std::vector<std::string> texts = {"Proceed.",
                                          "y",
                                          "ok go",
                                          "yes please",
                                          "LGTM, ship it",
                                          "let's do it",
                                          "let\xE2\x80\x99s do it!",
                                          "  go ahead \xF0\x9F\x91\x8D ",
                                          "Great, thanks. Continue!",
                                          "go ahead with it",
                                          "please go ahead",
                                          "do it now",
                                          "OK",
                                          "yep, merge the PR",
                                          "sounds good",
                                          "ok thanks",
                                          "yes,do it",
                                          "do as you suggested",
                                          "commit and push",
                                          "next step please"};
  for (const auto& text : texts) {
    EXPECT_TRUE(bare(text)) << text;
  }
}

// Statement 99 and the near misses.
TEST(Label, SomethingElse) {
  const std::vector<std::string> texts = {"yes but skip tests",
                                          "go ahead with option B",
                                          "2",
                                          "proceed?",
                                          "thanks",
                                          "",
                                          "   ",
                                          "go\nahead",
                                          "ok, but first the tests",
                                          "don't go",
                                          "don\xE2\x80\x99t",
                                          "no, continue",
                                          "great",
                                          "merge the branch",
                                          "go go",
                                          "yes yes yes yes yes yes yes",
                                          "okgo",
                                          "gopher",
                                          "\xF0\x9F\x91\x8D",
                                          "ja bitte",
                                          "continue with the other one",
                                          "then go"};
  for (const auto& text : texts) {
    EXPECT_FALSE(bare(text)) << text;
  }
  EXPECT_FALSE(bare("yes" + std::string(60, '!')));
  EXPECT_FALSE(label_reply({"go", true}).goahead);  // with an image, a document, a pasted block
}

// Rule 1 of the label: each alone makes a go-ahead something else.
TEST(Label, OneThingMoreAndItIsNoGoAhead) {
  for (const char* word :
       {"no",      "not",    "don't",   "dont",    "stop", "wait", "but",   "except",
        "instead", "unless", "without", "however", "also", "then", "first", "only",
        "hold",    "undo",   "revert",  "cancel",  "2",    "?",    "\n"}) {
    const std::string more(word);
    for (const std::string& text :
         {more, more + " go ahead", "go ahead " + more, "yes " + more, "go " + more + " ahead",
          "go ahead" + more, "yes, " + more + "."}) {
      const auto rest = base::trim(text);  // a line break around it is none
      EXPECT_EQ(bare(text), rest == "go ahead" || rest == "yes") << text;
    }
  }
  EXPECT_FALSE(bare("2024"));
  EXPECT_FALSE(bare("yes\r\nplease"));
}

// The two lengths, each where nothing else decides.
TEST(Label, LongRepliesAreNone) {
  EXPECT_TRUE(bare("ok ok ok ok ok ok"));
  EXPECT_FALSE(bare("ok ok ok ok ok ok ok"));
  EXPECT_TRUE(bare("yes" + std::string(45, '!')));
  EXPECT_FALSE(bare("yes" + std::string(46, '!')));
}

TEST(Label, NormalFormIsOnlyToldOfGoAheads) {
  EXPECT_EQ(label_reply({"  LGTM,   Ship it!! \xF0\x9F\x9A\x80"}).normal, "lgtm ship it");
  EXPECT_EQ(label_reply({"Let\xE2\x80\x99s do it."}).normal, "let's do it");
  EXPECT_EQ(label_reply({"my password is hunter2"}).normal, "");
}

TEST(Label, PatternIsShownWithItsErrors) {
  const std::string text = pattern_text();
  for (const char* part : {"goahead-1", "go ahead", "sounds good", "let's", "with that",
                           "Known errors", "other languages"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
}

}  // namespace
}  // namespace robot_council::stops
