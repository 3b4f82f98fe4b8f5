#include "account/enrolments.hpp"

#include <string>
#include <utility>

#include "base/files.hpp"
#include "base/json_value.hpp"
#include "base/paths.hpp"
#include "base/time_text.hpp"

namespace robot_council::account {

namespace {

constexpr std::int64_t kVersion = 1;

std::optional<std::int64_t> time_of(const base::Json& entry, const char* key) {
  const auto text = base::get_string(entry, key);
  return text ? base::parse_iso(*text) : std::nullopt;
}

bool newer(const base::Json& object) {
  const auto version = base::get_integer(object, "version");
  return version && *version > kVersion;
}

}  // namespace

Enrolments::Enrolments(const base::Context& context)
    : context_(context),
      file_(base::join_path(base::config_directory(context.environment), "enrolments.json")) {}

base::Result<std::map<std::string, Enrolment>> Enrolments::read() const {
  std::map<std::string, Enrolment> result;
  const auto object = file_.read();
  if (!object) {
    if (object.error().code != base::Errc::corrupt) {
      return object.error();
    }
    context_.log.warning(object.error().what + " It was left as it was; no expiry is known.");
    return result;
  }
  if (!object->has_value()) {
    return result;
  }
  if (newer(**object)) {
    context_.log.warning("`" + file_.path() +
                         "` was written by a newer robot-council; no expiry is known.");
    return result;
  }
  const base::Json* entries = base::get_object(**object, "entries");
  if (entries == nullptr) {
    return result;
  }
  for (const auto& item : entries->items()) {
    Enrolment enrolment;
    enrolment.store = base::get_string(item.value(), "store").value_or("");
    enrolment.machine_label = base::get_string(item.value(), "machine_label").value_or("");
    enrolment.installation_id = base::get_integer(item.value(), "installation_id");
    enrolment.enrolled_ms = time_of(item.value(), "enrolled_at").value_or(0);
    enrolment.expires_ms = time_of(item.value(), "expires_at");
    result.emplace(item.key(), std::move(enrolment));
  }
  return result;
}

base::Status Enrolments::put(const std::string& key, const Enrolment& enrolment) const {
  base::Json entry = base::Json::object();
  entry["store"] = enrolment.store;
  entry["machine_label"] = enrolment.machine_label;
  entry["installation_id"] =
      enrolment.installation_id ? base::Json(*enrolment.installation_id) : base::Json();
  entry["enrolled_at"] = base::iso_zulu(enrolment.enrolled_ms);
  entry["expires_at"] =
      enrolment.expires_ms ? base::Json(base::iso_zulu(*enrolment.expires_ms)) : base::Json();
  bool is_newer = false;
  auto written = file_.edit(context_.clock, context_.log, [&](base::Json& object) {
    is_newer = newer(object);
    if (is_newer) {
      return;
    }
    object["version"] = kVersion;
    if (base::get_object(object, "entries") == nullptr) {
      object["entries"] = base::Json::object();
    }
    object["entries"][key] = entry;
  });
  if (is_newer) {
    return base::Error{
        base::Errc::unsupported,
        "`" + file_.path() + "` was written by a newer robot-council; it was left as it was."};
  }
  return written;
}

base::Status Enrolments::remove(const std::string& key) const {
  const auto there = read();
  if (!there || there->count(key) == 0) {
    return there ? base::Status() : base::Status(there.error());
  }
  return file_.edit(context_.clock, context_.log, [&](base::Json& object) {
    if (base::get_object(object, "entries") == nullptr) {
      return;
    }
    object["entries"].erase(key);
    if (object["entries"].empty()) {
      object.clear();
    }
  });
}

}  // namespace robot_council::account
