#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "service-api/errors.hpp"

namespace robot_council::fleet {

// The arguments of one call: a request body, a query or a tool's arguments. Keeps the bytes beside
// the parsed form, since free-form objects are stored as they were written.
class Input {
 public:
  // An empty or blank body is {}. invalid: no JSON, no object, over the body's limit, nested deeper
  // than 32.
  [[nodiscard]] static base::Result<Input> from_json(std::string_view text);
  [[nodiscard]] static Input from_query(
      const std::vector<std::pair<std::string, std::string>>& query);

  [[nodiscard]] const base::Json& json() const { return *json_; }
  // Bytes of a member, "" when it is missing.
  [[nodiscard]] std::string_view raw(std::string_view name) const;

 private:
  Input(std::shared_ptr<const base::Json> json, std::string text)
      : json_(std::move(json)), text_(std::move(text)) {}
  std::shared_ptr<const base::Json> json_;
  std::string text_;
};

enum class Need : std::uint8_t { required, optional };
enum class Null : std::uint8_t {
  absent,
  refused
};  // what null and a blank text mean for an optional field

struct TextRule {
  Need need = Need::optional;
  std::size_t max = 0;                        // characters
  bool (*shape)(std::string_view) = nullptr;  // nothing: any text
  Null null = Null::absent;
};

// Reads fields out of an Input and collects what is wrong with them, in the order of the calls. A
// field that is wrong reads as absent; the caller asks ok() before it uses any.
class Fields {
 public:
  explicit Fields(const Input& input, std::string prefix = "")
      : input_(input), prefix_(std::move(prefix)) {}

  [[nodiscard]] bool has(const char* name) const;  // present, null included
  [[nodiscard]] std::optional<std::string> text(const char* name, const TextRule& rule);
  [[nodiscard]] std::optional<std::int64_t> integer(const char* name, Need need, std::int64_t min,
                                                    std::int64_t max);
  // true, false, 1, 0, "1", "0"; null is refused.
  [[nodiscard]] std::optional<bool> boolean(const char* name);
  // 1..50 integers >= 1, sorted without duplicates; empty when absent.
  [[nodiscard]] std::vector<std::int64_t> ids(const char* name);
  // A free-form object, compact; "" when absent or empty.
  [[nodiscard]] std::string object(const char* name);
  // Words of a list that must not be empty, each taken by `shape`.
  [[nodiscard]] std::vector<std::string> words(const char* name, bool (*shape)(std::string_view));
  // Fields of another call: present ones are refused.
  void forbid(const std::vector<const char*>& names, std::string_view call);

  void refuse(const char* name, std::string_view text);
  [[nodiscard]] bool ok() const { return errors_.empty(); }
  [[nodiscard]] const service_api::FieldErrors& errors() const { return errors_; }

 private:
  service_api::FieldErrors errors_;
  const Input& input_;
  std::string prefix_;
};

}  // namespace robot_council::fleet
