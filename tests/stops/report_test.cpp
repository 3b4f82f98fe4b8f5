#include "stops/report.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "stops/interval.hpp"
#include "stops/report_print.hpp"
#include "tests/lib/sink_fixture.hpp"
#include "tests/stops/report_fixture.hpp"

namespace robot_council::stops {
namespace {

using test::ReportHome;
using Flags = ReportFlags;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Interval, Wilson95) {  // 101
  const auto share = share_of(41, 47);
  ASSERT_TRUE(share);
  EXPECT_EQ(percent(share->rate), 87);
  EXPECT_EQ(percent(share->low), 75);
  EXPECT_EQ(percent(share->high), 94);
  EXPECT_EQ(percent(share_of(41, 63)->low), 53);
  EXPECT_EQ(percent(share_of(41, 63)->high), 76);
  EXPECT_EQ(percent(share_of(10, 41)->low), 14);
  EXPECT_EQ(percent(share_of(10, 41)->high), 39);
  EXPECT_EQ(share_of(0, 5)->low, 0);
  EXPECT_EQ(share_of(5, 5)->high, 1);
  EXPECT_FALSE(share_of(0, 0));
}

TEST(Report, SampleOfTheManual) {  // 101
  ReportHome home;
  home.sample();
  const std::string text = home.report();
  EXPECT_TRUE(has(text,
                  "                bare go-ahead   something else   all\n"
                  "set: continue              41                6    47\n"
                  "set: leave                 22              198   220\n"
                  "all                        63              204   267\n"))
      << text;
  EXPECT_TRUE(
      has(text,
          "Of 47 stops the set would have continued, 41 (87%, 95% 75-94) were followed by a "
          "bare go-ahead.\n"
          "It would have spared 41 of 63 go-aheads (65%, 95% 53-76) and run past 6 answers: "
          "--list continue/other\n"))
      << text;
  EXPECT_TRUE(has(text, "Stops judged and the next prompt typed  2026-11-30 .. 2026-11-30\n"))
      << text;
  EXPECT_TRUE(has(text, "questions 1c0e  rules 77ab  judge local phrases-1, nothing sent\n"))
      << text;
  EXPECT_TRUE(has(text, "1 session, 1 project\n")) << text;
  EXPECT_TRUE(has(text, "Median time to it: 12 s.\n")) << text;
  EXPECT_TRUE(has(text,
                  "Left out 0.\nUnreadable 0, dropped 0. Never seen: turns ended by Esc, an API "
                  "error, a question dialog.\n"))
      << text;
}

TEST(Report, NoLogAndNoPairAreFine) {  // 100
  ReportHome empty;
  auto answer = run_report({}, {empty.clock, empty.environment, empty.log});
  ASSERT_TRUE(answer.ok());
  EXPECT_TRUE(has(*answer, "No turn ends recorded")) << *answer;
  EXPECT_EQ(base::file_info(empty.dir / "state", base::Links::dont).ok(), false);
  ReportHome home;
  home.add(home.line(ReportHome::kStart));
  const std::string text = home.report();
  EXPECT_TRUE(has(text, "0 pairs: too few to read")) << text;
  EXPECT_TRUE(has(text, "Left out 1: no_transcript 1.")) << text;
}

TEST(Report, NineteenAreTooFewTwentyAreRates) {  // 100
  ReportHome home;
  home.turns(19, true, "go");
  EXPECT_TRUE(has(home.report(), "19 pairs: too few to read"));
  EXPECT_TRUE(home.json()["rates"]["continue_precision"].is_null());
  home.turn(true, "go");
  const std::string text = home.report();
  EXPECT_FALSE(has(text.substr(0, text.find("Did it stop")), "too few")) << text;
  EXPECT_TRUE(has(text, "Of 20 stops the set would have continued, 20 (100%, 95% 84-100)")) << text;
  EXPECT_EQ(home.json()["rates"]["continue_precision"], 1.0);
}

TEST(Report, PairsAndLeftOutAreAllLines) {  // 102
  ReportHome home;
  home.turns(3, true, "go");
  auto line = home.line(ReportHome::kStart + 3600000);
  line.outcome = Outcome::skipped;
  line.skip = "background_tasks";
  home.add(line);
  line = home.line(ReportHome::kStart + 3700000);
  line.host = "codex";
  home.add(line);
  line = home.line(ReportHome::kStart + 3800000);
  line.outcome = Outcome::error;
  home.add(line);
  line = home.line(ReportHome::kStart + 3900000);
  line.session_id = "gone";
  line.transcript_path = home.dir / "elsewhere.jsonl";
  home.add(line);
  home.add_raw("{torn");
  const auto json = home.json();
  EXPECT_EQ(json["log"]["lines"], 7);
  EXPECT_EQ(json["log"]["bad"], 1);
  EXPECT_EQ(json["pairs"].size(), 3U);
  EXPECT_EQ(json["left_out"], (base::Json{{"background_tasks", 1},
                                          {"no_transcript_reader", 1},
                                          {"error", 1},
                                          {"no_transcript", 1}}));
}

TEST(Report, RotatedHalfIsReadFirst) {
  ReportHome home;
  home.turns(2, true, "go");
  home.save();
  test::write_text(home.log_path() + ".1", to_json(home.line(ReportHome::kStart - 5000)) + "\n");
  test::write_text(base::parent_path(home.log_path()) + "/stops.dropped", "xxx");
  auto answer = run_report({}, {home.clock, home.environment, home.log});
  ASSERT_TRUE(answer.ok());
  EXPECT_TRUE(has(*answer, "stops.jsonl.1, ")) << *answer;
  EXPECT_TRUE(has(*answer, "dropped 3.")) << *answer;
  EXPECT_TRUE(has(*answer, "unmatched 1.")) << *answer;
}

TEST(Report, RangeAndSessionChooseLines) {
  ReportHome home;
  home.turns(10, true, "go");
  Flags flags;
  flags.since = "2026-11-30T00:03:00Z";
  flags.until = "2026-11-30T00:05:59Z";
  EXPECT_EQ(home.json(flags)["log"]["lines"], 3);
  flags.until = "2026-11-29";
  flags.since.reset();
  EXPECT_EQ(home.json(flags)["log"]["lines"], 0);
  flags = {};
  flags.since = "30d";
  EXPECT_EQ(home.json(flags)["log"]["lines"], 10);
  flags.session = "other";
  EXPECT_EQ(home.json(flags)["log"]["lines"], 0);
}

TEST(Report, PolicyScoresTheLoggedAnswersAgain) {  // 103
  ReportHome home;
  home.turns(5, true, "go");
  home.turns(5, false, "something else entirely");
  const std::string policy = R"(version: 1
policies:
 stop:
  questions:
   asks_approval: {instructions: "a"}
   needs_input: {instructions: "b"}
   hard_to_undo: {instructions: "c"}
  rules:
   - {when: {asks_approval: {p: "<=0.10"}}, then: continue}
   - default: leave
)";
  test::write_text(home.dir / "p.yaml", policy);
  Flags flags;
  flags.policy = home.dir / "p.yaml";
  const auto json = home.json(flags);
  const auto parsed = parse_policy(policy);
  ASSERT_TRUE(parsed.ok());
  for (const auto& pair : json["pairs"]) {
    Answers answers;
    for (const auto& item : pair["answers"].items()) {
      answers[item.key()] = item.value().get<double>();
    }
    const Decision fresh = rescore(answers, *parsed);
    EXPECT_EQ(pair["verdict"], verdict_text(fresh.verdict));
    EXPECT_EQ(pair["reason"]["kind"], reason_name(fresh.reason.kind));
  }
  EXPECT_EQ(json["cells"]["continue"], (base::Json{{"goahead", 0}, {"other", 5}}));
  EXPECT_EQ(json["groups"][0]["rules"], parsed->fingerprints.rules);
  EXPECT_TRUE(has(home.report(flags), "rules for other questions than were asked: 10 pairs"));
}

TEST(Report, TwoFingerprintsAreTwoTables) {  // 107
  ReportHome home;
  home.turns(3, true, "go");
  auto other = home.line(ReportHome::kStart + 7200000);
  other.policy->questions = "ffff000011112222";
  home.add(other);
  home.type(ReportHome::kStart + 7260000, "go");
  const std::string text = home.report();
  EXPECT_TRUE(has(text, "questions 1c0e  rules 77ab")) << text;
  EXPECT_TRUE(has(text, "questions ffff  rules 77ab")) << text;
  EXPECT_EQ(home.json()["groups"].size(), 2U);
}

// What is 0 or 1 by nature is not counted with what is a probability, nor one model with another.
TEST(Report, OtherModelsAndSortsOfNumbersAreOtherTables) {  // 107
  ReportHome home;
  home.turn(true, "go");
  auto other = home.line(ReportHome::kStart + 7200000);
  other.p_kind = PKind::probability;
  home.add(other);
  home.type(ReportHome::kStart + 7260000, "go");
  other = home.line(ReportHome::kStart + 7300000);
  other.model = "phrases-2";
  home.add(other);
  home.type(ReportHome::kStart + 7360000, "go");
  const auto groups = home.json()["groups"];
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0]["p_kind"], "phrase");
  EXPECT_EQ(groups[1]["p_kind"], "probability");
  EXPECT_EQ(groups[2]["model"], "phrases-2");
}

TEST(Report, NoPromptTextWithoutWithText) {  // 105
  ReportHome home;
  home.turn(true, "the zebra word, with ghp_0123456789abcdefghijABCDEFGHIJ012345");
  home.turn(true, "go ahead");
  Flags flags;
  flags.list = "continue/other";
  EXPECT_FALSE(has(home.report(flags), "zebra"));
  EXPECT_FALSE(has(home.json().dump(), "zebra"));
  EXPECT_FALSE(has(home.report(), "zebra"));
  flags.html = home.dir / "p.html";
  EXPECT_TRUE(has(home.report(flags), "continue/other: 1"));
  EXPECT_FALSE(has(test::read_text(home.dir / "p.html"), "zebra"));
  flags.html.reset();
  flags.with_text = Flags::Text::yes;
  const std::string shown = home.report(flags);
  EXPECT_TRUE(has(shown, "    > the zebra word, with [REDACTED:github]")) << shown;
  flags.list.reset();
  EXPECT_EQ(home.json(flags)["pairs"][0]["next"]["text"], "the zebra word, with [REDACTED:github]");
}

// 105: also where the words are held.
TEST(Report, ListAndJsonShowTextOnlyWhenTold) {
  ReportHome home;
  home.turn(true, "the zebra word");
  home.save();
  ReportQuery query;
  query.log.path = home.log_path();
  query.roots.projects = home.dir / ".claude/projects";
  query.text = KeepText::yes;
  const auto made = make_report(query, {home.clock, home.environment, home.log});
  ASSERT_TRUE(made.ok());
  for (const auto& [with, shown] :
       {std::pair(KeepText::yes, true), std::pair(KeepText::no, false)}) {
    EXPECT_EQ(has(list_text(*made, "continue/other", with).value_or(""), "zebra"), shown);
    EXPECT_EQ(has(report_json(*made, with), "zebra"), shown);
  }
}

TEST(Report, ListsACellAndAReason) {
  ReportHome home;
  home.turn(true, "another way");
  home.turn(false, "go");
  home.add(home.line(ReportHome::kStart + 7200000));
  Flags flags;
  flags.list = "leave/goahead";
  EXPECT_TRUE(has(home.report(flags), "leave/goahead: 1\n2026-11-30T00:01:01Z"))
      << home.report(flags);
  flags.list = "ended";
  EXPECT_TRUE(has(home.report(flags), "ended: 1\n2026-11-30T02:00:00Z"));
  flags.list = "nonsense";
  EXPECT_TRUE(has(home.report(flags), "failed: --list takes continue/goahead"));
}

TEST(Report, WrongValuesAreSaid) {
  ReportHome home;
  Flags flags;
  flags.since = "yesterday";
  EXPECT_TRUE(has(home.report(flags),
                  "failed: --since takes 30d, 12h or a date (2026-11-30), not \"yesterday\""));
  flags = {};
  flags.by = "mood";
  EXPECT_TRUE(has(home.report(flags), "failed: --by takes project, judge or host"));
  flags = {};
  flags.max_gap = "12";
  EXPECT_TRUE(has(home.report(flags), "failed: --max-gap takes"));
  flags = {};
  flags.policy = home.dir / "none.yaml";
  EXPECT_TRUE(has(home.report(flags), "failed: cannot use the policy"));
  flags = {};
  flags.log = home.dir.path();
  EXPECT_TRUE(has(home.report(flags), "failed: cannot read the stop log")) << home.report(flags);
  flags.log = home.dir / "none.jsonl";
  EXPECT_TRUE(has(home.report(flags), "failed: cannot read the stop log")) << home.report(flags);
}

TEST(Report, ByProjectJudgeAndHost) {
  ReportHome home;
  home.turns(2, true, "go");
  Flags flags;
  for (const char* by : {"project", "judge", "host"}) {
    flags.by = by;
    EXPECT_TRUE(has(home.report(flags), std::string("by ") + by)) << by;
  }
}

TEST(Report, JsonHasItsShape) {
  ReportHome home;
  home.sample();
  const auto json = home.json();
  std::vector<std::string> keys;
  for (const auto& item : json.items()) {
    keys.push_back(item.key());
  }
  std::vector<std::string> wanted = {"v",     "range",    "log",      "label",  "cells",
                                     "rates", "left_out", "anchors",  "gap_ms", "groups",
                                     "weeks", "words",    "projects", "fleet",  "pairs"};
  std::sort(wanted.begin(), wanted.end());
  EXPECT_EQ(keys, wanted);
  EXPECT_EQ(json["label"], (base::Json{{"name", "goahead"}, {"version", 1}}));
  EXPECT_EQ(json["gap_ms"]["p50"], 12000);
  EXPECT_EQ(json["gap_ms"]["histogram"][1], (base::Json{{"to_ms", 30000}, {"pairs", 267}}));
  EXPECT_EQ(json["weeks"][0]["week"], "2026-W49");
  EXPECT_EQ(json["words"], (base::Json::array({{{"text", "go ahead"}, {"count", 41}},
                                               {{"text", "yes please"}, {"count", 22}}})));
  EXPECT_EQ(json["projects"][0]["project"], "/w");
  EXPECT_EQ(json["anchors"], (base::Json{{"prompt_id", 0}, {"time", 267}}));
  EXPECT_EQ(json["pairs"][0]["next"]["promptId"], "p2");
  EXPECT_EQ(json["pairs"][0]["next"]["kind"], "prompt");
  EXPECT_EQ(json["pairs"][0]["next"]["chars"], 8);
}

TEST(Report, WeeksAreIsoWeeksWithGaps) {
  EXPECT_EQ(iso_week(1796014800000), "2026-W49");
  EXPECT_EQ(iso_week(1798761600000), "2026-W53");  // 2027-01-01, a Friday
  EXPECT_EQ(iso_week(0), "1970-W01");
  EXPECT_EQ(duration_text(192000), "3 m 12 s");
  EXPECT_EQ(duration_text(7500000), "2 h 5 m");
  EXPECT_EQ(duration_text(86400000), "24 h");
  EXPECT_EQ(duration_text(97200000), "1 d 3 h");
  EXPECT_EQ(duration_text(999), "0 s");
}

// 108, 109: a sink with its history, read as it is.
class FleetReport : public ::testing::Test {
 protected:
  LogLine with_seat(std::int64_t ts_ms, std::optional<std::int64_t> waiting) {
    auto line = home_.line(ts_ms);
    line.seat = seat_.files().key;
    line.waiting = waiting;
    home_.add(line);
    return line;
  }
  void printed(std::int64_t at_ms, int proof) {
    seat_.sql(
        "INSERT INTO history(left_ms, why, writes, join_no, json, to_session, printed_ms, proof) "
        "VALUES(" +
        std::to_string(at_ms) + ", 'confirmed', 1, 1, '{}', '" + ReportHome::kSession + "', " +
        std::to_string(at_ms) + ", " + std::to_string(proof) + ")");
  }
  void SetUp() override {
    static_cast<void>(seat_.bridge());
    home_.environment.set("XDG_STATE_HOME", seat_.dir / "state");
  }
  ReportHome home_;
  test::SinkHome seat_;
};

TEST_F(FleetReport, WaitingDeliveredAndUnknown) {
  const std::int64_t at = ReportHome::kStart;
  home_.type(at - 1000, "begin");
  with_seat(at, 0);
  with_seat(at + 100000, 2);
  with_seat(at + 200000, 1);
  printed(at + 201500, 1);
  with_seat(at + 300000, 1);
  printed(at + 301000, 2);  // by a wake: no answer to this turn end
  with_seat(at + 400000, 1);
  printed(at + 398500, 1);  // pending ran at the same moment
  with_seat(at + 500000, std::nullopt);
  home_.type(at + 600000, "go");
  const std::string before = test::read_text(seat_.files().database());
  const auto json = home_.json();
  EXPECT_EQ(json["fleet"],
            (base::Json{{"known", 5}, {"quiet", 1}, {"handed_over", 2}, {"not_handed_over", 2}}));
  EXPECT_EQ(json["left_out"]["delivered"], 2);
  EXPECT_EQ(test::read_text(seat_.files().database()), before);  // 104
  const std::string text = home_.report();
  EXPECT_TRUE(has(text,
                  "Did it stop while the fleet had work for it?   5 of 6 turn ends with a sink\n"
                  "nothing waiting                  1\n"
                  "work waiting, handed over        2\n"
                  "work waiting, not handed over    2   too few to read: --list waiting\n"))
      << text;
}

TEST_F(FleetReport, OldHistoryProvesNothing) {
  with_seat(ReportHome::kStart, std::nullopt);
  home_.type(ReportHome::kStart - 1000, "begin");
  home_.type(ReportHome::kStart + 1000, "go");
  EXPECT_EQ(home_.json()["pairs"][0]["delivered"], false);
  home_.clock.set_wall(ReportHome::kStart + std::int64_t{31} * 86400000);
  EXPECT_TRUE(home_.json()["pairs"][0]["delivered"].is_null());
}

// A sink keeps so many rows: what left it before the oldest of them is not known.
TEST_F(FleetReport, FullHistoryReachesToItsOldestRow) {
  with_seat(ReportHome::kStart, std::nullopt);
  home_.type(ReportHome::kStart - 1000, "begin");
  home_.type(ReportHome::kStart + 1000, "go");
  seat_.sql(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999) "
      "INSERT INTO history(left_ms, why, writes, join_no, json) SELECT " +
      std::to_string(ReportHome::kStart) + " + i, 'confirmed', 1, 1, '{}' FROM n");
  EXPECT_EQ(home_.json()["pairs"][0]["delivered"], false);
  seat_.sql("INSERT INTO history(left_ms, why, writes, join_no, json) VALUES(" +
            std::to_string(ReportHome::kStart + 2000) + ", 'confirmed', 1, 1, '{}')");
  EXPECT_TRUE(home_.json()["pairs"][0]["delivered"].is_null());
}

// 104: not a byte, mode or file of a sink changes.
TEST_F(FleetReport, SinkStaysAsItWas) {
  with_seat(ReportHome::kStart, 1);
  const std::string database = seat_.files().database();
  ASSERT_EQ(::chmod(database.c_str(), 0640), 0);
  const std::string bytes = test::read_text(database);
  const auto files = base::list_directory(seat_.folder()).value_or({});
  EXPECT_EQ(home_.json()["fleet"]["not_handed_over"], 1);
  EXPECT_EQ(test::mode_of(database), 0640U);
  EXPECT_EQ(test::read_text(database), bytes);
  EXPECT_EQ(base::list_directory(seat_.folder()).value_or({}), files);
}

// Under 20 pairs no rate, in no table and no drawing of the page (13).
TEST(ReportPage, FewPairsHaveCountsAndNoRates) {
  ReportHome home;
  home.turns(12, true, "go");
  home.turns(7, false, "rename it");
  Flags flags;
  flags.html = home.dir / "page.html";
  (void)home.report(flags);
  const std::string few = test::read_text(*flags.html);
  const std::string body = few.substr(few.find("<body>"));
  EXPECT_TRUE(has(body, "19 pairs: too few to read"));
  EXPECT_TRUE(has(
      body, "<td class=\"n\">19</td><td class=\"n\">12 of 12</td><td class=\"n\">12 of 19</td>"));
  EXPECT_TRUE(has(body, "<td class=\"n\">19</td><td class=\"n\">12 of 19</td></tr>"));  // project
  EXPECT_FALSE(has(body, " %</td>"));
  EXPECT_FALSE(has(body, "<path"));  // a line of the trend
  EXPECT_FALSE(has(body, "one in ten"));
  home.turn(true, "go");
  (void)home.report(flags);
  const std::string enough = test::read_text(*flags.html);
  EXPECT_TRUE(
      has(enough, "<td class=\"n\">20</td><td class=\"n\">100 %</td><td class=\"n\">65 %</td>"));
  EXPECT_TRUE(has(enough, "<td class=\"n\">20</td><td class=\"n\">65 %</td></tr>"));
  EXPECT_TRUE(has(enough, "<path"));
  EXPECT_TRUE(has(enough, "one in ten"));
}

// 106: what the log and the command line say.
TEST(ReportPage, NamesOfTheLogAreEscaped) {
  ReportHome home;
  auto line = home.line(ReportHome::kStart);
  line.policy->questions = "<i>q";
  line.policy->rules = "<i>r";
  home.add(line);
  home.type(ReportHome::kStart - 1000, "begin");
  home.type(ReportHome::kStart + 1000, "go");
  line.ts_ms += 60000;
  line.outcome = Outcome::skipped;
  line.skip = "<i>s";
  home.add(line);
  home.save();
  Flags flags;
  flags.log = home.dir / "<i>l";
  test::write_text(*flags.log, test::read_text(home.log_path()));
  flags.html = home.dir / "page.html";
  EXPECT_TRUE(has(home.report(flags), "1 pairs of 2 turn ends"));
  const std::string page = test::read_text(*flags.html);
  EXPECT_FALSE(has(page, "<i>"));
  for (const char* part : {"&lt;i&gt;q", "&lt;i&gt;r", "&lt;i&gt;s", "&lt;i&gt;l"}) {
    EXPECT_TRUE(has(page, part)) << part;
  }
}

// 106
TEST(ReportPage, IsOneFileWithoutUrlOrScript) {
  ReportHome home;
  home.sample();
  auto line = home.line(ReportHome::kStart + std::int64_t{20} * 3600000);
  line.project = "/w/<script>alert(1)</script>\"'&";
  line.model = "<img src=x onerror=alert(1)>";
  home.add(line);
  home.type(line.ts_ms + 5000, "go");
  Flags flags;
  flags.html = home.dir / "page.html";
  EXPECT_TRUE(has(home.report(flags), "Wrote " + *flags.html + ": 268 pairs of 268 turn ends.\n"));
  const std::string page = test::read_text(*flags.html);
  EXPECT_EQ(test::mode_of(*flags.html), 0600U);
  for (const char* forbidden : {"://", "<script", "<img", "<link", "url(", "@import",
                                " href=", "javascript:", "onerror=alert(1)>"}) {
    EXPECT_FALSE(has(page, forbidden)) << forbidden;
  }
  EXPECT_TRUE(has(page, "/w/&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;"));
  for (const char* part :
       {"41 of 47", "2026-W49", "go ahead", "up to 30 s", "By project", "had work for it", "<svg",
        "prefers-color-scheme:dark", "@media print"}) {
    EXPECT_TRUE(has(page, part)) << part;
  }
  flags.html = home.dir / "none/page.html";
  EXPECT_TRUE(has(home.report(flags), "failed: cannot write the page"));
}

// What the real client left, paired as it was (tests/fixtures/transcripts).
TEST(RealSessions, ArePairedAsTheyWere) {
  const auto outcomes = [](const std::string& name) {
    ReportHome home;
    Flags flags;
    flags.shape = Flags::Shape::json;
    flags.log = test::source_file("tests/fixtures/transcripts/" + name + ".stops.jsonl");
    flags.projects = test::source_file("tests/fixtures/transcripts");
    flags.with_text = Flags::Text::yes;
    const auto answer = run_report(flags, {home.clock, home.environment, home.log});
    EXPECT_TRUE(answer.ok());
    const auto json =
        base::parse_bounded(answer ? *answer : "{}", 1U << 20U).value_or(base::Json());
    std::vector<std::string> found;
    for (const auto& pair : json["pairs"]) {
      auto text = pair["next"]["text"].get<std::string>();
      found.push_back((pair["goahead"] == true ? "go: " : "") + text.substr(0, text.find('\n')));
    }
    found.push_back(json["left_out"].dump());
    return found;
  };
  EXPECT_EQ(outcomes("first"),
            (std::vector<std::string>{
                "go: yes please", "tag it", "go ahad", "<command-message>greet</command-message>",
                "<bash-input>ls</bash-input>", "go: begin", "go: carry on", "go: next step",
                "go: proceed", R"({"ended":2,"overtaken":1})"}));
  EXPECT_EQ(outcomes("second"),
            (std::vector<std::string>{"do it in the background", "line one", "the second",
                                      "the second", "go on with the next one",
                                      R"({"background_tasks":1,"ended":2,"sdk_session":1})"}));
}

}  // namespace
}  // namespace robot_council::stops
