#pragma once

#include <array>
#include <cstdint>
#include <string_view>

// Tables of the SQLite store. Ids are never given out twice (AUTOINCREMENT), also after pruning.
// Times are ms since 1970. Every table carries the developer it belongs to. Codes, challenges and
// tokens are SHA-256 digits, never the text.
namespace robot_council::fleet::schema {

inline constexpr std::int64_t kVersion = 1;

inline constexpr std::array<std::string_view, 19> kCreate{
    "CREATE TABLE developers(id INTEGER PRIMARY KEY AUTOINCREMENT, developer_id INTEGER, "
    "github_login TEXT NOT NULL UNIQUE,"
    " allowed INTEGER NOT NULL DEFAULT 1, created_at INTEGER NOT NULL)",

    "CREATE TABLE enrolments(id INTEGER PRIMARY KEY AUTOINCREMENT, developer_id INTEGER, "
    "device_hash TEXT NOT NULL UNIQUE,"
    " user_code_hash TEXT NOT NULL, challenge_hash TEXT NOT NULL, harness TEXT NOT NULL, "
    "machine_label TEXT NOT NULL,"
    " abilities TEXT NOT NULL, requested_ip TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at "
    "INTEGER NOT NULL,"
    " decision TEXT NOT NULL DEFAULT 'pending', decided_by TEXT, decided_at INTEGER, exchanged_at "
    "INTEGER)",
    "CREATE INDEX enrolments_by_code ON enrolments(user_code_hash)",

    "CREATE TABLE installations(id INTEGER PRIMARY KEY AUTOINCREMENT, developer_id INTEGER NOT "
    "NULL, token_hash TEXT UNIQUE,"
    " harness TEXT NOT NULL, machine_label TEXT NOT NULL, requested_ip TEXT NOT NULL, created_at "
    "INTEGER NOT NULL,"
    " expires_at INTEGER NOT NULL, revoked_at INTEGER)",
    "CREATE INDEX installations_by_seat ON installations(developer_id, harness, machine_label)",

    "CREATE TABLE sessions(id INTEGER PRIMARY KEY AUTOINCREMENT, developer_id INTEGER NOT NULL, "
    "installation_id INTEGER NOT NULL,"
    " token_hash TEXT UNIQUE, token_expires_at INTEGER NOT NULL, role TEXT NOT NULL DEFAULT "
    "'build', requested_role TEXT,"
    " requested_at INTEGER, status TEXT NOT NULL DEFAULT 'active', repository TEXT, work_location "
    "TEXT, os_family TEXT, arch TEXT,"
    " declared_capacity INTEGER, ephemeral INTEGER NOT NULL DEFAULT 0, feed_cursor INTEGER NOT "
    "NULL DEFAULT 0,"
    " contact_at INTEGER NOT NULL, watcher_at INTEGER, started_at INTEGER NOT NULL, ended_at "
    "INTEGER)",
    "CREATE INDEX sessions_by_contact ON sessions(status, contact_at)",
    "CREATE INDEX sessions_by_installation ON sessions(installation_id)",

    "CREATE TABLE events(id INTEGER PRIMARY KEY AUTOINCREMENT, developer_id INTEGER, type TEXT NOT "
    "NULL, body TEXT, meta TEXT,"
    " created_at INTEGER NOT NULL, actor_session_id INTEGER, actor_login TEXT, direct INTEGER NOT "
    "NULL DEFAULT 0,"
    " has_performer INTEGER NOT NULL DEFAULT 0, performed_by TEXT)",
    "CREATE INDEX events_by_age ON events(created_at)",
    "CREATE TABLE event_addressees(event_id INTEGER NOT NULL, session_id INTEGER NOT NULL, "
    "developer_id INTEGER NOT NULL,"
    " PRIMARY KEY(event_id, session_id)) WITHOUT ROWID",

    "CREATE TABLE tasks(id INTEGER PRIMARY KEY AUTOINCREMENT, developer_id INTEGER NOT NULL, "
    "parent_task_id INTEGER,"
    " title TEXT NOT NULL, description TEXT, status TEXT NOT NULL DEFAULT 'pending', priority "
    "INTEGER NOT NULL DEFAULT 0,"
    " payload TEXT, result TEXT, project_id TEXT, issue TEXT, branch TEXT, sub_label TEXT, "
    "placed_by TEXT,"
    " hand_back INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, created_session INTEGER, "
    "created_login TEXT,"
    " created_direct INTEGER NOT NULL DEFAULT 0, claimed_at INTEGER, claimed_session INTEGER, "
    "claimed_login TEXT,"
    " finished_at INTEGER)",
    "CREATE INDEX tasks_by_priority ON tasks(priority DESC, id)",
    "CREATE INDEX tasks_by_status ON tasks(status, priority DESC, id)",
    "CREATE INDEX tasks_by_holder ON tasks(claimed_session, status)",

    "CREATE TABLE locks(name TEXT PRIMARY KEY, developer_id INTEGER NOT NULL, holder INTEGER, "
    "holder_login TEXT, previous INTEGER,"
    " fence INTEGER NOT NULL, acquired_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, freed_at "
    "INTEGER) WITHOUT ROWID",
    "CREATE INDEX locks_by_holder ON locks(holder)",

    // One row a sequence; `fence` is drawn for every lease of every name.
    "CREATE TABLE counters(name TEXT PRIMARY KEY, developer_id INTEGER, value INTEGER NOT NULL) "
    "WITHOUT ROWID",
    "INSERT INTO counters(name, value) VALUES('fence', 0)",
};

}  // namespace robot_council::fleet::schema
