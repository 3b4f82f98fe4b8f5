#include "wiring/online/hook_payload.hpp"

#include "base/json_value.hpp"

namespace robot_council::wiring::online {

namespace {

std::string last_message(const StopTurn& turn) {
  return turn.continued == Continued::yes ? "Done, with the news as well." : "Done.";
}

std::string transcript(const StopTurn& turn) {
  return turn.folder + "/no-transcript-" + turn.session + ".jsonl";
}

base::OrderedJson claude(const StopTurn& turn) {
  base::OrderedJson object = base::OrderedJson::object();
  object["session_id"] = turn.session;
  object["transcript_path"] = transcript(turn);
  object["cwd"] = turn.folder;
  object["prompt_id"] = turn.turn;
  object["permission_mode"] = "default";
  object["hook_event_name"] = "Stop";
  object["stop_hook_active"] = turn.continued == Continued::yes;
  object["last_assistant_message"] = last_message(turn);
  object["background_tasks"] = base::OrderedJson::array();
  object["session_crons"] = base::OrderedJson::array();
  return object;
}

base::OrderedJson codex(const StopTurn& turn) {
  base::OrderedJson object = base::OrderedJson::object();
  object["session_id"] = turn.session;
  object["transcript_path"] = nullptr;
  object["cwd"] = turn.folder;
  object["turn_id"] = turn.turn;
  object["permission_mode"] = "default";
  object["hook_event_name"] = "Stop";
  object["stop_hook_active"] = turn.continued == Continued::yes;
  object["last_assistant_message"] = last_message(turn);
  object["model"] = "model";
  return object;
}

base::OrderedJson cursor(const StopTurn& turn) {
  base::OrderedJson object = base::OrderedJson::object();
  object["conversation_id"] = turn.session;
  object["generation_id"] = turn.turn + (turn.continued == Continued::yes ? "-1" : "");
  object["model"] = "model";
  object["status"] = "completed";
  object["loop_count"] = turn.continued == Continued::yes ? 1 : 0;
  object["hook_event_name"] = "stop";
  object["cursor_version"] = "3.17.0";
  object["workspace_roots"] = base::OrderedJson::array({turn.folder});
  return object;
}

base::OrderedJson gemini(const StopTurn& turn) {
  base::OrderedJson object = base::OrderedJson::object();
  object["session_id"] = turn.session;
  object["transcript_path"] = transcript(turn);
  object["cwd"] = turn.folder;
  object["hook_event_name"] = "AfterAgent";
  object["timestamp"] = "2026-11-30T06:00:00.000Z";
  object["prompt"] = "Go on. (" + turn.turn + ")";
  object["prompt_response"] = last_message(turn);
  object["stop_hook_active"] = turn.continued == Continued::yes;
  return object;
}

base::OrderedJson copilot(const StopTurn& turn) {
  base::OrderedJson object = base::OrderedJson::object();
  object["sessionId"] = turn.session;
  // The only field in which two turns of this client differ.
  object["timestamp"] = turn.turn;
  object["cwd"] = turn.folder;
  object["transcriptPath"] = transcript(turn);
  object["stopReason"] = "end_turn";
  object["stop_hook_active"] = turn.continued == Continued::yes;
  return object;
}

base::OrderedJson goose(const StopTurn& turn) {
  base::OrderedJson object = base::OrderedJson::object();
  object["event"] = "Stop";
  object["session_id"] = turn.session;
  object["last_assistant_message"] = last_message(turn) + " (" + turn.turn + ")";
  return object;
}

}  // namespace

std::string stop_payload(std::string_view harness, const StopTurn& turn) {
  if (harness == "codex") {
    return base::dump_safe(codex(turn));
  }
  if (harness == "cursor") {
    return "\xEF\xBB\xBF" + base::dump_safe(cursor(turn));
  }
  if (harness == "gemini") {
    return base::dump_safe(gemini(turn));
  }
  if (harness == "copilot") {
    return base::dump_safe(copilot(turn));
  }
  if (harness == "goose") {
    return base::dump_safe(goose(turn));
  }
  return base::dump_safe(claude(turn));
}

HookStart hook_start(std::string_view harness, const StopTurn& turn, const std::string& home,
                     const std::string& user_shell) {
  const std::string project = "CLAUDE_PROJECT_DIR=" + turn.folder;
  if (harness == "codex") {
    return {{user_shell.empty() ? "/bin/sh" : user_shell, "-c"}, {}, turn.folder};
  }
  if (harness == "cursor") {
    return {{"/bin/bash", "-c"}, {}, home + "/.cursor"};
  }
  if (harness == "gemini") {
    return {{"bash", "-c"},
            {"GEMINI_PROJECT_DIR=" + turn.folder, project, "GEMINI_CWD=" + turn.folder,
             "GEMINI_SESSION_ID=" + turn.session},
            turn.folder};
  }
  if (harness == "copilot") {
    return {{"/bin/bash", "--norc", "--noprofile", "-c"},
            {"COPILOT_CLI=1", "COPILOT_PROJECT_DIR=" + turn.folder, project},
            turn.folder};
  }
  if (harness == "goose") {
    return {{"sh", "-c"}, {"PLUGIN_ROOT=" + home + "/.agents/plugins/robot-council"}, turn.folder};
  }
  return {{"/bin/sh", "-c"},
          {"CLAUDECODE=1", project, "CLAUDE_CODE_SESSION_ID=" + turn.session, "CLAUDE_PID=1"},
          turn.folder};
}

}  // namespace robot_council::wiring::online
