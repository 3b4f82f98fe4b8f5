#include "cli/net/fleet.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/json_value.hpp"
#include "base/text.hpp"
#include "cli/dispatch.hpp"
#include "cli/exit.hpp"
#include "cli/net/fleet_call.hpp"
#include "fleet/operator_text.hpp"
#include "net/url.hpp"

namespace robot_council::cli {

namespace {

using Answer = FleetCall::Answer;

constexpr base::Milliseconds kReadTime{30000};
constexpr base::Milliseconds kHeldTime{35000};  // the longest wait of the service and 10 s
constexpr const char* kLastEvents = "50";

int failed(const base::Context& context, const std::string& what) {
  context.log.error(what);
  return static_cast<int>(Exit::failed);
}

int answer(const base::Context& context, const std::string& text) {
  return static_cast<int>(print(context, text) ? Exit::ok : Exit::failed);
}

// An act: refused to agents, then one call; `say` makes the sentence of its answer.
int act(const base::Context& context, const Args& args,
        const std::function<base::Result<Answer>(FleetCall&)>& call,
        const std::function<std::string(const Answer&)>& say) {
  if (const auto refused = refused_as_agent(context)) {
    return failed(context, *refused);
  }
  auto fleet = FleetCall::open(context, args);
  if (!fleet) {
    return failed(context, fleet.error().what);
  }
  auto done = call(*fleet);
  if (!done) {
    return failed(context, done.error().what);
  }
  return answer(context, (args.has("--json") ? done->body : say(*done)) + "\n");
}

std::string word(const Answer& answer, const char* name) {
  return base::get_string(answer.json, name).value_or("?");
}

int decide(const base::Context& context, const Args& args, const char* decision) {
  const std::string& code = args.positionals().front();
  return act(
      context, args,
      [&](FleetCall& fleet) {
        return fleet.post("enrolments/" + net::percent_encode(code) + "/" + decision, "{}");
      },
      [](const Answer& done) {
        const base::Json* replaced = base::get_array(done.json, "supersedes");
        std::string text =
            "The enrolment " + word(done, "user_code") + " is " + word(done, "decision") + ".";
        if (replaced != nullptr && !replaced->empty()) {
          text += " It will replace installation(s) " + base::dump_safe(*replaced) + ".";
        }
        return text;
      });
}

// The events of a page, a line each.
std::string page_lines(const Args& args, const Answer& page) {
  std::string text;
  const base::Json* events = base::get_array(page.json, "events");
  if (events != nullptr) {
    for (const base::Json& event : *events) {
      text += (args.has("--json") ? base::dump_safe(event) : fleet::event_line(event)) + "\n";
    }
  }
  return text;
}

}  // namespace

int run_fleet_overview(const base::Context& context, const Args& args) {
  auto fleet = FleetCall::open(context, args);
  if (!fleet) {
    return failed(context, fleet.error().what);
  }
  auto seen = fleet->get("overview", kReadTime);
  if (!seen) {
    return failed(context, seen.error().what);
  }
  return answer(context, args.has("--json") ? seen->body + "\n" : fleet::overview_text(seen->json));
}

int run_fleet_approve(const base::Context& context, const Args& args) {
  return decide(context, args, "approve");
}

int run_fleet_deny(const base::Context& context, const Args& args) {
  return decide(context, args, "deny");
}

int run_fleet_role(const base::Context& context, const Args& args) {
  const std::string& session = args.positionals().at(0);
  const std::string& role = args.positionals().at(1);
  return act(
      context, args,
      [&](FleetCall& fleet) -> base::Result<Answer> {
        auto seen = fleet.get("overview", kReadTime);
        if (!seen) {
          return seen.error();
        }
        std::string how = "imposed";
        const base::Json* requests = base::get_array(seen->json, "role_requests");
        for (const base::Json& request : requests == nullptr ? base::Json::array() : *requests) {
          const auto id = base::get_integer(request, "session_id");
          if (id && std::to_string(*id) == session && base::get_string(request, "to") == role) {
            how = "approved";
          }
        }
        return fleet.post("sessions/" + net::percent_encode(session) + "/role",
                          base::dump_safe(base::OrderedJson{{"role", role}, {"how", how}}));
      },
      [&](const Answer& done) {
        const bool applied = base::get_bool(done.json, "applied").value_or(false);
        return "Session " + session +
               (applied ? ": " + word(done, "how") + " as " : " holds it already: ") +
               word(done, "role") + ".";
      });
}

int run_fleet_deny_role(const base::Context& context, const Args& args) {
  const std::string& session = args.positionals().front();
  return act(
      context, args,
      [&](FleetCall& fleet) {
        return fleet.post("sessions/" + net::percent_encode(session) + "/role/deny", "{}");
      },
      [&](const Answer& done) {
        return "Session " + session + " was refused " + word(done, "refused") + " and stays " +
               word(done, "stays") + ".";
      });
}

int run_fleet_revoke(const base::Context& context, const Args& args) {
  const std::string& kind = args.positionals().at(0);
  const std::string& id = args.positionals().at(1);
  if (kind != "session" && kind != "installation") {
    context.log.error("fleet revoke takes session or installation, not " + kind + ".");
    return static_cast<int>(Exit::usage);
  }
  return act(
      context, args,
      [&](FleetCall& fleet) {
        return fleet.post(kind + "s/" + net::percent_encode(id) + "/revoke", "{}");
      },
      [&](const Answer&) { return "The " + kind + " " + id + " is revoked."; });
}

namespace {

// Asked after the post: when no session is live then, none can have got it, or will. A session for
// one call of a command hears nothing.
bool nobody_listens(FleetCall& fleet) {
  const auto seen = fleet.get("overview", kReadTime);
  const base::Json* sessions = seen ? base::get_array(seen->json, "sessions") : nullptr;
  return sessions != nullptr &&
         std::all_of(sessions->begin(), sessions->end(), [](const base::Json& session) {
           return base::get_bool(session, "ephemeral").value_or(false);
         });
}

}  // namespace

int run_fleet_direct(const base::Context& context, const Args& args) {
  base::OrderedJson body;
  body["body"] = base::join(args.positionals(), " ");
  for (const std::string& target : args.values("--to")) {
    body["targets"].push_back(target);
  }
  bool unheard = false;
  return act(
      context, args,
      [&](FleetCall& fleet) {
        auto posted = fleet.post("directives", base::dump_safe(body));
        unheard = posted.ok() && !args.has("--json") && nobody_listens(fleet);
        return posted;
      },
      [&unheard](const Answer& done) {
        return "Posted as event " +
               std::to_string(base::get_integer(done.json, "event_id").value_or(0)) + "." +
               (unheard ? "\nNo session is live, so nobody was there to get it, and one that joins "
                          "later starts after it: post it again then."
                        : "");
      });
}

int run_fleet_feed(const base::Context& context, const Args& args) {
  auto fleet = FleetCall::open(context, args);
  if (!fleet) {
    return failed(context, fleet.error().what);
  }
  auto page = fleet->get("events?limit=" + std::string(kLastEvents), kReadTime);
  for (;;) {
    if (!page) {
      return failed(context, page.error().what);
    }
    const std::string lines = page_lines(args, *page);
    if (!lines.empty() && !print(context, lines)) {
      return static_cast<int>(Exit::failed);
    }
    if (!args.has("--follow")) {
      return static_cast<int>(Exit::ok);
    }
    const std::int64_t cursor = base::get_integer(page->json, "cursor").value_or(0);
    page = fleet->get("events?wait=25&after=" + std::to_string(cursor), kHeldTime);
  }
}

}  // namespace robot_council::cli
