#include "fleet/mcp_tools.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "fleet/feed.hpp"
#include "fleet/json_text.hpp"
#include "fleet/messages.hpp"
#include "fleet/operation.hpp"
#include "fleet/sessions.hpp"
#include "fleet/task_operations.hpp"
#include "service-api/names.hpp"

namespace robot_council::fleet {

namespace {

namespace ability = service_api::ability;
using Access = Operation::Access;
using Call = std::function<Reply(Core&, const Session&, const Input&)>;
using Act = Reply (*)(Unit&, const Session&, const Input&);

Call by(Operation operation) {
  return
      [operation = std::move(operation)](Core& core, const Session& session, const Input& input) {
        return run_operation(core, session, operation, 0, input);
      };
}

Call act(std::string_view needed, Access access, Act run) {
  return by(
      {needed, access, [run](Unit& unit, const Session& session, std::int64_t, const Input& input) {
         return run(unit, session, input);
       }});
}

Call on_task(std::string_view action) {
  return [action](Core& core, const Session& session, const Input& input) {
    Fields fields(input);
    const auto id = fields.integer("task_id", Need::required, 1, INT64_MAX);
    const Operation& operation = *find_task_action(action);
    if (!operation.ability.empty() && !role_holds(session.role, operation.ability)) {
      return missing_ability(operation.ability);
    }
    return id ? run_operation(core, session, operation, *id, input)
              : invalid_input(fields.errors());
  };
}

Call on_lock(std::string_view action) {
  return [action](Core& core, const Session& session, const Input& input) {
    return run_operation(core, session, *find_lock_action(action), 0, input);
  };
}

constexpr std::string_view kTaskId = R"({"task_id":{"type":"integer"}})";
constexpr std::string_view kNeedsTask = R"(["task_id"])";
constexpr std::string_view kName = R"({"name":{"type":"string","maxLength":191}})";
constexpr std::string_view kNameAndTtl =
    R"({"name":{"type":"string","maxLength":191},"ttl":{"type":"integer"}})";
constexpr std::string_view kIdList =
    R"({"type":"array","items":{"type":"integer","minimum":1},"maxItems":50,"uniqueItems":true})";
constexpr std::string_view kFinish = R"({"task_id":{"type":"integer"},"result":{"type":"object"}})";

std::vector<Tool> task_tools() {
  return {
      {"task_list", "List tasks",
       "Lists the fleet's tasks, highest priority first. Pass both halves of the cursor for the "
       "next page.",
       R"({"status":{"type":"string","enum":["pending","claimed","in_progress","blocked","done","failed","cancelled"]},)"
       R"("limit":{"type":"integer"},"after_priority":{"type":"integer"},"after_id":{"type":"integer"}})",
       "", by(task_list_operation())},
      {"sessions_list", "List sessions",
       "Lists the live sessions of the fleet, newest first, with the tasks they hold.",
       R"({"repository":{"type":"string"},"role":{"type":"string","enum":["build","ci","coordinator"]},)"
       R"("os_family":{"type":"string"},"limit":{"type":"integer"},"after":{"type":"integer"}})",
       "", act("", Access::reads, list_sessions)},
      {"task_create", "Create a task", "Adds a pending task for some session to claim.",
       R"({"title":{"type":"string","maxLength":255},"description":{"type":"string","maxLength":4000},)"
       R"("priority":{"type":"integer"},"project_id":{"type":"string"},"issue":{"type":"string","maxLength":151},)"
       R"("payload":{"type":"object"},"parent_task_id":{"type":"integer"}})",
       R"(["title"])", by(task_create_operation())},
      {"task_claim", "Claim a task", "Makes a pending task yours. Exactly one session gets it.",
       kTaskId, kNeedsTask, on_task("claim")},
      {"task_start", "Start a task",
       "Says that you work on a task you hold now, and on which branch.",
       R"({"task_id":{"type":"integer"},"branch":{"type":"string","maxLength":200},"sub_label":{"type":"string","maxLength":64}})",
       kNeedsTask, on_task("start")},
      {"task_block", "Block a task", "Says that a task you hold cannot go on now.", kTaskId,
       kNeedsTask, on_task("block")},
      {"task_complete", "Complete a task", "Finishes a task you hold.", kFinish, kNeedsTask,
       on_task("complete")},
      {"task_fail", "Fail a task", "Gives up a task you hold, for good.", kFinish, kNeedsTask,
       on_task("fail")},
      {"task_release", "Release a task", "Gives a task back: it is pending again.", kTaskId,
       kNeedsTask, on_task("release")},
      {"task_reassign", "Reassign a task",
       "Coordinators: places a task on a session, with the instruction it gets. `expect` refuses "
       "if the status changed meanwhile.",
       R"({"task_id":{"type":"integer"},"session_id":{"type":"integer"},"directive":{"type":"string","maxLength":4000},)"
       R"("expect":{"type":"string","enum":["pending","claimed","in_progress","blocked"]},"hand_back":{"type":"boolean"}})",
       R"(["task_id","session_id","directive"])", on_task("reassign")},
      {"task_cancel", "Cancel a task", "Coordinators: ends a task that is not finished.", kTaskId,
       kNeedsTask, on_task("cancel")}};
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): each std::function deletes its own

std::vector<Tool> lock_tools() {
  return {
      {"lock_acquire", "Take a lock",
       "Takes a lease of `ttl` seconds on a name. Carry the fence with what you write; renew "
       "before it lapses.",
       kNameAndTtl, R"(["name","ttl"])", on_lock("acquire")},
      {"lock_renew", "Renew a lock",
       "Makes your lease last `ttl` seconds from now, with the same fence.", kNameAndTtl,
       R"(["name","ttl"])", on_lock("renew")},
      {"lock_release", "Release a lock", "Ends your lease on a name.", kName, R"(["name"])",
       on_lock("release")},
      {"lock_force_release", "Force a lock free", "Coordinators: ends whoever's lease on a name.",
       kName, R"(["name"])", on_lock("force-release")},
      {"task_branch", "Name a task's branch",
       "Sets the branch or the sub label of a task you work on.",
       R"({"task_id":{"type":"integer"},"branch":{"type":"string","maxLength":200},"sub_label":{"type":"string","maxLength":64}})",
       kNeedsTask, on_task("branch")}};
}

std::vector<Tool> feed_tools() {
  static const std::string narrate =
      R"({"body":{"type":"string","maxLength":4000},"meta":{"type":"object"},"to":)" +
      std::string(kIdList) + ",\"to_tasks\":" + std::string(kIdList) + "}";
  static const std::string direct =
      R"({"body":{"type":"string","maxLength":4000},"meta":{"type":"object"},"targets":)" +
      std::string(kIdList) + "}";
  return {
      {"events_read", "Read the feed",
       "Reads the fleet's events after a position, else after the position you last read from. "
       "Read on from the cursor until it "
       "no longer moves.",
       R"({"after":{"type":"integer"},"limit":{"type":"integer"}})", "",
       [](Core& core, const Session& session, const Input& input) {
         return read_events(core, session, input);
       }},
      {"events_narrate", "Tell the fleet",
       "Tells the other sessions something; with `to` or `to_tasks` it is for those sessions.",
       narrate, R"(["body"])", act(ability::kEventsPost, Access::writes, post_narration)},
      {"directive_post", "Direct the fleet",
       "Coordinators: tells all sessions, or the targets, what to do.", direct, R"(["body"])",
       act(ability::kCoordinatorDirect, Access::writes, post_directive)},
      {"presence_heartbeat", "Say you are here", "Keeps this session from being taken for silent.",
       "{}", "",
       [](Core& core, const Session& session, const Input&) {
         note_contact(core, session);
         return heartbeat(session);
       }},
      {"session_move", "Say where you work",
       "Changes the repository or the work location of this session.",
       R"({"work_location":{"type":"string","maxLength":32},"repository":{"type":"string","maxLength":140}})",
       "", act("", Access::writes, move_session)}};
}

std::string entry_text(const Tool& tool) {
  ObjectText schema;
  schema.text("type", "object").raw("properties", tool.properties);
  if (!tool.required.empty()) {
    schema.raw("required", tool.required);
  }
  return ObjectText()
      .text("name", tool.name)
      .text("title", tool.title)
      .text("description", tool.description)
      .raw("inputSchema", schema.done())
      .raw("annotations", "{}")
      .done();
}

}  // namespace

const std::vector<Tool>& tools() {
  static const std::vector<Tool> table = [] {
    std::vector<Tool> all = task_tools();
    for (auto part : {lock_tools(), feed_tools()}) {
      std::move(part.begin(), part.end(), std::back_inserter(all));
    }
    return all;
  }();
  return table;
}

const Tool* find_tool(std::string_view name) {
  const auto& all = tools();
  const auto found =
      std::find_if(all.begin(), all.end(), [name](const Tool& tool) { return tool.name == name; });
  return found == all.end() ? nullptr : &*found;
}

const std::string& tool_list_text() {
  static const std::string text = [] {
    std::vector<std::string> entries;
    for (const Tool& tool : tools()) {
      entries.push_back(entry_text(tool));
    }
    return ObjectText().raw("tools", array_text(entries)).done();
  }();
  return text;
}

}  // namespace robot_council::fleet
