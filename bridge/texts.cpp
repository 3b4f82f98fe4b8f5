#include "bridge/texts.hpp"

#include "base/time_text.hpp"
#include "base/utf8.hpp"
#include "bridge/limits.hpp"

namespace robot_council::bridge::text {

namespace {

template <class... Parts>
std::string cat(const Parts&... parts) {
  std::string text;
  (text.append(std::string_view(parts)), ...);
  return text;
}

std::string number(std::int64_t n) {
  return std::to_string(n);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string clean = base::to_utf8(text);
  constexpr unsigned char kFirstPrintable = 0x20;
  constexpr unsigned char kDelete = 0x7F;
  constexpr unsigned char kC1Lead = 0xC2;
  constexpr unsigned char kC1End = 0xA0;
  std::string kept;
  kept.reserve(clean.size());
  for (std::size_t i = 0; i < clean.size(); ++i) {
    const auto byte = static_cast<unsigned char>(clean[i]);
    if (byte < kFirstPrintable || byte == kDelete) {
      kept.push_back(' ');
    } else if (byte == kC1Lead && i + 1 < clean.size() &&
               static_cast<unsigned char>(clean[i + 1]) < kC1End) {
      kept.push_back(' ');
      ++i;
    } else {
      kept.push_back(clean[i]);
    }
  }
  return std::string(base::prefix_code_points(kept, kMaxShownCharacters));
}

std::string tasks(std::int64_t n) {
  return number(n) + (n == 1 ? " task" : " tasks");
}

std::string session_name(std::optional<std::int64_t> session, std::string_view unknown) {
  return session ? "session " + number(*session) : std::string(unknown);
}

std::string checkout_unreadable(std::string_view why) {
  return cat("this checkout could not be read (", why,
             "); this bridge uses the sink of the folder it was started in.");
}

std::string seat_held(std::optional<std::int64_t> pid) {
  return cat("another bridge is running in this checkout (pid ",
             pid ? number(*pid) : std::string("unknown"),
             "); the two share one sink. Each session is given its own events where its hook can "
             "be told apart; run one seat per "
             "checkout to be sure.");
}

std::string only_with_auto_join(std::string_view option) {
  return cat("--", option, " applies only with --auto-join; pass the ", option,
             " to the `join` tool instead.");
}

std::string not_rejoined(std::int64_t age_s) {
  constexpr std::int64_t kMinute = 60;
  const std::int64_t minutes = age_s / kMinute;
  std::string age = "less than a minute ago";
  if (minutes == 1) {
    age = "1 minute ago";
  } else if (minutes > 1) {
    age = number(minutes) + " minutes ago";
  }
  return cat("A Cursor bridge joined the Robot Council fleet from this machine ", age,
             ", and this bridge has not rejoined: Cursor was restarted since, or the rejoin could "
             "not be made. Tell your operator on "
             "your next turn, and if they want this application back on the fleet, call `join`.");
}

std::string project_differs(std::string_view variable, std::string_view project) {
  const std::string with =
      project.empty() ? std::string("no --project") : cat("--project=", printable(project));
  return cat("ROBOT_COUNCIL_PROJECT is `", printable(variable),
             "`, but this bridge was started with ", with,
             ": a stop hook that sees the variable reads another sink.");
}

std::string already_joined(std::int64_t session) {
  return cat("This bridge has already joined the fleet, as session ", number(session),
             ". Nothing was changed; the session it holds stays open.");
}

std::string unknown_role(std::string_view role) {
  return cat("There is no role called ", printable(role), ". Roles are: build, ci, coordinator.");
}

std::string could_not_join(std::string_view reason) {
  return cat("Could not join the fleet: ", reason);
}

std::string start_refused(int status) {
  return cat("The service refused to start a session (HTTP ", number(status), ").");
}

std::string left_unset(std::string_view what, std::string_view value) {
  return cat("The ", what, " ", printable(value),
             " is not a shape the fleet accepts, so it was left unset.");
}

std::string ended_sentence(std::optional<std::int64_t> session) {
  return cat("The fleet ended ", session_name(session, "this session"),
             ". Whatever it was holding is being released, and the bridge that ran it has stopped. "
             "The enrollment on this machine is "
             "not the problem and needs no repair: a new session needs a new bridge.");
}

std::string renewal_refused(int status) {
  return cat("The session could not be renewed (HTTP ", number(status), ").");
}

std::string credential_refused(std::string_view harness) {
  return cat("The service refuses this machine's credential for `", harness,
             "`. Run `robot-council enroll`.");
}

std::string credential_expiring(std::string_view harness, std::int64_t expires_ms) {
  return cat("This machine's credential for `", harness, "` expires at ",
             base::iso_zulu(expires_ms),
             "; then no session can start or be renewed. Run `robot-council enroll`.");
}

std::string capacity_changed(std::int64_t from, std::int64_t to) {
  return cat("This session's capacity changed from ", number(from), " to ", number(to),
             ", so it may now hold up to ", number(to), to == 1 ? " task" : " tasks", " at once.");
}

std::string capacity_back(std::int64_t value) {
  return cat("This session's capacity changed and changed back: it is ", number(value), " again.");
}

std::string left_fleet(std::optional<std::int64_t> session) {
  return cat(
      "Left the fleet: ", session_name(session, "the session"),
      " ended, and the fleet releases the tasks and locks it held. Only `join` is offered now.");
}

std::string watcher_failed(int status) {
  const std::string how = status == 0 ? std::string("could not be sent")
                                      : cat("was refused (HTTP ", number(status), ")");
  return cat("The watcher heartbeat ", how,
             "; the lane board will read this watcher as stale until one lands.");
}

std::string feed_unreadable(std::string_view what) {
  return cat("Could not read the fleet feed: ", what);
}

std::string feed_refused(int times) {
  return cat("The fleet feed has refused this session ", number(times), " times in a row.");
}

std::string feed_went_back(std::int64_t from, std::int64_t to) {
  return cat("The fleet's feed went back from event ", number(from), " to event ", number(to),
             ": the service was restored or replaced.");
}

std::string feed_pruned(std::int64_t first, std::int64_t last) {
  return cat("The fleet no longer keeps events ", number(first), " to ", number(last),
             ", and this session has not seen them.");
}

std::string role_changed(std::string_view to, std::string_view from, std::string_view how) {
  const auto known = [](std::string_view name) {
    return name.empty() ? std::string("unknown") : printable(name);
  };
  const std::string by =
      how.empty() ? std::string() : cat(", ", printable(how), " by an administrator");
  return cat("This session is now in the `", known(to), "` role, from `", known(from), "`", by,
             ". Refreshing what it may do.");
}

std::string role_denied(std::string_view refused, std::string_view stays) {
  return cat("The request for the `", printable(refused),
             "` role was denied by an administrator. This session stays `",
             stays.empty() ? std::string("unknown") : printable(stays), "`.");
}

std::string tool_without_schema(std::string_view name) {
  return cat("The fleet's tool ", printable(name),
             " has no usable schema and was left out of the list.");
}

std::string not_cleared(std::string_view file) {
  return cat("Left the unread fleet events in `", file, "`: could not lock it within 2 seconds.");
}

}  // namespace robot_council::bridge::text
