#include "sink/sentences.hpp"

#include <string>

#include "sink/limits.hpp"

namespace robot_council::sink {
namespace {

std::string quoted(const SeatFiles& files) {
  return "the sink `" + files.database() + "`";
}
std::string quoted_first(const SeatFiles& files) {
  return "The sink `" + files.database() + "`";
}

}  // namespace

base::Error not_opened(const SeatFiles& files) {
  return {base::Errc::refused, "Could not open " + quoted(files) + " to read it."};
}

base::Error not_locked(const SeatFiles& files) {
  return {base::Errc::busy,
          "Could not lock " + quoted(files) + " within 2 seconds, so it was left as it was."};
}

base::Error not_written(const SeatFiles& files, std::string_view why) {
  return {base::Errc::io, quoted_first(files) + " could not be written back: " + std::string(why) +
                              ". It was left as it was."};
}

base::Error damaged(const SeatFiles& files, std::string_view words) {
  return {base::Errc::corrupt,
          quoted_first(files) + " does not parse: " + std::string(words) +
              ". It was left as it was; move it aside to let delivery resume."};
}

base::Error foreign_file(const SeatFiles& files) {
  return {
      base::Errc::invalid,
      quoted_first(files) +
          " is not a list of events. It was left as it was; move it aside to let delivery resume."};
}

base::Error newer_file(const SeatFiles& files, std::int64_t version) {
  return {base::Errc::unsupported,
          quoted_first(files) + " was written by a newer robot-council (version " +
              std::to_string(version) + ", this one knows " + std::to_string(kSchemaVersion) +
              "). It was left as it was; update robot-council."};
}

}  // namespace robot_council::sink
