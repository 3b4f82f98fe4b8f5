#pragma once

#include <array>
#include <string_view>

// Words of the wire: event types, roles, abilities, states, error codes, headers (service
// contract).
namespace robot_council::service_api {

// Answered by the embedded service on every GET events: the longest wait it takes, in seconds
// (8.4).
inline constexpr const char* kWaitHeader = "Robot-Council-Wait";

namespace event {  // 4.4
inline constexpr const char* kNarration = "narration";
inline constexpr const char* kDirective = "directive";
inline constexpr const char* kPlacementInstruction = "placement.instruction";
inline constexpr const char* kSessionJoined = "session.joined";
inline constexpr const char* kSessionMoved = "session.moved";
inline constexpr const char* kSessionStale = "session.stale";
inline constexpr const char* kSessionResumed = "session.resumed";
inline constexpr const char* kSessionGone = "session.gone";
inline constexpr const char* kSessionRoleRequested = "session.role_requested";
inline constexpr const char* kSessionRoleChanged = "session.role_changed";
inline constexpr const char* kSessionRoleWithdrawn = "session.role_withdrawn";
inline constexpr const char* kInstallationRevoked = "installation.revoked";
inline constexpr const char* kAllowlistEntryAdded = "allowlist.entry_added";
inline constexpr const char* kAllowlistEntryRemoved = "allowlist.entry_removed";
inline constexpr const char* kTaskCreated = "task.created";
inline constexpr const char* kTaskClaimed = "task.claimed";
inline constexpr const char* kTaskStarted = "task.started";
inline constexpr const char* kTaskBlocked = "task.blocked";
inline constexpr const char* kTaskCompleted = "task.completed";
inline constexpr const char* kTaskFailed = "task.failed";
inline constexpr const char* kTaskReleased = "task.released";
inline constexpr const char* kTaskReassigned = "task.reassigned";
inline constexpr const char* kTaskCancelled = "task.cancelled";
inline constexpr const char* kTaskResultAdded = "task.result_added";
inline constexpr const char* kLockAcquired = "lock.acquired";
inline constexpr const char* kLockRenewed = "lock.renewed";
inline constexpr const char* kLockTakenOver = "lock.taken_over";
inline constexpr const char* kLockReleased = "lock.released";
inline constexpr const char* kLockForceReleased = "lock.force_released";
inline constexpr const char* kLaneQuiet = "lane.quiet";
inline constexpr const char* kLaneCondition = "lane.condition";
}  // namespace event

namespace role {  // 1.2
inline constexpr std::string_view kBuild = "build";
inline constexpr std::string_view kCi = "ci";
inline constexpr std::string_view kCoordinator = "coordinator";
inline constexpr std::array<std::string_view, 3> kAll{kBuild, kCi, kCoordinator};
}  // namespace role

namespace ability {  // 1.2
inline constexpr std::string_view kTasksCreate = "tasks:create";
inline constexpr std::string_view kTasksClaim = "tasks:claim";
inline constexpr std::string_view kLocksAcquire = "locks:acquire";
inline constexpr std::string_view kEventsPost = "events:post";
inline constexpr std::string_view kCoordinatorDirect = "coordinator:direct";
inline constexpr std::string_view kSessionsStart = "sessions:start";
// What `build` and `ci` hold, in the wire's order; `coordinator` adds kCoordinatorDirect.
inline constexpr std::array<std::string_view, 4> kOfBuild{kTasksCreate, kTasksClaim, kLocksAcquire,
                                                          kEventsPost};
}  // namespace ability

namespace session_status {  // 3.3
inline constexpr std::string_view kActive = "active";
inline constexpr std::string_view kStale = "stale";
inline constexpr std::string_view kGone = "gone";
}  // namespace session_status

namespace task_status {  // 5.3
inline constexpr std::string_view kPending = "pending";
inline constexpr std::string_view kClaimed = "claimed";
inline constexpr std::string_view kInProgress = "in_progress";
inline constexpr std::string_view kBlocked = "blocked";
inline constexpr std::string_view kDone = "done";
inline constexpr std::string_view kFailed = "failed";
inline constexpr std::string_view kCancelled = "cancelled";
inline constexpr std::array<std::string_view, 7> kAll{kPending, kClaimed, kInProgress, kBlocked,
                                                      kDone,    kFailed,  kCancelled};
inline constexpr std::array<std::string_view, 3> kHeld{kClaimed, kInProgress, kBlocked};
}  // namespace task_status

namespace grant_error {  // POST device/token, 400 (section 2)
inline constexpr const char* kInvalidGrant = "invalid_grant";
inline constexpr const char* kAccessDenied = "access_denied";
inline constexpr const char* kExpiredToken = "expired_token";
inline constexpr const char* kAuthorizationPending = "authorization_pending";
inline constexpr const char* kSlowDown =
    "slow_down";  // never sent by either service; a client still takes it
}  // namespace grant_error

// Field names that both sides read or write.
namespace field {
inline constexpr const char* kAbilities = "abilities";
inline constexpr const char* kAcknowledge = "acknowledge";
inline constexpr const char* kActor = "actor";
inline constexpr const char* kAfter = "after";
inline constexpr const char* kApplied = "applied";
inline constexpr const char* kBody = "body";
inline constexpr const char* kCapacity = "capacity";
inline constexpr const char* kCodeChallenge = "code_challenge";
inline constexpr const char* kCodeVerifier = "code_verifier";
inline constexpr const char* kCoordinatorDirect = "coordinator_direct";
inline constexpr const char* kCreatedAt = "created_at";
inline constexpr const char* kCursor = "cursor";
inline constexpr const char* kDeclaredCapacity = "declared_capacity";
inline constexpr const char* kDeviceCode = "device_code";
inline constexpr const char* kEphemeral = "ephemeral";
inline constexpr const char* kEpoch = "epoch";
inline constexpr const char* kEpochHead = "epoch_head";
inline constexpr const char* kError = "error";
inline constexpr const char* kErrors = "errors";
inline constexpr const char* kEventId = "event_id";
inline constexpr const char* kEvents = "events";
inline constexpr const char* kExpiresIn = "expires_in";
inline constexpr const char* kFeedCursor = "feed_cursor";
inline constexpr const char* kFence = "fence";
inline constexpr const char* kFleetCanDirect = "fleet_can_direct";
inline constexpr const char* kGithubLogin = "github_login";
inline constexpr const char* kGoneIn = "gone_in";
inline constexpr const char* kHarness = "harness";
inline constexpr const char* kId = "id";
inline constexpr const char* kInstallationId = "installation_id";
inline constexpr const char* kInstructionId = "instruction_id";
inline constexpr const char* kInterval = "interval";
inline constexpr const char* kLimit = "limit";
inline constexpr const char* kMachineLabel = "machine_label";
inline constexpr const char* kMessage = "message";
inline constexpr const char* kMeta = "meta";
inline constexpr const char* kOldest = "oldest";
inline constexpr const char* kPending = "pending";
inline constexpr const char* kPerformedBy = "performed_by";
inline constexpr const char* kPlatform = "platform";
inline constexpr const char* kRepository = "repository";
inline constexpr const char* kRequestedAbilities = "requested_abilities";
inline constexpr const char* kRequestedRole = "requested_role";
inline constexpr const char* kRole = "role";
inline constexpr const char* kSessionId = "session_id";
inline constexpr const char* kStaleIn = "stale_in";
inline constexpr const char* kStatus = "status";
inline constexpr const char* kTargets = "targets";
inline constexpr const char* kTaskId = "task_id";
inline constexpr const char* kTo = "to";
inline constexpr const char* kToTasks = "to_tasks";
inline constexpr const char* kToken = "token";
inline constexpr const char* kType = "type";
inline constexpr const char* kUserCode = "user_code";
inline constexpr const char* kVerificationUri = "verification_uri";
inline constexpr const char* kWait = "wait";
inline constexpr const char* kWorkLocation = "work_location";
}  // namespace field

}  // namespace robot_council::service_api
