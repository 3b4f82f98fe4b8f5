#include "fleet/tasks.hpp"

#include "fleet/json_text.hpp"
#include "fleet/limits.hpp"
#include "service-api/limits.hpp"
#include "service-api/names.hpp"
#include "service-api/patterns.hpp"

namespace robot_council::fleet {

namespace {

constexpr std::string_view kTaskSql =
    "SELECT id, developer_id, parent_task_id, title, description, status, priority, payload, "
    "result, project_id, issue, branch,"
    " sub_label, placed_by, hand_back, created_at, created_session, created_login, created_direct, "
    "claimed_at, claimed_session,"
    " claimed_login FROM tasks ";

Task task_of(const Row& row) {
  enum Column : std::size_t {
    id,
    developer_id,
    parent,
    title,
    description,
    status,
    priority,
    payload,
    result,
    project_id,
    issue,
    branch,
    sub_label,
    placed_by,
    hand_back,
    created_at,
    created_session,
    created_login,
    created_direct,
    claimed_at,
    claimed_session,
    claimed_login
  };
  Task task;
  task.id = row.integer(id);
  task.developer_id = row.integer(developer_id);
  task.parent_task_id = row.maybe_integer(parent);
  task.title = row.text(title);
  task.description = row.maybe_text(description);
  task.status = row.text(status);
  task.priority = row.integer(priority);
  task.payload = row.text(payload);
  task.result = row.text(result);
  task.project_id = row.maybe_text(project_id);
  task.issue = row.maybe_text(issue);
  task.branch = row.maybe_text(branch);
  task.sub_label = row.maybe_text(sub_label);
  task.placed_by = row.maybe_text(placed_by);
  task.hand_back = row.flag(hand_back);
  task.created_at = row.integer(created_at);
  task.created_session = row.maybe_integer(created_session);
  task.created_login = row.maybe_text(created_login);
  task.created_direct = row.flag(created_direct);
  task.claimed_at = row.maybe_integer(claimed_at);
  task.claimed_session = row.maybe_integer(claimed_session);
  task.claimed_login = row.maybe_text(claimed_login);
  return task;
}

std::string created_by(const Task& task) {
  if (!task.created_session) {
    return "null";
  }
  return ObjectText()
      .integer("session_id", task.created_session)
      .text("github_login", task.created_login)
      .flag("coordinator_direct", task.created_direct)
      .done();
}

std::string claimed_by(const Task& task) {
  if (!task.claimed_session) {
    return "null";
  }
  return ObjectText()
      .integer("session_id", task.claimed_session)
      .text("github_login", task.claimed_login)
      .done();
}

struct TaskPage {
  std::optional<std::string> status;
  std::int64_t limit = 0;
  std::optional<std::int64_t> after_priority;
  std::optional<std::int64_t> after_id;
};

TaskPage read_page_query(Fields& fields) {
  TaskPage page;
  page.status = fields.text("status", {Need::optional, 0, service_api::is_task_status});
  page.limit = fields.integer("limit", Need::optional, 1, service_api::kMaxPageTasks)
                   .value_or(service_api::kMaxPageTasks);
  page.after_priority =
      fields.integer("after_priority", Need::optional, 0, service_api::kMaxPriority);
  page.after_id = fields.integer("after_id", Need::optional, 0, INT64_MAX);
  if (fields.ok() && page.after_priority.has_value() != page.after_id.has_value()) {
    fields.refuse(page.after_id ? "after_priority" : "after_id",
                  "The after priority and after id fields belong together.");
  }
  return page;
}

Rows task_rows(Unit& unit, const TaskPage& page) {
  static const std::string sql = std::string(kTaskSql) +
                                 "WHERE (? IS NULL OR status = ?) AND priority <= ? AND (priority "
                                 "< ? OR id > ?) ORDER BY priority DESC, id LIMIT ?";
  const std::int64_t priority = page.after_priority.value_or(service_api::kMaxPriority);
  return unit.tx.query(
      sql, {page.status, page.status, priority, priority, page.after_id.value_or(0), page.limit});
}

}  // namespace

bool Task::held() const {
  return status == service_api::task_status::kClaimed ||
         status == service_api::task_status::kInProgress ||
         status == service_api::task_status::kBlocked;
}

std::optional<Task> find_task(Unit& unit, std::int64_t id) {
  static const std::string sql = std::string(kTaskSql) + "WHERE id = ?";
  const auto row = unit.tx.first(sql, {id});
  return row ? std::optional<Task>(task_of(*row)) : std::nullopt;
}

std::string task_json(const Task& task, const Session* reader) {
  const bool readable = reader == nullptr || reader->directs() || task.created_direct ||
                        task.developer_id == reader->developer_id;
  const auto word = [readable](const std::optional<std::string>& text) {
    return readable ? text : std::optional<std::string>();
  };
  return ObjectText()
      .integer("id", task.id)
      .integer("parent_task_id", task.parent_task_id)
      .text("title", word(task.title))
      .text("description", word(task.description))
      .text("status", task.status)
      .integer("priority", task.priority)
      .raw("payload", readable ? task.payload : std::string())
      .raw("result", readable ? task.result : std::string())
      .flag("readable", readable)
      .text("project_id", task.project_id)
      .text("issue", word(task.issue))
      .text("branch", word(task.branch))
      .text("sub_label", word(task.sub_label))
      .text("placed_by", task.placed_by)
      .flag("hand_back", task.hand_back)
      .time("created_at", task.created_at)
      .time("claimed_at", task.claimed_at)
      .raw("created_by", created_by(task))
      .raw("claimed_by", claimed_by(task))
      .done();
}

Reply list_tasks(Unit& unit, const Session& session, const Input& input) {
  Fields fields(input);
  const TaskPage page = read_page_query(fields);
  if (!fields.ok()) {
    return invalid_input(fields.errors());
  }
  std::vector<std::string> tasks;
  std::string cursor;
  for (const Row& row : task_rows(unit, page)) {
    const Task task = task_of(row);
    tasks.push_back(task_json(task, &session));
    cursor = ObjectText().integer("priority", task.priority).integer("id", task.id).done();
  }
  return ok(ObjectText().raw("tasks", array_text(tasks)).raw("cursor", cursor).done());
}

Reply create_task(Unit& unit, const Session& session, const Input& input) {
  Fields fields(input);
  const auto title = fields.text("title", {Need::required, service_api::kMaxTitle});
  const auto description = fields.text("description", {Need::optional, service_api::kMaxText});
  const auto priority = fields.integer("priority", Need::optional, 0, service_api::kMaxPriority);
  const auto project = fields.text(
      "project_id", {Need::optional, service_api::kMaxProjectId, service_api::is_project_id});
  const auto issue =
      fields.text("issue", {Need::optional, service_api::kMaxIssue, service_api::is_issue});
  const std::string payload = fields.object("payload");
  const auto parent = fields.integer("parent_task_id", Need::optional, 1, INT64_MAX);
  if (parent && !find_task(unit, *parent)) {
    fields.refuse("parent_task_id", "There is no task #" + std::to_string(*parent) + ".");
  }
  if (!fields.ok()) {
    return invalid_input(fields.errors());
  }
  const std::int64_t id = unit.tx.insert(
      "INSERT INTO tasks(developer_id, parent_task_id, title, description, priority, payload, "
      "project_id, issue, created_at,"
      " created_session, created_login, created_direct) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
      "RETURNING id",
      {session.developer_id, parent, *title, description, priority.value_or(0),
       payload.empty() ? Value() : Value(payload), project, issue, unit.now, session.id,
       session.login, session.directs() ? 1 : 0});
  EventDraft made;
  made.type = service_api::event::kTaskCreated;
  made.body = "Task #" + std::to_string(id) + " created.";
  made.meta = ObjectText().integer("task_id", id).text("project_id", project).done();
  made.actor = session.actor();
  made.developer_id = session.developer_id;
  unit.append(made);
  return created(ObjectText()
                     .integer("task_id", id)
                     .text("status", service_api::task_status::kPending)
                     .done());
}

Reply set_branch(Unit& unit, const Session& session, std::int64_t task_id, const Input& input) {
  Fields fields(input);
  const auto branch =
      fields.text("branch", {Need::optional, service_api::kMaxBranch, service_api::is_branch});
  const auto label = fields.text(
      "sub_label", {Need::optional, service_api::kMaxSubLabel, service_api::is_sub_label});
  if (fields.ok() && !branch && !label) {
    fields.refuse("branch", "The branch or the sub label field is required.");
  }
  if (!fields.ok()) {
    return invalid_input(fields.errors());
  }
  const auto refusal = [task_id](int status, std::string_view why) {
    return refuse_with(status,
                       ObjectText()
                           .integer("task_id", task_id)
                           .null("branch")
                           .null("sub_label")
                           .flag("applied", false)
                           .done(),
                       why);
  };
  const auto task = find_task(unit, task_id);
  if (!task) {
    return refusal(404, "There is no such task.");
  }
  if (task->status != service_api::task_status::kInProgress &&
      task->status != service_api::task_status::kBlocked) {
    return refusal(409, "The task is " + task->status + "; it must be in_progress or blocked.");
  }
  if (task->claimed_session != session.id) {
    return refusal(403, "Another session holds this task.");
  }
  const auto row = unit.tx.first(
      "UPDATE tasks SET branch = COALESCE(?, branch), sub_label = COALESCE(?, sub_label) WHERE id "
      "= ? AND claimed_session = ?"
      " AND status IN ('in_progress', 'blocked') RETURNING branch, sub_label",
      {branch, label, task_id, session.id});
  if (!row) {
    return refusal(409, "The task changed meanwhile.");
  }
  return ok(ObjectText()
                .integer("task_id", task_id)
                .text("branch", row->maybe_text(0))
                .text("sub_label", row->maybe_text(1))
                .flag("applied", true)
                .done());
}

std::string overview_tasks(Unit& unit) {
  static const std::string sql = std::string(kTaskSql) +
                                 "WHERE finished_at IS NULL OR finished_at > ? ORDER BY "
                                 "finished_at IS NOT NULL, priority DESC,"
                                 " id LIMIT ?";
  std::vector<std::string> tasks;
  for (const Row& row : unit.tx.query(sql, {unit.now - kDay, kOverviewTasks})) {
    tasks.push_back(task_json(task_of(row), nullptr));
  }
  return array_text(tasks);
}

}  // namespace robot_council::fleet
