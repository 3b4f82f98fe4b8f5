#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.hpp"

namespace robot_council::fleet {

// One bound value or one column: NULL, a 64-bit integer or a text. Times are integers (ms since
// 1970), yes/no is 1/0.
class Value {
 public:
  Value() = default;        // NOLINTBEGIN(google-explicit-constructor): lists of bound values
  Value(std::nullptr_t) {}  // NOLINT(google-explicit-constructor): lists of bound values
  Value(std::int64_t number)
      : held_(number) {}  // NOLINT(google-explicit-constructor): lists of bound values
  Value(int number)
      : held_(std::int64_t{number}) {
  }  // NOLINT(google-explicit-constructor): lists of bound values
  Value(std::string text)
      : held_(std::move(text)) {}  // NOLINT(google-explicit-constructor): lists of bound values
  Value(std::string_view text)
      : held_(std::string(text)) {}  // NOLINT(google-explicit-constructor): as above
  Value(const char* text)
      : held_(std::string(text)) {}  // NOLINT(google-explicit-constructor): as above
  template <class T>
  Value(const std::optional<T>& value) {  // NOLINT(google-explicit-constructor): as above
    if (value) {
      *this = Value(*value);
    }
  }  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(held_); }
  [[nodiscard]] bool is_text() const { return std::holds_alternative<std::string>(held_); }
  // The number, 0 for anything else. The text, "" for anything else.
  [[nodiscard]] std::int64_t integer() const;
  [[nodiscard]] const std::string& text() const;

 private:
  std::variant<std::monostate, std::int64_t, std::string> held_;
};

// One row of an answer; columns by position. A column that is not there reads as NULL.
class Row {
 public:
  explicit Row(std::vector<Value> columns) : columns_(std::move(columns)) {}
  [[nodiscard]] std::int64_t integer(std::size_t column) const { return at(column).integer(); }
  [[nodiscard]] bool flag(std::size_t column) const { return at(column).integer() != 0; }
  [[nodiscard]] const std::string& text(std::size_t column) const { return at(column).text(); }
  [[nodiscard]] std::optional<std::int64_t> maybe_integer(std::size_t column) const;
  [[nodiscard]] std::optional<std::string> maybe_text(std::size_t column) const;

 private:
  [[nodiscard]] const Value& at(std::size_t column) const;
  std::vector<Value> columns_;
};

using Rows = std::vector<Row>;
using Values = std::vector<Value>;

// Statements inside one transaction. The SQL is the common part of SQLite and PostgreSQL,
// parameters are "?"; texts are constants, values are only ever bound. Errors  sticky: after the
// first failure every call answers "nothing" and the transaction is undone at its end. So logic
// reads on
//         without a check after each line, and its result is dropped by the store.
class Transaction {
 public:
  Transaction() = default;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  Transaction(Transaction&&) = delete;
  Transaction& operator=(Transaction&&) = delete;
  virtual ~Transaction() = default;

  // All rows. Callers bound them with LIMIT.
  virtual Rows query(std::string_view sql, const Values& values) = 0;
  // Rows changed.
  virtual std::int64_t execute(std::string_view sql, const Values& values) = 0;

  // The first row, if any.
  [[nodiscard]] std::optional<Row> first(std::string_view sql, const Values& values);
  // Runs "INSERT ... RETURNING id": the new row's id.
  std::int64_t insert(std::string_view sql, const Values& values);

  [[nodiscard]] const std::optional<base::Error>& failure() const { return failure_; }

 protected:
  void fail(base::Error error);

 private:
  std::optional<base::Error> failure_;
};

// What happens to a transaction whose work is done.
enum class Ending : std::uint8_t { commit, undo };

// Where the fleet lives. Holds no rule of the fleet: those are written once above it. SQLite stands
// behind it here. Threads  safe from any; writes run one after another.
class Store {
 public:
  using Work = std::function<Ending(Transaction&)>;
  using Reading = std::function<void(Transaction&)>;
  using Committed = std::function<void()>;

  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  Store(Store&&) = delete;
  Store& operator=(Store&&) = delete;
  virtual ~Store() = default;

  // Runs `work` as one transaction: all of it is on disk when this returns ok, or nothing of it.
  // `committed` runs right after the commit and before any later commit (it may be empty); not at
  // all when the work was undone. Errors  busy or io: the store is not available, nothing was
  // written; corrupt; invalid: a statement is wrong.
  [[nodiscard]] virtual base::Status write(const Work& work, const Committed& committed) = 0;
  // A consistent view, nothing is written.
  [[nodiscard]] virtual base::Status read(const Reading& reading) = 0;

  // The highest event id ever given out, kept when events are pruned. 0 on a new store.
  [[nodiscard]] virtual std::int64_t last_event_id(Transaction& transaction) = 0;
  // "sqlite", "postgresql".
  [[nodiscard]] virtual std::string_view kind() const = 0;
};

}  // namespace robot_council::fleet
