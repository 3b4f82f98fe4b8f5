// The operator's page as HTTP (service contract, 8.8). In a browser: tests/page.

#include "fleet/page.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "tests/fleet/fleet_fixture.hpp"

namespace robot_council::fleet::test {
namespace {

constexpr const char* kPage = "/robot-council/";
constexpr const char* kEnrol = "/robot-council/enroll";
constexpr const char* kAssets = "/robot-council/assets/";

std::string ask(const Fleet& fleet, const std::string& method, const std::string& target,
                const std::string& more = {}) {
  return fleet.raw(method + " " + target + " HTTP/1.1\r\nHost: localhost:" +
                   std::to_string(fleet.port()) + "\r\n" + more + "\r\n");
}

std::string status_of(const std::string& answer) {
  return answer.size() < 12 ? answer : answer.substr(9, 3);
}

std::vector<std::string> all_paths() {
  std::vector<std::string> paths{kPage, kEnrol};
  for (const EmbeddedFile& file : operator_page()) {
    if (file.name != "index.html") {
      paths.push_back(kAssets + std::string(file.name));
    }
  }
  return paths;
}

TEST(Page, EveryFileHasTheHeadersThatKeepItHarmless) {  // acceptance 61
  Fleet fleet;
  ASSERT_GT(all_paths().size(), 10U);
  for (const std::string& path : all_paths()) {
    const Answer answer = fleet.get(path, "");
    EXPECT_EQ(answer.status, 200) << path;
    EXPECT_EQ(answer.header("Content-Security-Policy"),
              "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; script-src 'self'; "
              "style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'")
        << path;
    EXPECT_EQ(answer.header("X-Content-Type-Options"), "nosniff") << path;
    EXPECT_EQ(answer.header("Referrer-Policy"), "no-referrer") << path;
    EXPECT_EQ(answer.header("Cache-Control"), "no-store") << path;
    EXPECT_EQ(answer.header("Access-Control-Allow-Origin"), "") << path;
    EXPECT_FALSE(answer.body.empty()) << path;
  }
}

TEST(Page, ContentTypesFollowTheEndings) {
  Fleet fleet;
  const std::map<std::string, std::string> types = {
      {kPage, "text/html; charset=utf-8"},
      {std::string(kEnrol) + "?user_code=BCDFGHJK", "text/html; charset=utf-8"},
      {std::string(kAssets) + "base.css", "text/css; charset=utf-8"},
      {std::string(kAssets) + "main.js", "text/javascript; charset=utf-8"},
      {std::string(kAssets) + "icon.svg", "image/svg+xml"}};
  for (const auto& [path, type] : types) {
    EXPECT_EQ(fleet.get(path, "").header("Content-Type"), type) << path;
  }
}

TEST(Page, NoCookieIsEverSet) {  // acceptance 61
  Fleet fleet;
  std::vector<std::string> paths = all_paths();
  paths.insert(paths.end(),
               {"/", "/robot-council", "/nowhere", "/healthz", api("operator/overview")});
  for (const std::string& path : paths) {
    const std::string answer =
        ask(fleet, "GET", path,
            "Cookie: a=b\r\nAuthorization: Bearer " + fleet.operator_token + "\r\n");
    EXPECT_EQ(base::to_lower_ascii(answer).find("set-cookie"), std::string::npos) << path;
  }
}

TEST(Page, HeadIsGetWithoutTheBody) {
  Fleet fleet;
  for (const std::string& path : all_paths()) {
    const std::string got = ask(fleet, "GET", path);
    const std::string head = ask(fleet, "HEAD", path);
    EXPECT_EQ(head, got.substr(0, got.find("\r\n\r\n") + 4)) << path;
  }
}

TEST(Page, OtherMethodsAreRefusedAndSaidWhichAreNot) {
  Fleet fleet;
  for (const std::string& path : all_paths()) {
    for (const char* method : {"POST", "PUT", "PATCH", "DELETE", "OPTIONS"}) {
      const std::string answer = ask(fleet, method, path, "Content-Length: 0\r\n");
      EXPECT_EQ(status_of(answer), "405") << method << " " << path;
      EXPECT_NE(answer.find("Allow: GET, HEAD\r\n"), std::string::npos) << answer;
    }
  }
}

TEST(Page, WhatIsNoFileOfThePageIsNotThere) {
  Fleet fleet;
  for (const char* rest : {"index.html", "nothing.js", "", "../fleet.db", "%2e%2e/operator.token",
                           "..%2foperator.token", "main.js/", "MAIN.JS", "main.js%00"}) {
    const std::string status = status_of(ask(fleet, "GET", kAssets + std::string(rest)));
    EXPECT_TRUE(status == "404" || status == "400") << rest << " " << status;
  }
  EXPECT_EQ(status_of(ask(fleet, "GET", "/robot-council/enroll/")), "404");
  EXPECT_EQ(status_of(ask(fleet, "GET", "/robot-council/page")), "404");
}

TEST(Page, AForeignOriginIs403) {  // acceptance 61
  Fleet fleet;
  for (const char* origin : {"http://evil.example", "null", "http://127.0.0.1:1"}) {
    for (const std::string& target : {api("operator/sign-in"), api("operator/directives")}) {
      EXPECT_EQ(status_of(ask(fleet, "POST", target,
                              "Origin: " + std::string(origin) + "\r\nAuthorization: Bearer " +
                                  fleet.operator_token + "\r\nContent-Length: 0\r\n")),
                "403")
          << origin << target;
    }
  }
  EXPECT_EQ(fleet.head(), 0) << "nothing was posted";
  const std::string own = "Origin: http://localhost:" + std::to_string(fleet.port());
  EXPECT_EQ(
      status_of(ask(fleet, "POST", api("operator/sign-in"), own + "\r\nContent-Length: 0\r\n")),
      "401");
}

TEST(Page, HoldsNoDataAndReflectsNothing) {
  Fleet fleet;
  fleet.join("secret-laptop", R"({"repository":"o/secret"})");
  const std::string plain = fleet.get(kPage, "").body;
  EXPECT_EQ(plain.find("secret"), std::string::npos);
  EXPECT_EQ(fleet.get(std::string(kEnrol) + "?user_code=%3Cscript%3Ealert(1)", "").body, plain);
  EXPECT_EQ(fleet.get(kPage, fleet.operator_token).body, plain);
}

// Without anything inline the policy needs no exception; a browser would only say so in its
// console.
TEST(Page, HoldsNothingInlineAndNamesNothingElsewhere) {  // acceptance 61
  for (const EmbeddedFile& file : operator_page()) {
    const std::string text = base::to_lower_ascii(file.bytes);
    for (const char* word : {" onclick=", " onload=", " onerror=", " style=", "<style",
                             "javascript:", "innerhtml", "outerhtml", "insertadjacenthtml",
                             "document.write", "eval(", "new function", "srcdoc", "@import"}) {
      EXPECT_EQ(text.find(word), std::string::npos) << file.name << ": " << word;
    }
    std::size_t scripts = 0;
    for (std::size_t at = text.find("<script"); at != std::string::npos;
         at = text.find("<script", at + 1)) {
      ++scripts;
      EXPECT_NE(text.substr(at, text.find('>', at) - at).find(" src=\"assets/"), std::string::npos);
    }
    EXPECT_EQ(scripts, file.name == "index.html" ? 1U : 0U) << file.name;
    std::size_t at = text.find("://");
    for (; at != std::string::npos; at = text.find("://", at + 1)) {
      EXPECT_EQ(text.substr(at, 14), "://www.w3.org/") << file.name << ": an address of elsewhere";
    }
  }
}

TEST(Page, EveryFileThatIsNamedIsThere) {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : operator_page()) {
    names.emplace_back(file.name);
  }
  std::size_t named = 0;
  for (const EmbeddedFile& file : operator_page()) {
    const std::string text(file.bytes);
    for (const std::string& before : {std::string("\"assets/"), std::string("from \"./")}) {
      for (std::size_t at = text.find(before); at != std::string::npos;
           at = text.find(before, at + 1)) {
        const std::size_t begin = at + before.size();
        const std::string name = text.substr(begin, text.find('"', begin) - begin);
        EXPECT_NE(std::find(names.begin(), names.end(), name), names.end())
            << file.name << " names " << name;
        ++named;
      }
    }
  }
  EXPECT_GT(named, 20U);
}

TEST(Page, TheBareAddressLeadsToIt) {
  Fleet fleet;
  for (const char* path : {"/", "/robot-council"}) {
    const Answer answer = fleet.get(path, "");
    EXPECT_EQ(answer.status, 307) << path;
    EXPECT_EQ(answer.header("Location"), "robot-council/") << path;
    EXPECT_EQ(answer.header("Cache-Control"), "no-store") << path;
  }
}

}  // namespace
}  // namespace robot_council::fleet::test
