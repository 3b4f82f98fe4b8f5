#include "brake/answer.hpp"

#include "base/json.hpp"
#include "harness/brake_client.hpp"

namespace robot_council::brake {
namespace {

using harness::BrakeRenderer;

constexpr int kRefusedCode = 2;

BrakeRenderer renderer_of(std::string_view id) {
  const harness::BrakeClient* const client = harness::brake_client(id);
  return client == nullptr ? BrakeRenderer::exit2 : client->renderer;
}

std::string nested(const std::string& reason, const std::string& event) {
  return R"("hookSpecificOutput":{"hookEventName":)" + event +
         R"(,"permissionDecision":"deny","permissionDecisionReason":)" + reason + "}";
}

std::string body_of(BrakeRenderer renderer, const std::string& reason, const std::string& event) {
  switch (renderer) {
    case BrakeRenderer::exit2:
      return {};
    case BrakeRenderer::nested0:
    case BrakeRenderer::nested2:
      return "{" + nested(reason, "\"PreToolUse\"") + "}\n";
    case BrakeRenderer::both2:
      return R"({"permissionDecision":"deny","permissionDecisionReason":)" + reason + "," +
             nested(reason, event) + "}\n";
    case BrakeRenderer::deny2:
    case BrakeRenderer::deny0:
    case BrakeRenderer::deny0say:
      return R"({"decision":"deny","reason":)" + reason + "}\n";
    case BrakeRenderer::block2:
      return R"({"decision":"block","reason":)" + reason + "}\n";
    case BrakeRenderer::permission0:
      return R"({"permission":"deny","user_message":)" + reason + R"(,"agent_message":)" + reason +
             "}\n";
  }
  // LCOV_EXCL_START: every enumerator is above
  return {};
  // LCOV_EXCL_STOP
}

bool refuses_by_code(BrakeRenderer renderer) {
  return renderer != BrakeRenderer::nested0 && renderer != BrakeRenderer::deny0 &&
         renderer != BrakeRenderer::deny0say && renderer != BrakeRenderer::permission0;
}

}  // namespace

Answer refusal(std::string_view id, std::string_view text, std::string_view event) {
  const BrakeRenderer renderer = renderer_of(id);
  Answer answer;
  answer.out = body_of(renderer, base::quote_json(text),
                       base::quote_json(event.empty() ? std::string_view("PreToolUse") : event));
  answer.err.assign(text).append("\n");
  answer.code = refuses_by_code(renderer) ? kRefusedCode : 0;
  return answer;
}

Answer no_opinion(std::string_view id) {
  switch (renderer_of(id)) {
    case BrakeRenderer::deny0say:
      return Answer{"{\"decision\":\"allow\"}\n", {}, 0};
    case BrakeRenderer::permission0:
      return Answer{"{\"permission\":\"allow\"}\n", {}, 0};
    default:
      return Answer{};
  }
}

}  // namespace robot_council::brake
