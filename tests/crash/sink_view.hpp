#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace robot_council::crash {

// What a sink holds at one moment, read with SQLite alone: the judge trusts nothing of the product.
struct SinkView {
  struct Row {
    std::int64_t seq = 0;
    std::int64_t join_no = 0;
    std::optional<std::int64_t> event_id;
    std::string type;
    std::string json;
    int state = 0;
  };
  struct Left {
    std::int64_t seq = 0;
    std::int64_t join_no = 0;
    std::optional<std::int64_t> event_id;
    std::string why;
    std::string json;
  };
  struct Join {
    std::int64_t number = 0;
    std::optional<std::int64_t> session;
    std::optional<std::int64_t> cursor;
  };
  bool exists = false;  // with its tables
  std::string problem;  // "": it could be read, and quick_check found nothing
  std::vector<Row> rows;
  std::vector<Left> history;  // later than the number given
  std::vector<Join> joins;
};

// Reads as the next program would: a journal that a killed one left is rolled back.
[[nodiscard]] SinkView read_sink(const std::string& database, std::int64_t history_after);

}  // namespace robot_council::crash
