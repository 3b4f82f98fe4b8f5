#include "harness/settings_edit.hpp"

#include <algorithm>
#include <utility>

#include "base/files.hpp"
#include "base/json.hpp"
#include "base/json_value.hpp"
#include "base/text.hpp"

namespace robot_council::harness {

namespace {

constexpr std::string_view kBom = "\xEF\xBB\xBF";
constexpr std::string_view kServers = "mcpServers";
constexpr std::string_view kServer = "robot-council";

// An entry of ours and where it stands: element `group` of the event's list, element `index` of its
// `hooks` (none: flat).
struct Place {
  std::size_t group = 0;
  std::optional<std::size_t> index;
};

// The text being edited. It is parsed anew after each step: files are small, and each step then is
// plain.
class Editor {
 public:
  Editor(std::string text, const EditPlan& plan) : text_(std::move(text)), plan_(plan) { parse(); }

  base::Status run() {
    for (const WantedHook& hook : plan_.hooks) {
      if (auto status = check_path({"hooks", hook.event}); !status.ok()) {
        return status;
      }
    }
    if (plan_.touch_server) {
      if (auto status = check_path({kServers, kServer}); !status.ok()) {
        return status;
      }
    }
    for (const WantedHook& hook : plan_.hooks) {
      hook_kind(hook);
    }
    if (plan_.touch_server) {
      server();
    }
    remove_containers();
    return {};
  }

  [[nodiscard]] std::string take() { return std::move(text_); }
  [[nodiscard]] const std::set<std::string>& made() const { return made_; }

  // Our entries of one kind.
  [[nodiscard]] std::vector<Place> find(const WantedHook& hook) const {
    std::vector<Place> places;
    const SettingsNode* list = event(hook.event);
    if (list == nullptr) {
      return places;
    }
    for (std::size_t g = 0; g < list->elements.size(); ++g) {
      const SettingsNode* inner = list->elements[g].find("hooks");
      if (inner == nullptr) {
        if (is_ours(list->elements[g], hook.kind)) {
          places.push_back({g, std::nullopt});
        }
        continue;
      }
      for (std::size_t i = 0; i < inner->elements.size(); ++i) {
        if (is_ours(inner->elements[i], hook.kind)) {
          places.push_back({g, i});
        }
      }
    }
    return places;
  }

  [[nodiscard]] const SettingsNode& root() const { return document_.root; }

 private:
  void parse() { document_ = read_settings(text_); }

  [[nodiscard]] base::Error error_at(std::size_t offset, const std::string& why) const {
    const SettingsPlace place = settings_place(text_, offset);
    return {base::Errc::invalid,
            std::to_string(place.line) + ":" + std::to_string(place.column) + ": " + why};
  }

  // The members on our path: each at most once, containers of the right type.
  base::Status check_path(const std::vector<std::string_view>& keys) const {
    const SettingsNode* node = &document_.root;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const SettingsMember* member = node->find_member(keys[i]);
      if (member == nullptr) {
        return {};
      }
      if (node->count(keys[i]) > 1) {
        return error_at(member->key_begin, "\"" + std::string(keys[i]) + "\" is there twice");
      }
      const bool last = i + 1 == keys.size();
      const bool list = last && keys.front() == "hooks";
      const SettingsKind wanted = list ? SettingsKind::array : SettingsKind::object;
      if (!member->value.is(wanted)) {
        return error_at(member->value.begin,
                        "\"" + std::string(keys[i]) + "\" is no " + (list ? "list" : "object"));
      }
      node = &member->value;
    }
    return {};
  }

  [[nodiscard]] const SettingsNode* event(std::string_view name) const {
    const SettingsNode* hooks = document_.root.find("hooks");
    return hooks == nullptr ? nullptr : hooks->find(name);
  }

  [[nodiscard]] bool is_ours(const SettingsNode& entry, CommandForm kind) const {
    for (const std::string_view key : {"command", "bash"}) {
      const std::string line = entry.string_at(key);
      if (line.empty()) {
        continue;
      }
      std::vector<std::string> words;
      if (const SettingsNode* args = entry.find("args")) {
        for (const SettingsNode& word : args->elements) {
          words.push_back(word.text);
        }
      }
      const HookCommand command =
          entry.find("args") == nullptr ? read_command(line) : read_command(line, words);
      const bool delivering = kind != CommandForm::wait && kind != CommandForm::record;
      const bool same_kind = delivering ? command.delivers() : command.form == kind;
      const std::string bare = plan_.script + (kind == CommandForm::wait ? " --wait" : "");
      const bool script = !plan_.script.empty() && kind != CommandForm::record;
      if (same_kind || (script && base::trim(line) == bare)) {
        return true;
      }
    }
    return false;
  }

  void splice(std::size_t begin, std::size_t end, std::string_view with) {
    text_.replace(begin, end - begin, with);
    parse();
  }

  [[nodiscard]] bool flat() const {
    return plan_.client == Client::cursor || plan_.client == Client::copilot;
  }
  [[nodiscard]] std::string group_text(const WantedHook& hook) const {
    return flat() ? hook.entry : "{\"hooks\":[" + hook.entry + "]}";
  }

  void hook_kind(const WantedHook& hook) {
    std::vector<Place> places = find(hook);
    const std::size_t keep = hook.entry.empty() ? 0 : 1;
    while (places.size() > keep) {
      remove_entry(hook, places.back());
      places = find(hook);
    }
    if (hook.entry.empty()) {
      return;
    }
    if (places.empty()) {
      insert_group(hook);
      return;
    }
    const SettingsNode& group = event(hook.event)->elements[places[0].group];
    const bool wrong_form = !places[0].index && !flat();
    const SettingsNode& entry =
        places[0].index ? group.find("hooks")->elements[*places[0].index] : group;
    const SettingsDocument wanted = read_settings(hook.entry);
    if (wrong_form) {
      splice(group.begin, group.end, group_text(hook));
    } else if (!equal_values(entry, wanted.root)) {
      splice(entry.begin, entry.end, hook.entry);
    }
  }

  void remove_entry(const WantedHook& hook, const Place& place) {
    const SettingsNode& list = *event(hook.event);
    const SettingsNode& group = list.elements[place.group];
    const SettingsNode* inner = place.index ? group.find("hooks") : nullptr;
    if (inner != nullptr && inner->elements.size() > 1) {
      remove_element(*inner, *place.index);
    } else {
      remove_element(list, place.group);
    }
  }

  // The comma that follows at `offset`, blanks and comments skipped; npos if there is none.
  [[nodiscard]] std::size_t comma_after(std::size_t offset) const {
    while (offset < text_.size()) {
      if (text_.compare(offset, 2, "//") == 0) {
        offset = std::min(text_.find('\n', offset), text_.size());
      } else if (text_.compare(offset, 2, "/*") == 0) {
        const std::size_t close = text_.find("*/", offset + 2);
        offset = close == std::string::npos ? text_.size() : close + 2;
      } else if (base::is_blank(text_.substr(offset, 1))) {
        ++offset;
      } else {
        return text_[offset] == ',' ? offset : std::string::npos;
      }
    }
    return std::string::npos;
  }

  [[nodiscard]] bool blank_between(std::size_t begin, std::size_t end) const {
    return base::is_blank(std::string_view(text_).substr(begin, end - begin));
  }

  // Takes out two spans, the later one first, so that what stands between them stays.
  void splice_two(std::size_t first, std::size_t first_end, std::size_t second,
                  std::size_t second_end) {
    text_.erase(second, second_end - second);
    splice(first, first_end, "");
  }

  // One element or member goes with the comma that its putting in brought. Comments around it stay.
  void remove_span(std::size_t open_end,
                   const std::vector<std::pair<std::size_t, std::size_t>>& spans, std::size_t at) {
    const std::size_t begin = spans[at].first;
    const std::size_t end = spans[at].second;
    if (at > 0) {
      const std::size_t comma = comma_after(spans[at - 1].second);
      if (blank_between(comma + 1, begin)) {
        splice(comma, end, "");
      } else {
        splice_two(comma, comma + 1, begin, end);
      }
      return;
    }
    const std::size_t comma = comma_after(end);
    if (comma == std::string::npos) {
      // The only one: blanks before it go with it.
      std::size_t from = begin;
      while (from > open_end && base::is_blank(text_.substr(from - 1, 1))) {
        --from;
      }
      splice(from, end, "");
    } else if (blank_between(end, comma)) {
      const std::size_t next =
          std::min(text_.find_first_not_of(" \t\r\n", comma + 1), text_.size());
      splice(begin, next, "");
    } else {
      splice_two(begin, end, comma, comma + 1);
    }
  }

  void remove_element(const SettingsNode& list, std::size_t at) {
    std::vector<std::pair<std::size_t, std::size_t>> spans;
    for (const SettingsNode& element : list.elements) {
      spans.emplace_back(element.begin, element.end);
    }
    remove_span(list.begin + 1, spans, at);
  }

  void remove_member(const SettingsNode& object, std::string_view key) {
    std::vector<std::pair<std::size_t, std::size_t>> spans;
    std::size_t at = 0;
    for (const SettingsMember& member : object.members) {
      if (member.key == key) {
        at = spans.size();
      }
      spans.emplace_back(member.key_begin, member.value.end);
    }
    remove_span(object.begin + 1, spans, at);
  }

  [[nodiscard]] std::string line_end() const {
    const std::size_t newline = text_.find('\n');
    return newline != std::string::npos && newline > 0 && text_[newline - 1] == '\r' ? "\r\n"
                                                                                     : "\n";
  }

  // Blanks before the first byte of a line, when nothing else stands before `offset` in its line.
  [[nodiscard]] std::optional<std::string> indent_at(std::size_t offset) const {
    const std::size_t newline = text_.rfind('\n', offset == 0 ? 0 : offset - 1);
    if (newline == std::string::npos || newline >= offset) {
      return std::nullopt;
    }
    const std::string before = text_.substr(newline + 1, offset - newline - 1);
    return before.find_first_not_of(" \t") == std::string::npos ? std::optional<std::string>(before)
                                                                : std::nullopt;
  }

  // Puts `addition` behind the last of the container's items, in a line of its own where they stand
  // so.
  void append(const SettingsNode& container, std::size_t last_begin, std::size_t last_end,
              bool empty, const std::string& addition) {
    if (empty) {
      splice(container.begin + 1, container.begin + 1, addition);
      return;
    }
    const auto indent = indent_at(last_begin);
    splice(last_end, last_end, "," + (indent ? line_end() + *indent : std::string()) + addition);
  }

  void append_element(const SettingsNode& list, const std::string& addition) {
    const bool empty = list.elements.empty();
    append(list, empty ? 0 : list.elements.back().begin, empty ? 0 : list.elements.back().end,
           empty, addition);
  }

  void append_member(const SettingsNode& object, std::string_view key, const std::string& value) {
    const bool empty = object.members.empty();
    append(object, empty ? 0 : object.members.back().key_begin,
           empty ? 0 : object.members.back().value.end, empty, base::quote_json(key) + ":" + value);
  }

  void insert_group(const WantedHook& hook) {
    const SettingsNode* hooks = document_.root.find("hooks");
    const SettingsNode* list = event(hook.event);
    if (list != nullptr) {
      append_element(*list, group_text(hook));
    } else if (hooks != nullptr) {
      append_member(*hooks, hook.event, "[" + group_text(hook) + "]");
      made_.insert("hooks." + hook.event);
    } else {
      append_member(document_.root, "hooks",
                    "{" + base::quote_json(hook.event) + ":[" + group_text(hook) + "]}");
      made_.insert("hooks");
      made_.insert("hooks." + hook.event);
    }
  }

  void server() {
    const SettingsNode* servers = document_.root.find(kServers);
    const SettingsNode* ours = servers == nullptr ? nullptr : servers->find(kServer);
    if (plan_.server.empty()) {
      if (ours != nullptr) {
        remove_member(*servers, kServer);
      }
      return;
    }
    if (ours != nullptr) {
      if (!equal_values(*ours, read_settings(plan_.server).root)) {
        splice(ours->begin, ours->end, plan_.server);
      }
    } else if (servers != nullptr) {
      append_member(*servers, kServer, plan_.server);
    } else {
      append_member(document_.root, kServers,
                    "{" + base::quote_json(kServer) + ":" + plan_.server + "}");
      made_.insert(std::string(kServers));
    }
  }

  // Containers that we made go when they are empty, the inner ones first.
  void remove_containers() {
    for (const std::string& name : plan_.removable) {
      const SettingsNode* hooks = document_.root.find("hooks");
      if (name.rfind("hooks.", 0) == 0 && hooks != nullptr) {
        const SettingsNode* list = hooks->find(name.substr(6));
        if (list != nullptr && list->is(SettingsKind::array) && list->elements.empty()) {
          remove_member(*hooks, name.substr(6));
        }
      }
    }
    for (const std::string_view name : {std::string_view("hooks"), kServers}) {
      const SettingsNode* node = document_.root.find(name);
      if (plan_.removable.count(std::string(name)) != 0 && node != nullptr &&
          node->is(SettingsKind::object) && node->members.empty()) {
        remove_member(document_.root, name);
      }
    }
  }

  std::string text_;
  const EditPlan& plan_;
  SettingsDocument document_;
  std::set<std::string> made_;
};

base::Error refused(std::string_view text, std::size_t offset, const std::string& why) {
  const SettingsPlace place = settings_place(text, offset);
  return {base::Errc::invalid,
          std::to_string(place.line) + ":" + std::to_string(place.column) + ": " + why};
}

// Whether the client takes a byte order mark in such a file, and so keeps it.
bool takes_bom(const EditPlan& plan) {
  return (plan.client == Client::claude && plan.file == EditFile::settings) ||
         (plan.client == Client::copilot && plan.file == EditFile::servers);
}

// The file as its client reads it, or why it may not be written.
base::Status check_readable(std::string_view bytes, const SettingsDocument& document,
                            const EditPlan& plan) {
  if (bytes.empty()) {
    return refused(bytes, 0, "the file is empty");
  }
  if (document.encoding == SettingsEncoding::utf16_bom ||
      document.encoding == SettingsEncoding::utf16_big ||
      document.encoding == SettingsEncoding::utf16_bare) {
    return refused(bytes, 0, "the file is UTF-16");
  }
  if (document.bad_utf8) {
    return refused(document.text, *document.bad_utf8, "the file is no UTF-8");
  }
  if (document.encoding == SettingsEncoding::utf8_bom && !takes_bom(plan)) {
    return refused(document.text, 0, "the file begins with a byte order mark");
  }
  const bool lenient = plan.client == Client::copilot && plan.file == EditFile::servers;
  const bool comments =
      lenient || (plan.client == Client::gemini && plan.file != EditFile::servers);
  const auto error = strict_error(document, comments ? Comments::allowed : Comments::refused,
                                  lenient ? TrailingCommas::allowed : TrailingCommas::refused);
  if (error) {
    return refused(document.text, error->offset, error->what);
  }
  if (!document.root.is(SettingsKind::object)) {
    return refused(document.text, document.root.begin, "the file holds no object");
  }
  if (plan.file == EditFile::servers) {
    return {};
  }
  const HooksFile hooks = read_hooks_file(
      plan.client,
      plan.file == EditFile::settings ? HookFileKind::settings : HookFileKind::hooks_file, bytes);
  if (!hooks.taken) {
    for (const SettingsFault& fault : hooks.faults) {
      if (fault.severity == FaultSeverity::error && fault.rule != "shape") {
        return base::Error{base::Errc::invalid, std::to_string(fault.line) + ":" +
                                                    std::to_string(fault.column) + ": " +
                                                    base::without_trailing(fault.text, '.')};
      }
    }
  }
  return {};
}

bool wants_anything(const EditPlan& plan) {
  return (plan.touch_server && !plan.server.empty()) ||
         std::any_of(plan.hooks.begin(), plan.hooks.end(),
                     [](const WantedHook& hook) { return !hook.entry.empty(); });
}

base::Result<Edited> new_file(const EditPlan& plan) {
  Edited edited;
  if (!wants_anything(plan)) {
    return edited;
  }
  const bool versioned = plan.file == EditFile::hooks_file &&
                         (plan.client == Client::cursor || plan.client == Client::copilot);
  Editor editor(versioned ? R"({"version":1})" : "{}", plan);
  if (auto status = editor.run(); !status.ok()) {
    return status.error();
  }
  edited.made = editor.made();
  edited.changed = true;
  const std::string compact = editor.take();
  const auto pretty = base::OrderedJson::parse(compact, nullptr, false);
  edited.bytes = pretty.is_discarded() ? compact : base::dump_pretty(pretty, 2);
  edited.bytes += '\n';
  return edited;
}

}  // namespace

bool equal_values(const SettingsNode& a, const SettingsNode& b) {
  if (a.kind != b.kind || a.text != b.text || a.boolean != b.boolean ||
      a.elements.size() != b.elements.size() || a.members.size() != b.members.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.elements.size(); ++i) {
    if (!equal_values(a.elements[i], b.elements[i])) {
      return false;
    }
  }
  const bool doubled =
      std::any_of(a.members.begin(), a.members.end(),
                  [&](const SettingsMember& member) { return a.count(member.key) > 1; });
  for (std::size_t i = 0; i < a.members.size(); ++i) {
    const SettingsMember& member = a.members[i];
    // With a key twice the order counts, as it does to a client.
    const SettingsNode* other =
        doubled ? (b.members[i].key == member.key ? &b.members[i].value : nullptr)
                : b.find(member.key);
    if (other == nullptr || !equal_values(member.value, *other)) {
      return false;
    }
  }
  return true;
}

base::Result<Edited> edit_settings(const std::optional<std::string>& old_bytes,
                                   const EditPlan& plan) {
  if (!old_bytes) {
    return new_file(plan);
  }
  const SettingsDocument document = read_settings(*old_bytes);
  if (auto status = check_readable(*old_bytes, document, plan); !status.ok()) {
    return status.error();
  }
  Editor editor(document.text, plan);
  if (auto status = editor.run(); !status.ok()) {
    return status.error();
  }
  Edited edited;
  edited.made = editor.made();
  edited.bytes =
      (document.encoding == SettingsEncoding::utf8_bom ? std::string(kBom) : std::string()) +
      editor.take();
  edited.changed = edited.bytes != *old_bytes;
  return edited;
}

bool is_empty_settings(std::string_view bytes) {
  const SettingsDocument document = read_settings(bytes);
  if (!document.has_root() || document.comment || !document.root.is(SettingsKind::object)) {
    return document.blank;
  }
  return std::all_of(
      document.root.members.begin(), document.root.members.end(), [](const SettingsMember& member) {
        const bool fixed =
            member.key == "version" || member.key == "name" || member.key == "description";
        return fixed ||
               (member.value.members.empty() && member.value.elements.empty() &&
                (member.value.is(SettingsKind::object) || member.value.is(SettingsKind::array)));
      });
}

base::Status check_edit(const std::optional<std::string>& before, std::string_view after,
                        const EditPlan& plan) {
  const SettingsDocument document = read_settings(after);
  if (!document.has_root() || !document.root.is(SettingsKind::object)) {
    return base::Error{base::Errc::corrupt, "the file that was written does not parse"};
  }
  const Editor reader(document.text, plan);
  for (const WantedHook& hook : plan.hooks) {
    const std::size_t wanted = hook.entry.empty() ? 0 : 1;
    if (reader.find(hook).size() != wanted) {
      return base::Error{
          base::Errc::corrupt,
          "the file that was written has another number of entries under " + hook.event};
    }
  }
  // Without ours, with the containers that may have been made, both sides are one value.
  EditPlan without = plan;
  without.server.clear();
  without.removable = {"hooks", "mcpServers"};
  for (WantedHook& hook : without.hooks) {
    hook.entry.clear();
    without.removable.insert("hooks." + hook.event);
  }
  const auto left = edit_settings(std::string(after), without);
  const auto old = before ? edit_settings(before, without) : base::Result<Edited>(Edited{});
  if (!left.ok() || !old.ok()) {
    return base::Error{base::Errc::corrupt, "the file that was written cannot be compared"};
  }
  if (!before) {
    return is_empty_settings(left->bytes)
               ? base::Status()
               : base::Error{base::Errc::corrupt, "the new file holds more than our entry"};
  }
  if (!equal_values(read_settings(left->bytes).root, read_settings(old->bytes).root)) {
    return base::Error{base::Errc::corrupt,
                       "the file that was written differs in more than our entry"};
  }
  return {};
}

}  // namespace robot_council::harness
