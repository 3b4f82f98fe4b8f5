#pragma once

namespace robot_council::sink::sql {

// The sink's schema, version 1, and every statement on it. Source: delivery contract, 2.2.

inline constexpr const char* kCreate =
    // One row a join of a bridge. pid: the bridge; client: its parent; started: start time of a
    // process (Linux /proc/<pid>/stat field 22, macOS libproc); seat: 1 = holds it.
    "CREATE TABLE joined(join_no INTEGER PRIMARY KEY AUTOINCREMENT, session INT, cursor INT, pid "
    "INT NOT NULL,"
    " started TEXT, client INT, client_started TEXT, seat INT NOT NULL, ended_ms INT);"
    // to_end: T; loops: loop_count; transcript_at: its size at the offer; proof: 0 P3, 1 hook, 2
    // wake.
    "CREATE TABLE entry(seq INTEGER PRIMARY KEY AUTOINCREMENT, join_no INT NOT NULL, session INT, "
    "event_id INT,"
    " type TEXT NOT NULL, json TEXT NOT NULL, stored_ms INT NOT NULL, state INT NOT NULL, writes "
    "INT NOT NULL,"
    " maybe INT NOT NULL, offer TEXT, to_session TEXT, to_turn TEXT, to_end TEXT, loops INT, "
    "transcript TEXT,"
    " transcript_at INT, proof INT, printed_ms INT);"
    "CREATE UNIQUE INDEX entry_event ON entry(join_no, event_id) WHERE event_id IS NOT NULL;"
    "CREATE TABLE history(seq INTEGER PRIMARY KEY AUTOINCREMENT, left_ms INT NOT NULL, why TEXT "
    "NOT NULL,"
    " writes INT NOT NULL, join_no INT NOT NULL, event_id INT, json TEXT NOT NULL, to_session "
    "TEXT, printed_ms INT,"
    " proof INT);"
    // Loop counters of harness sessions; turn: of the newest answer.
    "CREATE TABLE chain(session TEXT PRIMARY KEY, turn TEXT, answers INT NOT NULL, streak INT NOT "
    "NULL,"
    " woke INT NOT NULL, seen_ms INT NOT NULL);"
    "PRAGMA application_id=1380143921;"  // kApplicationId
    "PRAGMA user_version=1;";            // kSchemaVersion

inline constexpr const char* kCountTables = "SELECT count(*) FROM sqlite_master";

// joined
inline constexpr const char* kUnendedJoins =
    "SELECT join_no, pid, started, client, client_started FROM joined WHERE ended_ms IS NULL ORDER "
    "BY join_no";
inline constexpr const char* kInsertJoin =
    "INSERT INTO joined(session, cursor, pid, started, client, client_started, seat) VALUES(?, ?, "
    "?, ?, ?, ?, ?)";
inline constexpr const char* kOldJoins =
    "SELECT join_no FROM joined WHERE join_no NOT IN (SELECT join_no FROM joined ORDER BY join_no "
    "DESC LIMIT ?)";
inline constexpr const char* kDeleteJoin = "DELETE FROM joined WHERE join_no = ?";
inline constexpr const char* kSetCursor = "UPDATE joined SET cursor = ? WHERE join_no = ?";
inline constexpr const char* kSetEnded =
    "UPDATE joined SET ended_ms = ? WHERE join_no = ? AND ended_ms IS NULL";
inline constexpr const char* kSetSeat = "UPDATE joined SET seat = 1 WHERE join_no = ?";
inline constexpr const char* kSetSession = "UPDATE joined SET session = ? WHERE join_no = ?";
inline constexpr const char* kSetEntrySession =
    "UPDATE entry SET session = ? WHERE join_no = ? AND session IS NULL";

// entry
inline constexpr const char* kEntryColumns =
    "SELECT seq, join_no, session, event_id, type, json, stored_ms, state, writes, maybe, offer, "
    "to_session, to_turn,"
    " to_end, loops, transcript, transcript_at, proof, printed_ms FROM entry WHERE state <= ? "
    "ORDER BY seq";
inline constexpr const char* kAnyEntry = "SELECT 1 FROM entry LIMIT 1";
inline constexpr const char* kLastSeq = "SELECT seq FROM sqlite_sequence WHERE name = 'entry'";
inline constexpr const char* kInsertEntry =
    "INSERT INTO entry(join_no, session, event_id, type, json, stored_ms, state, writes, maybe)"
    " VALUES(?, ?, ?, ?, ?, ?, 0, 0, 0)";
inline constexpr const char* kInsertEvent =
    "INSERT OR IGNORE INTO entry(join_no, session, event_id, type, json, stored_ms, state, writes, "
    "maybe)"
    " VALUES(?, ?, ?, ?, ?, ?, 0, 0, 0)";
inline constexpr const char* kDeleteEntry = "DELETE FROM entry WHERE seq = ?";
inline constexpr const char* kWaitAgain =
    "UPDATE entry SET state = 0, offer = NULL, maybe = maybe OR state = 1 WHERE seq = ?";
inline constexpr const char* kOffer =
    "UPDATE entry SET state = 1, offer = ?, to_session = ?, to_turn = ?, to_end = ?, loops = ?, "
    "transcript = ?,"
    " transcript_at = ?, proof = ?, printed_ms = ? WHERE seq = ?";
inline constexpr const char* kMarkWritten =
    "UPDATE entry SET state = 2, writes = writes + 1, printed_ms = ? WHERE offer = ? AND state = 1";
inline constexpr const char* kTakeBack =
    "UPDATE entry SET state = 0, maybe = ?, offer = ?, to_session = ?, to_turn = ?, to_end = ?, "
    "loops = ?,"
    " transcript = ?, transcript_at = ?, proof = ?, printed_ms = ? WHERE seq = ? AND offer = ? AND "
    "state = 1";

// history
inline constexpr const char* kToHistory =
    "INSERT INTO history(left_ms, why, writes, join_no, event_id, json, to_session, printed_ms, "
    "proof)"
    " SELECT ?, ?, writes, join_no, event_id, json, to_session, printed_ms, proof FROM entry WHERE "
    "seq = ?";
// Both touch the old end of the table only: what a hand-over costs does not grow with the history.
inline constexpr const char* kPruneByCount =
    "DELETE FROM history WHERE seq <= (SELECT max(seq) FROM history) - ?";
inline constexpr const char* kPruneByAge =
    "DELETE FROM history WHERE seq < (SELECT seq FROM history WHERE left_ms >= ? ORDER BY seq "
    "LIMIT "
    "1)";
inline constexpr const char* kHistory =
    "SELECT left_ms, why, writes, event_id, json, to_session, printed_ms, proof FROM history ORDER "
    "BY seq DESC LIMIT ?";
inline constexpr const char* kJoinHistoryIds =
    "SELECT event_id FROM history WHERE join_no = ? AND event_id IS NOT NULL";
inline constexpr const char* kLowestUnconfirmed =
    "SELECT min(event_id) FROM (SELECT event_id FROM entry WHERE join_no = ?1 UNION ALL"
    " SELECT event_id FROM history WHERE join_no = ?1 AND why <> 'confirmed')";
inline constexpr const char* kCountOfType =
    "SELECT count(*) FROM entry WHERE event_id IS NULL AND type = ?";
inline constexpr const char* kPrintedCopies =
    "SELECT event_id, json, to_session FROM history WHERE event_id IS NOT NULL AND "
    "printed_ms IS NOT NULL"
    " AND event_id IN (SELECT event_id FROM entry WHERE event_id IS NOT NULL)";
inline constexpr const char* kPrintsTo =
    "SELECT printed_ms, proof FROM (SELECT printed_ms, proof, to_session FROM history UNION ALL"
    " SELECT printed_ms, proof, to_session FROM entry WHERE state > 0 OR writes > 0)"
    " WHERE to_session = ? AND printed_ms BETWEEN ? AND ? ORDER BY printed_ms";

// chain
inline constexpr const char* kChain =
    "SELECT turn, answers, streak, woke FROM chain WHERE session = ?";
inline constexpr const char* kSetChain =
    "INSERT INTO chain(session, turn, answers, streak, woke, seen_ms) VALUES(?, ?, ?, ?, ?, ?)"
    " ON CONFLICT(session) DO UPDATE SET turn = excluded.turn, answers = excluded.answers, streak "
    "= excluded.streak,"
    " woke = excluded.woke, seen_ms = excluded.seen_ms";
inline constexpr const char* kPruneChain =
    "DELETE FROM chain WHERE session IN (SELECT session FROM chain ORDER BY seen_ms DESC LIMIT -1 "
    "OFFSET ?)";

}  // namespace robot_council::sink::sql
