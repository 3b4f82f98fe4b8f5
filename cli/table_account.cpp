#include "cli/table_account.hpp"

namespace robot_council::cli {
namespace {

constexpr std::string_view kAccount = "account";
constexpr std::string_view kProve = "proving it works";
constexpr Option kService{"--service", "URL", "the fleet's URL; else ROBOT_COUNCIL_SERVICE"};
constexpr Option kHarness{"--harness", "NAME",
                          "the harness; else ROBOT_COUNCIL_HARNESS, else detected"};
constexpr Variable kServiceVariable{"ROBOT_COUNCIL_SERVICE", "the fleet's URL"};
constexpr Variable kHarnessVariable{"ROBOT_COUNCIL_HARNESS",
                                    "the harness this credential belongs to"};

Command enroll() {
  return {"enroll",
          "Enrol one harness on this machine: shows a code for a person to approve",
          Where::net,
          {kService,
           kHarness,
           {"--machine-label", "LABEL",
            "name of this machine; else the host name and 8 digits of its id"},
           {"--ability",
            "ABILITY",
            "ask for this ability; repeatable (tasks:create, tasks:claim, events:post)",
            {},
            Repeat::all},
           {"--credential-store", "STORE", "where the credential is kept (auto)",
            "auto keychain secret-service file"},
           {"--local", "", "approve it with the operator token of this user's serve"},
           {"--data", "DIR", "with --local: that serve's data folder"}},
          {},
          {{0, "enrolled, the credential is stored"},
           {1, "denied, expired, unreachable, not stored; or --local called by an agent"},
           {2, "unknown option or value, or --local for another machine's service"},
           {130, "interrupted"}},
          "robot-council enroll --service https://fleet.example.org --harness claude",
          {kServiceVariable, kHarnessVariable},
          Show::listed,
          2,
          kAccount};
}

Command api() {
  return {"api",
          "Make one call to the fleet's API, in a session of its own",
          Where::net,
          {kService,
           kHarness,
           {"--project", "NAME", "the session's project"},
           {"--repository", "OWNER/NAME", "the session's repository; else the checkout's"},
           {"--work-location", "LABEL", "the session's location; else the checkout's"},
           {"--body", "JSON", "the request's body: JSON, @FILE, or - for stdin"}},
          {{"METHOD", "GET, POST, ..."}, {"PATH", "below the API, such as tasks?limit=5"}},
          {{0, "2xx; the body is on stdout"},
           {1, "no credential, no session, no answer, or another status"},
           {2, "no method or path of the service"},
           {130, "interrupted; the session was ended"}},
          "robot-council api GET tasks",
          {kServiceVariable, kHarnessVariable},
          Show::listed,
          2,
          kAccount};
}

Command demo() {
  return {
      "demo",
      "Prove the whole way of an event on this machine, in a private folder that is removed again",
      Where::net,
      {{"--script", "PATH", "the stop-hook script to run; else the installed one"}},
      {},
      {{0, "every step was proven"},
       {1, "a step failed, which is named, or this machine is stopped"},
       {2, "unknown option"},
       {130, "interrupted"}},
      "robot-council demo",
      {},
      Show::listed,
      2,
      kProve};
}

Command status() {
  return {"status",
          "Show what the seats of this checkout know: brake, bridge, session, feed, events, hook",
          Where::here,
          {kService,
           kHarness,
           {"--project", "NAME", "only the seat of this project"},
           {"--json", "", "as JSON"}},
          {},
          {{0, "shown, also when stopped or when no seat is known"},
           {1, "the checkout cannot be told"},
           {2, "unknown option"},
           {3, "a sink cannot be read; the other seats are shown"}},
          "robot-council status",
          {kServiceVariable, kHarnessVariable},
          Show::listed,
          2,
          kProve};
}

Command doctor() {
  return {
      "doctor",
      "Check a wired harness from its settings to the fleet, with a test event that must come back",
      Where::net,
      {kService,
       {"--harness", "NAME", "only this harness; else every one that is wired here"},
       {"--project", "NAME", "the seat's project"},
       {"--wake", "",
        "post a test directive to the running session of a service on this machine; the agent sees "
        "it"},
       {"--json", "", "as JSON"}},
      {},
      {{0, "no check failed"}, {1, "one failed; its line says what to do"}, {2, "unknown option"}},
      "robot-council doctor --harness claude",
      {kServiceVariable},
      Show::listed,
      2,
      kProve};
}

// What `doctor` starts to look for it, since a file system that hangs stops whoever asks it.
Command doctor_part() {
  Command part{"doctor-part",
               "Look at what `doctor` shows, and tell each step",
               Where::net,
               {kService,
                {"--harness", "NAME", "only this harness"},
                {"--project", "NAME", "the seat's project"},
                {"--program", "PATH", "the small executable"},
                {"--after", "STEP", "the last step that is over"},
                {"--hung", "STEP", "a look that is not tried again", {}, Repeat::all},
                {"--one", "MS", "time of one check"},
                {"--proof", "MS", "time of the proof"},
                {"--left", "MS", "time of all"},
                {"--wake", "", "with the test directive"}}};
  part.show = Show::hidden;
  return part;
}

}  // namespace

std::vector<Command> account_commands() {
  return {enroll(), api(), status(), doctor(), doctor_part(), demo()};
}

}  // namespace robot_council::cli
