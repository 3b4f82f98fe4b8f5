#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Every fixed sentence of the bridge: what it writes to stderr (wiki/Diagnostics.md) and answers to
// the harness. Pure.
namespace robot_council::bridge::text {

// --- start ---
inline constexpr std::string_view kNoService =
    "Pass --service, or set ROBOT_COUNCIL_SERVICE, with the URL of your fleet.";
inline constexpr std::string_view kKeepWarmMinutes =
    "--keep-warm takes a whole number of minutes, at least 1";
inline constexpr std::string_view kKeepWarmForAlone =
    "--keep-warm-for applies only with --keep-warm";
inline constexpr std::string_view kKeepWarmClaude = "--keep-warm applies only to Claude Code";
inline constexpr std::string_view kKeepWarmBoth =
    "--keep-warm and --keep-warm-for take a whole number of minutes, at least 1";
inline constexpr std::string_view kKeepWarmOrder =
    "--keep-warm-for must be longer than --keep-warm, or no keep-alive is ever sent";
inline constexpr std::string_view kKeepWarmOff = "; keep-alives are off.";
inline constexpr std::string_view kBadCapacityOption =
    "--capacity takes a whole number, 1 or more; not joining automatically.";
inline constexpr std::string_view kContentLength =
    "stdin is framed with Content-Length headers; this server reads one JSON message per line.";
inline constexpr std::string_view kRejoining =
    "rejoining the fleet: this Cursor application joined before its bridge was restarted.";
inline constexpr std::string_view kRejoined =
    "This Cursor application was on the Robot Council fleet before Cursor restarted its bridge, "
    "and the bridge has rejoined it as it "
    "was, with the repository, work location, role and capacity of the earlier join. It is a new "
    "fleet session: tasks and locks the "
    "earlier one held were released. Tell your operator on your next turn.";
inline constexpr std::string_view kSeatObtained =
    "the other bridge of this checkout has ended; this one holds the seat now.";

[[nodiscard]] std::string checkout_unreadable(std::string_view why);     // L2
[[nodiscard]] std::string seat_held(std::optional<std::int64_t> pid);    // L3
[[nodiscard]] std::string only_with_auto_join(std::string_view option);  // L13
[[nodiscard]] std::string not_rejoined(std::int64_t age_s);              // D
[[nodiscard]] std::string project_differs(std::string_view variable,
                                          std::string_view project);  // L38

// --- protocol ---
inline constexpr std::string_view kNotAMessage = "That was not a JSON-RPC message.";
inline constexpr std::string_view kLineTooLong = "The message is longer than 8 MiB.";
inline constexpr std::string_view kLineTooDeep = "The message is nested deeper than 128 levels.";
inline constexpr std::string_view kBatchUnjoined =
    "This bridge does not accept a batch before joining the fleet.";
inline constexpr std::string_view kNotJoined =
    "This bridge has not joined the fleet. Call the `join` tool first.";
inline constexpr std::string_view kMethodNotFound = "Method not found";
inline constexpr std::string_view kAnswerTooLarge = "The service's answer is larger than 16 MiB.";
inline constexpr std::string_view kAnswerEmpty = "The service answered this request with nothing.";
inline constexpr std::string_view kNotProtocol =
    "The service answered with something that is not a protocol message.";  // L30
inline constexpr std::string_view kRefusedAgain =
    "The service issued a new token for this session and refused it on the next call, so this "
    "message did not reach the fleet.";
inline constexpr std::string_view kLeftFirst = "The session was left before the service answered.";
inline constexpr std::string_view kUnforeseen = "something failed unexpectedly while joining.";
inline constexpr std::string_view kStoppedUnexpectedly = "The bridge stopped unexpectedly.";  // L36

// --- join ---
inline constexpr std::string_view kRoleNames = "The role must be one of: build, ci, coordinator.";
inline constexpr std::string_view kCapacityArgument =
    "The capacity must be a whole number, 1 or more. Omit it to hold one task at a time.";
inline constexpr std::string_view kRefusedCredential =
    "This machine is not enrolled, or its credential was revoked. Run `robot-council enroll`.";
inline constexpr std::string_view kStartUnusable =
    "The service started a session but did not describe it usably.";
inline constexpr std::string_view kUnreachable = "The fleet could not be reached.";
inline constexpr std::string_view kEndedAgain = " The session that had started was ended.";
inline constexpr std::string_view kJoiningFailed =
    "Joining failed after the session started, so it was ended.";
inline constexpr std::string_view kCodexNote =
    " This client reads the tool list once: start it with --auto-join to have the fleet's tools.";
inline constexpr std::string_view kNoCoordinator =
    "No session on this fleet is running in the `coordinator` role, so no directive can be "
    "posted. An administrator can put a running "
    "session in that role from the fleet administration page. Read once, when this session "
    "joined.";  // L18

[[nodiscard]] std::string already_joined(std::int64_t session);
[[nodiscard]] std::string unknown_role(std::string_view role);
[[nodiscard]] std::string could_not_join(std::string_view reason);
[[nodiscard]] std::string start_refused(int status);
[[nodiscard]] std::string left_unset(std::string_view what, std::string_view value);  // L17

// --- session ---
inline constexpr std::string_view kGone =
    "The fleet has marked this session gone, so its claims and locks have been released and its "
    "token will be refused. Stopping. "
    "Nothing is wrong with the installation, and a new session needs a new bridge.";  // L23
inline constexpr std::string_view kNoToken =
    "The service renewed the session but returned no token.";
inline constexpr std::string_view kNoWatcher =
    "This fleet does not accept a watcher heartbeat yet (robot-council/core#337), so its lane "
    "board will read this watcher as absent.";

[[nodiscard]] std::string ended_sentence(std::optional<std::int64_t> session);  // 5.6
[[nodiscard]] std::string renewal_refused(int status);
[[nodiscard]] std::string credential_refused(std::string_view harness);  // L29
[[nodiscard]] std::string credential_expiring(std::string_view harness,
                                              std::int64_t expires_ms);          // L19
[[nodiscard]] std::string capacity_changed(std::int64_t from, std::int64_t to);  // L24
[[nodiscard]] std::string capacity_back(std::int64_t value);                     // L25
[[nodiscard]] std::string left_fleet(std::optional<std::int64_t> session);       // L26
// L28; status 0: no answer.
[[nodiscard]] std::string watcher_failed(int status);

// --- feed ---
[[nodiscard]] std::string feed_unreadable(std::string_view what);  // L20
[[nodiscard]] std::string feed_refused(int times);                 // L21
[[nodiscard]] std::string feed_went_back(std::int64_t from, std::int64_t to);
[[nodiscard]] std::string feed_pruned(std::int64_t first, std::int64_t last);
[[nodiscard]] std::string role_changed(std::string_view to, std::string_view from,
                                       std::string_view how);                             // L32
[[nodiscard]] std::string role_denied(std::string_view refused, std::string_view stays);  // L33
[[nodiscard]] std::string tool_without_schema(std::string_view name);                     // L31

// --- sink ---
[[nodiscard]] std::string not_cleared(std::string_view file);  // L35

// --- helpers ---
// A foreign text for one line of a person: control characters become blanks, bad UTF-8 U+FFFD, cut
// at 200 characters.
[[nodiscard]] std::string printable(std::string_view text);
// "1 task", "2 tasks".
[[nodiscard]] std::string tasks(std::int64_t n);
// "session 7", or `unknown` when there is no number.
[[nodiscard]] std::string session_name(std::optional<std::int64_t> session,
                                       std::string_view unknown);

}  // namespace robot_council::bridge::text
