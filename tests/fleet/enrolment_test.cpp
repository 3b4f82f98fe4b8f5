// Enrolment by device code (service contract, 2).

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/sha256.hpp"
#include "tests/fleet/fleet_fixture.hpp"

namespace robot_council::fleet::test {
namespace {

const std::string kVerifier(43, 'v');

std::string code_body(const std::string& label = "laptop") {
  return R"({"harness":"claude","machine_label":")" + label +
         R"(","requested_abilities":["tasks:create","events:post"],"code_challenge":")" +
         base::sha256_hex(kVerifier) + "\"}";
}

std::string token_body(const Answer& code, const std::string& verifier = kVerifier) {
  return R"({"device_code":")" + code.text("device_code") + R"(","code_verifier":")" + verifier +
         "\"}";
}

TEST(Enrolment, AnswersExactlyTheFieldsOfTheContract) {  // acceptance 7
  Fleet fleet;
  const Answer code = fleet.post(api("device/code"), "", code_body());
  EXPECT_EQ(code.status, 201);
  EXPECT_EQ(keys_of(code.json), (std::vector<std::string>{"device_code", "expires_in", "interval",
                                                          "user_code", "verification_uri"}));
  EXPECT_EQ(code.integer("expires_in"), 600);
  EXPECT_EQ(code.integer("interval"), 5);
  EXPECT_EQ(code.text("device_code").size(), 64U);
  EXPECT_EQ(code.text("user_code").find_first_not_of("BCDFGHJKLMNPQRSTVWXZ"), std::string::npos);
  EXPECT_EQ(code.text("user_code").size(), 8U);
  const Answer approved = fleet.act("enrolments/" + code.text("user_code") + "/approve");
  EXPECT_EQ(approved.status, 200);
  EXPECT_EQ(keys_of(approved.json),
            (std::vector<std::string>{"decision", "supersedes", "user_code"}));
  const Answer token = fleet.post(api("device/token"), "", token_body(code));
  EXPECT_EQ(token.status, 201);
  EXPECT_EQ(keys_of(token.json),
            (std::vector<std::string>{"abilities", "expires_in", "installation_id", "token"}));
  EXPECT_EQ(token.json["abilities"], base::Json::parse(R"(["sessions:start"])"));
  EXPECT_EQ(token.integer("expires_in"), 2592000);
  EXPECT_NE(token.text("token").find('|'), std::string::npos);
}

TEST(Enrolment, EachStateHasItsCodeAndAWrongVerifierIsAlwaysInvalid) {  // acceptance 8
  Fleet fleet;
  const auto expect = [&](const Answer& code, const char* word) {
    const Answer answer = fleet.post(api("device/token"), "", token_body(code));
    EXPECT_EQ(answer.status, 400) << word;
    EXPECT_EQ(answer.body, R"({"error":")" + std::string(word) + "\"}");
    const Answer wrong =
        fleet.post(api("device/token"), "", token_body(code, std::string(43, 'w')));
    EXPECT_EQ(wrong.body, R"({"error":"invalid_grant"})") << word;
  };
  const Answer unknown = fleet.post(
      api("device/token"), "", R"({"device_code":"nothing","code_verifier":")" + kVerifier + "\"}");
  EXPECT_EQ(unknown.body, R"({"error":"invalid_grant"})");
  const Answer pending = fleet.post(api("device/code"), "", code_body("a"));
  expect(pending, "authorization_pending");
  const Answer denied = fleet.post(api("device/code"), "", code_body("b"));
  EXPECT_EQ(fleet.act("enrolments/" + denied.text("user_code") + "/deny").status, 200);
  expect(denied, "access_denied");
  const Answer used = fleet.post(api("device/code"), "", code_body("c"));
  EXPECT_EQ(fleet.act("enrolments/" + used.text("user_code") + "/approve").status, 200);
  EXPECT_EQ(fleet.post(api("device/token"), "", token_body(used)).status, 201);
  expect(used, "expired_token");
  fleet.clock.advance(std::chrono::seconds(600));
  expect(pending, "expired_token");
  expect(denied, "access_denied");
  fleet.upkeep().drop_expired_codes();
  const Answer gone = fleet.post(api("device/token"), "", token_body(pending));
  EXPECT_EQ(gone.body, R"({"error":"invalid_grant"})");
}

TEST(Enrolment, OfTwentyExchangesAtOnceOneIsTaken) {  // acceptance 9
  Fleet fleet;
  const Answer code = fleet.post(api("device/code"), "", code_body());
  ASSERT_EQ(fleet.act("enrolments/" + code.text("user_code") + "/approve").status, 200);
  std::atomic<int> taken{0};
  std::atomic<int> refused{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 20; ++i) {
    threads.emplace_back([&] {
      const Answer answer = fleet.post(api("device/token"), "", token_body(code));
      taken += answer.status == 201 ? 1 : 0;
      refused += answer.body == R"({"error":"expired_token"})" ? 1 : 0;
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(taken, 1);
  EXPECT_EQ(refused, 19);
}

TEST(Enrolment, ATypedCodeIsReadInUpperCaseWithoutTheRest) {  // acceptance 10
  Fleet fleet;
  const Answer code = fleet.post(api("device/code"), "", code_body());
  std::string typed = code.text("user_code");
  for (char& c : typed) {
    c = static_cast<char>(c - 'A' + 'a');
  }
  typed.insert(4, "-");
  EXPECT_EQ(fleet.act("enrolments/" + typed + "/approve").status, 200);
}

TEST(Enrolment, TheVerificationAddressIsOursWhateverTheHostSays) {  // acceptance 10
  Fleet fleet;
  const std::string body = code_body();
  const std::string answer = fleet.raw(
      "POST " + api("device/code") +
      " HTTP/1.1\r\nHost: localhost:" + std::to_string(fleet.port()) +
      "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
      "\r\n\r\n" + body);
  ASSERT_EQ(answer.substr(0, 12), "HTTP/1.1 201");
  Answer code;
  code.json = base::Json::parse(answer.substr(answer.find("\r\n\r\n") + 4));
  EXPECT_EQ(code.text("verification_uri"),
            "http://127.0.0.1:" + std::to_string(fleet.port()) + "/robot-council/enroll");
}

TEST(Enrolment, TheVerificationAddressIsTheOperatorsPage) {
  Fleet fleet;
  const std::string address =
      fleet.post(api("device/code"), "", code_body()).text("verification_uri");
  const std::string path = address.substr(address.find("/robot-council/"));
  const Answer page = fleet.get(path + "?user_code=BCDFGHJK", "");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.body, fleet.get("/robot-council/", "").body);
  EXPECT_EQ(page.body.find("BCDFGHJK"), std::string::npos);
}

TEST(Enrolment, APublicUrlBecomesTheVerificationAddress) {
  Settings settings = Fleet::default_settings();
  settings.public_url = "https://fleet.example.org";
  Fleet fleet(settings);
  EXPECT_EQ(fleet.post(api("device/code"), "", code_body()).text("verification_uri"),
            "https://fleet.example.org/robot-council/enroll");
}

TEST(Enrolment, EnrollingALabelAgainRevokesTheOldOne) {  // acceptance 11
  Fleet fleet;
  const Agent old = fleet.join("laptop");
  const Agent elsewhere = fleet.join("desk");
  const Answer code = fleet.post(api("device/code"), "", code_body("laptop"));
  const Answer approved = fleet.act("enrolments/" + code.text("user_code") + "/approve");
  EXPECT_EQ(approved.json["supersedes"], base::Json::array({old.installation_id}));
  const std::int64_t before = fleet.head();
  EXPECT_EQ(fleet.get(api("agent/session"), old.token).status, 200)
      << "approving revokes nothing yet";
  EXPECT_EQ(fleet.post(api("device/token"), "", token_body(code)).status, 201);
  EXPECT_EQ(fleet.get(api("agent/session"), old.token).status, 401);
  EXPECT_EQ(fleet.post(api("sessions"), old.installation_token).status, 401);
  EXPECT_EQ(fleet.get(api("agent/session"), elsewhere.token).status, 200);
  const auto events = fleet.feed(before);
  ASSERT_EQ(types_of(events), (std::vector<std::string>{"installation.revoked", "session.gone"}));
  EXPECT_EQ(
      events[0]["actor"],
      base::Json::parse(R"({"session_id":null,"github_login":"ana","coordinator_direct":false})"));
  EXPECT_EQ(events[0]["performed_by"], base::Json::parse(R"({"github_login":"ana"})"));
  EXPECT_EQ(events[1]["meta"]["reason"], "revoked");
}

TEST(Enrolment, NoSecretIsInTheStoreOrTheLog) {  // acceptance 12
  Fleet fleet;
  const Answer code = fleet.post(api("device/code"), "", code_body());
  ASSERT_EQ(fleet.act("enrolments/" + code.text("user_code") + "/approve").status, 200);
  const Answer token = fleet.post(api("device/token"), "", token_body(code));
  const Agent agent = fleet.start({token.integer("installation_id"), token.text("token")});
  const std::string store = robot_council::test::read_text(fleet.store_path());
  ASSERT_NE(store.find(base::sha256_hex(agent.token)), std::string::npos)
      << "the search itself works";
  for (const std::string& secret :
       {code.text("device_code"), code.text("user_code"), kVerifier, base::sha256_hex(kVerifier),
        token.text("token"), agent.token, fleet.operator_token}) {
    EXPECT_EQ(store.find(secret), std::string::npos) << secret;
    EXPECT_FALSE(fleet.log.contains(secret)) << secret;
  }
}

TEST(Enrolment, RefusesWhatIsNotOfTheForm) {
  Fleet fleet;
  const std::vector<std::string> bodies = {
      R"({"harness":"Claude","machine_label":"m","requested_abilities":["tasks:create"],"code_challenge":")" +
          std::string(64, 'a') + "\"}",
      R"({"harness":"claude","machine_label":"m","requested_abilities":[],"code_challenge":")" +
          std::string(64, 'a') + "\"}",
      R"({"harness":"claude","machine_label":"m","requested_abilities":["coordinator:direct"],"code_challenge":")" +
          std::string(64, 'a') + "\"}",
      R"({"harness":"claude","machine_label":"m","requested_abilities":["tasks:create"],"code_challenge":")" +
          std::string(64, 'A') + "\"}",
      R"({"device_code":"x"})"};
  for (const std::string& body : bodies) {
    EXPECT_EQ(fleet.post(api("device/code"), "", body).status, 422) << body;
  }
  EXPECT_EQ(
      fleet.post(api("device/token"), "", R"({"device_code":"x","code_verifier":"short"})").status,
      422);
}

TEST(Enrolment, DecidedOrExpiredCodesAre409AndUnknownOnes404) {
  Fleet fleet;
  const Answer code = fleet.post(api("device/code"), "", code_body());
  const std::string path = "enrolments/" + code.text("user_code");
  EXPECT_EQ(fleet.act("enrolments/BBBBBBBB/approve").status, 404);
  EXPECT_EQ(fleet.act(path + "/deny").status, 200);
  EXPECT_EQ(fleet.act(path + "/approve").status, 409);
  const Answer late = fleet.post(api("device/code"), "", code_body());
  fleet.clock.advance(std::chrono::seconds(600));
  EXPECT_EQ(fleet.act("enrolments/" + late.text("user_code") + "/approve").status, 409);
}

TEST(Enrolment, AutoApproveAsksNobodyAndSaysSo) {
  Settings settings = Fleet::default_settings();
  settings.auto_approve = true;
  Fleet fleet(settings);
  EXPECT_FALSE(fleet.enrol().token.empty());
  EXPECT_TRUE(fleet.log.contains("--auto-approve"));
}

}  // namespace
}  // namespace robot_council::fleet::test
