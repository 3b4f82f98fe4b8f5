#include "tests/e2e/hook_fixture.hpp"

#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "base/json.hpp"
#include "base/json_scan.hpp"
#include "base/signals.hpp"
#include "base/text.hpp"

namespace robot_council::test {

namespace {

const std::string kService = "https://fleet.example.test";

}  // namespace

HookSeat::HookSeat(const std::string& harness, const std::string& project) : harness_(harness) {
  base::ignore_sigpipe();  // a hook need not read all it is given
  EXPECT_TRUE(base::make_private_directory(folder()).ok());
  const base::MapEnvironment environment(this->environment());
  base::Result<sink::Seat> seat =
      sink::resolve_seat({kService, harness, project}, folder(), environment);
  EXPECT_TRUE(seat.ok());
  seat_ = std::move(*seat);
}

Values HookSeat::environment(const Values& more) const {
  Values values = {{"HOME", home_.path()},
                   {"XDG_STATE_HOME", home_ / "state"},
                   {"XDG_RUNTIME_DIR", home_ / "run"},
                   {"PATH", "/usr/bin:/bin"},
                   {"ROBOT_COUNCIL_SERVICE", kService},
                   {"ROBOT_COUNCIL_HARNESS", harness_}};
  for (const auto& [name, value] : more) {
    values[name] = value;
  }
  return values;
}

sink::BridgeStore& HookSeat::bridge() {
  if (!bridge_) {
    static const base::SystemClock clock;
    static const base::MapEnvironment none;
    static base::MemoryLog log;
    const sink::JoinInfo join{7, 0, sink::own_process(), sink::parent_process(), true};
    base::Result<sink::BridgeStore> opened =
        sink::BridgeStore::open(seat_.files, join, {clock, none, log});
    EXPECT_TRUE(opened.ok());
    bridge_.emplace(std::move(*opened));
  }
  return *bridge_;
}

std::string HookSeat::store_event(const std::string& type, const std::string& body) {
  const std::string created_at = "2026-09-22T12:00:00+00:00";
  sink::Page page;
  page.events.push_back(sink::FeedEvent::from_json(
      "{\"id\":" + std::to_string(next_id_) + ",\"type\":" + base::quote_json(type) +
      ",\"body\":" + base::quote_json(body) + ",\"created_at\":\"" + created_at +
      "\",\"actor\":{\"github_login\":\"otherdev\"}}"));
  page.cursor = next_id_;
  ++next_id_;
  const base::Result<sink::Appended> appended = bridge().append(page);
  EXPECT_TRUE(appended.ok());
  return "[" + type + "] " + body + " from otherdev at " + created_at;
}

std::string HookSeat::store_directive(const std::string& body) {
  return store_event("directive", body);
}

Ran HookSeat::hook(std::string_view payload, const Values& more) const {
  return run({program("robot-council"), "pending", "--hook"}, environment(more), payload, folder());
}

Ran HookSeat::command(const std::vector<std::string>& words, const Values& more) const {
  std::vector<std::string> argv = {program("robot-council")};
  argv.insert(argv.end(), words.begin(), words.end());
  return run(argv, environment(more), {}, folder());
}

Ran HookSeat::script(std::string_view payload, const Values& more,
                     const std::vector<std::string>& words) const {
  std::vector<std::string> argv = {source_file("resources/stop-hook/robot-council-stop-hook")};
  argv.insert(argv.end(), words.begin(), words.end());
  Values values = environment(more);
  values.try_emplace("ROBOT_COUNCIL_BIN", program("robot-council"));
  return run(argv, values, payload, folder());
}

base::Child HookSeat::start(const std::vector<std::string>& argv, const Values& more) const {
  base::ChildOptions options;
  options.argv = argv;
  for (const auto& [name, value] : environment(more)) {
    options.environment.push_back(name + "=" + value);
  }
  options.directory = folder();
  options.standard_in = base::Stdio::pipe;
  options.standard_out = base::Stdio::pipe;
  options.standard_err = base::Stdio::pipe;
  base::Result<base::Child> child = base::Child::start(options);
  EXPECT_TRUE(child.ok());
  return std::move(*child);
}

std::vector<sink::Entry> HookSeat::rows() const {
  base::Result<std::optional<sink::DeliveryStore>> store =
      sink::DeliveryStore::open(seat_.files, sink::Access::read_only, sink::WaitBudget());
  if (!store.ok() || !store->has_value()) {
    return {};
  }
  base::Result<sink::DeliveryStore::Look> look = (*store)->look(std::nullopt);
  return look.ok() ? std::move(look->rows) : std::vector<sink::Entry>{};
}

std::size_t HookSeat::waiting() const {
  const std::vector<sink::Entry> all = rows();
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const sink::Entry& row) {
    return row.state == sink::RowState::waiting;
  }));
}

std::vector<sink::HistoryRow> HookSeat::history() const {
  base::Result<std::optional<sink::DeliveryStore>> store =
      sink::DeliveryStore::open(seat_.files, sink::Access::read_only, sink::WaitBudget());
  if (!store.ok() || !store->has_value()) {
    return {};
  }
  base::Result<std::vector<sink::HistoryRow>> rows = (*store)->history(1000);
  return rows.ok() ? std::move(*rows) : std::vector<sink::HistoryRow>{};
}

std::string HookSeat::record_answer() const {
  if (!base::exists(seat_.files.hook())) {
    return {};
  }
  const std::string text = read_text(seat_.files.hook());
  return base::json_unescape(base::json_member(text, "answer"));
}

std::string payload_fixture(const std::string& name) {
  return read_text(source_file("tests/fixtures/payloads/" + name));
}

std::string claude_stop(const Values& more) {
  Values members = {{"session_id", "\"s1\""},      {"cwd", "\"/\""},
                    {"prompt_id", "\"p1\""},       {"hook_event_name", "\"Stop\""},
                    {"stop_hook_active", "false"}, {"last_assistant_message", "\"done\""}};
  for (const auto& [name, value] : more) {
    if (value.empty()) {
      members.erase(name);
    } else {
      members[name] = value;
    }
  }
  std::vector<std::string> parts;
  for (const auto& [name, value] : members) {
    parts.push_back("\"" + name + "\":" + value);
  }
  return "{" + base::join(parts, ",") + "}\n";
}

std::string news(const std::vector<std::string>& lines) {
  return "Robot Council has news:\n" + base::join(lines, "\n");
}

std::string block_answer(const std::vector<std::string>& lines) {
  return R"({"decision":"block","reason":)" + base::quote_json(news(lines)) + "}";
}

}  // namespace robot_council::test
