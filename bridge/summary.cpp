#include "bridge/summary.hpp"

#include "bridge/texts.hpp"

namespace robot_council::bridge {

namespace {

void add_note(std::string& text, const std::string& note) {
  if (!note.empty()) {
    text.append(" ").append(note);
  }
}

}  // namespace

std::string role_failure(const RoleAnswer& answer) {
  if (answer.status == 0) {
    return std::string(text::kUnreachable);
  }
  std::string why =
      "The service refused the role request (HTTP " + std::to_string(answer.status) + ").";
  add_note(why, answer.message);
  return why;
}

std::string role_note(const RoleAnswer& answer, std::string_view subject) {
  if (!answer.asked) {
    return {};
  }
  std::string note(subject);
  if (answer.failed()) {
    return note + " joined as build: asking for " + answer.wanted + " failed. " +
           role_failure(answer);
  }
  if (answer.pending) {
    const std::string held = answer.held.empty() ? "build" : text::printable(answer.held);
    return note + " asked for the " + answer.wanted +
           " role; an administrator decides, and until then it holds " + held + "'s abilities.";
  }
  if (answer.held == answer.wanted) {
    return note + " holds the " + answer.wanted + " role already.";
  }
  const std::string held = answer.held.empty() ? "an unknown role" : text::printable(answer.held);
  return note + " asked for the " + answer.wanted +
         " role, and the fleet recorded no request; it holds " + held + ".";
}

std::string capacity_note(const CapacityAnswer& answer) {
  if (!answer.asked) {
    return {};
  }
  const std::string asked = std::to_string(*answer.asked);
  if (!answer.capacity) {
    return "It declared a capacity of " + asked +
           ", and the fleet reported none, so it may not support capacity; plan on one task at a "
           "time.";
  }
  if (*answer.capacity == *answer.asked) {
    return "It holds up to " + text::tasks(*answer.capacity) + " at once.";
  }
  const std::int64_t declared = answer.declared.value_or(*answer.asked);
  std::string reasons;
  if (declared < *answer.asked) {
    reasons = "the fleet takes at most " + std::to_string(declared);
  }
  if (*answer.capacity < declared) {
    reasons.append(reasons.empty() ? "" : ", and ")
        .append("its seat caps it at " + std::to_string(*answer.capacity));
  }
  std::string note = "It declared a capacity of " + asked;
  if (!reasons.empty()) {
    note.append("; ").append(reasons);
  }
  return note + ", so it holds up to " + text::tasks(*answer.capacity) + " at once.";
}

std::string join_summary(const Joined& joined) {
  std::string text = "Joined the fleet as session ";
  text.append(joined.session ? std::to_string(*joined.session) : std::string("unknown"));
  if (!joined.repository.empty()) {
    text.append(", working in ").append(joined.repository);
    if (!joined.work_location.empty()) {
      text.append(" at ").append(joined.work_location);
    }
  }
  text.append(". The fleet's tools are available now.");
  add_note(text, joined.unset_notes);
  add_note(text, role_note(joined.role, "It"));
  add_note(text, capacity_note(joined.capacity));
  return text;
}

}  // namespace robot_council::bridge
