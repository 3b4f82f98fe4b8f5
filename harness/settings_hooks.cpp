#include "harness/settings_hooks.hpp"

#include <array>
#include <utility>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "harness/settings_entries.hpp"
#include "harness/settings_limits.hpp"
#include "harness/settings_strict.hpp"

namespace robot_council::harness {

namespace {

struct ClientWords {
  Client client;
  std::string_view name;
  std::string_view title;
  std::string_view stop_event;
  std::string_view broken;  // what a broken file does
};
constexpr std::array<ClientWords, 6> kClients = {{
    {Client::claude, "claude", "Claude Code", "Stop", "Claude Code reads nothing of this file."},
    {Client::codex, "codex", "Codex", "Stop", "Codex refuses the whole file."},
    {Client::cursor, "cursor", "Cursor", "stop", "Cursor reads nothing of this file."},
    {Client::gemini, "gemini", "Gemini CLI", "AfterAgent", "Gemini CLI will not start."},
    {Client::copilot, "copilot", "Copilot CLI", "agentStop",
     "Copilot CLI reads nothing of this file."},
    {Client::goose, "goose", "goose", "Stop", "goose reads nothing of this file."},
}};

const ClientWords& words_of(Client client) {
  return kClients.at(static_cast<std::size_t>(client));
}

constexpr std::string_view kFixJson = "Correct the JSON at that place.";

std::string_view kind_of(const SettingsNode& node) {
  switch (node.kind) {
    case SettingsKind::object:
      return "an object";
    case SettingsKind::array:
      return "a list";
    case SettingsKind::string:
      return "a string";
    case SettingsKind::number:
      return "a number";
    case SettingsKind::boolean:
      return "true or false";
    case SettingsKind::null:
      break;
  }
  return "null";
}

// One file being read.
class FileReader {
 public:
  FileReader(Client client, HookFileKind kind, std::string_view bytes)
      : client_(client), kind_(kind) {
    file_.document = read_settings(bytes);
    const std::string_view text = file_.document.text;
    file_.mentions_us = text.find("robot-council-stop-hook") != std::string_view::npos ||
                        text.find("robot-council pending") != std::string_view::npos;
  }

  HooksFile read() {
    file_.taken = true;
    encoding();
    syntax();
    if (file_.document.has_root() && file_.taken) {
      root();
    }
    if (!file_.taken) {
      for (HookEntry& entry : file_.entries) {
        entry.accepted = false;
      }
    }
    return std::move(file_);
  }

 private:
  [[nodiscard]] const SettingsNode& top() const { return file_.document.root; }
  [[nodiscard]] std::string title() const { return std::string(client_title(client_)); }
  [[nodiscard]] std::string broken() const {
    return kind_ == HookFileKind::managed && client_ == Client::claude
               ? "Claude Code will not start."
               : std::string(words_of(client_).broken);
  }

  void add(FaultSeverity severity, std::string_view rule, std::size_t offset, std::string text,
           std::string_view remedy) {
    const SettingsPlace place = settings_place(file_.document.text, offset);
    file_.faults.push_back({severity, std::string(rule), place.line, std::move(text),
                            std::string(remedy), place.column});
  }
  // An error that costs the whole file.
  void refuse(std::string_view rule, std::size_t offset, std::string text,
              std::string_view remedy) {
    add(FaultSeverity::error, rule, offset, std::move(text), remedy);
    file_.taken = false;
    file_.stops_client =
        file_.stops_client || (client_ == Client::gemini && rule == "syntax") ||
        (client_ == Client::claude && kind_ == HookFileKind::managed && rule == "syntax");
  }

  void encoding() {
    const SettingsEncoding encoding = file_.document.encoding;
    constexpr std::string_view kSaveUtf8 = "Save the file as UTF-8 without a byte order mark.";
    if (encoding == SettingsEncoding::utf16_bare) {
      refuse("encoding", 0, "the file is UTF-16 without a byte order mark; " + broken(), kSaveUtf8);
    } else if (encoding == SettingsEncoding::utf16_big) {
      refuse("encoding", 0, "the file is big-endian UTF-16; " + broken(), kSaveUtf8);
    } else if (encoding == SettingsEncoding::utf16_bom) {
      if (client_ == Client::claude) {
        add(FaultSeverity::warning, "encoding", 0,
            "the file is UTF-16; Claude Code reads it, other programs may not.", kSaveUtf8);
      } else {
        refuse("encoding", 0, "the file is UTF-16; " + broken(), kSaveUtf8);
      }
    } else if (encoding == SettingsEncoding::utf8_bom) {
      if (client_ == Client::claude) {
        add(FaultSeverity::warning, "encoding", 0,
            "the file begins with a byte order mark; Claude Code reads it, its desktop app and old "
            "versions may refuse it.",
            kSaveUtf8);
      } else {
        refuse("syntax", 0, "line 1, column 1: the file begins with a byte order mark; " + broken(),
               kSaveUtf8);
      }
    }
  }

  void syntax() {
    if (file_.document.encoding == SettingsEncoding::utf16_bare) {
      return;
    }
    if (file_.document.blank && client_ == Client::claude) {
      add(FaultSeverity::information, "encoding", 0, "the file is empty, which counts as no file.",
          "Nothing needs to be done.");
      return;
    }
    const Comments comments = client_ == Client::gemini ? Comments::allowed : Comments::refused;
    const auto error = strict_error(file_.document, comments, TrailingCommas::refused);
    if (!error) {
      return;
    }
    std::string_view remedy = kFixJson;
    if (error->offset == file_.document.comment) {
      remedy = "Remove the comment.";
    } else if (error->offset == file_.document.trailing_comma) {
      remedy = "Remove the comma.";
    } else if (file_.document.blank) {
      remedy = "Write {} into it, or remove it.";
    }
    refuse("syntax", error->offset, describe_error(file_.document, *error) + "; " + broken(),
           remedy);
  }

  void root() {
    if (!top().is(SettingsKind::object)) {
      refuse("root", top().begin,
             "the file holds " + std::string(kind_of(top())) + " and no settings object.",
             "Write an object: {\"hooks\":{...}}.");
      return;
    }
    if (client_ == Client::codex) {
      codex_root();
    }
    whole_file();
    wrapper();
  }

  // Codex 0.171 refuses unknown and doubled keys, a description of another type and text that is no
  // UTF-8.
  void codex_root() {
    for (const SettingsMember& member : top().members) {
      if (member.key != "hooks" && member.key != "description") {
        refuse("root", member.key_begin,
               "Codex refuses the whole file for its key \"" + quoted_text(member.key) + "\".",
               "Keep only hooks and description at the top level.");
      } else if (top().find_member(member.key) != &member) {
        refuse("root", member.key_begin,
               "\"" + member.key + "\" is there twice; Codex refuses the whole file.",
               "Keep one of the two.");
      }
    }
    const SettingsNode* description = top().find("description");
    if (description != nullptr && !description->is(SettingsKind::string) &&
        !description->is(SettingsKind::null)) {
      refuse("root", description->begin,
             "\"description\" is no string; Codex refuses the whole file.", "Write a string.");
    }
    if (file_.document.bad_utf8) {
      refuse("encoding", *file_.document.bad_utf8,
             "the file is no UTF-8; Codex refuses the whole file.", "Save the file as UTF-8.");
    }
  }

  void whole_file() {
    for (const VoidFault& fault : void_faults_of_root(client_, top())) {
      refuse("void", fault.offset, fault.what + "; " + title() + " drops the whole file.",
             fault.remedy);
    }
    const SettingsMember* disable = top().find_member("disableAllHooks");
    if (disable != nullptr && disable->value.is(SettingsKind::boolean)) {
      file_.disable_all = disable->value.boolean;
      file_.disable_all_line = settings_place(file_.document.text, disable->key_begin).line;
    }
  }

  void wrapper() {
    const SettingsNode* hooks = top().find("hooks");
    if (hooks == nullptr) {
      for (const SettingsMember& member : top().members) {
        if (is_event_key(client_, member.key)) {
          add(FaultSeverity::error, "wrapper", member.key_begin,
              "the event \"" + quoted_text(member.key) + "\" stands at the top level; " + title() +
                  " looks for events only under \"hooks\", so nothing here runs.",
              "Move the events into \"hooks\": {...}.");
          return;
        }
      }
      return;
    }
    if (!hooks->is(SettingsKind::object)) {
      const bool voids = client_ == Client::codex;
      const std::string text = "\"hooks\" is " + std::string(kind_of(*hooks)) +
                               "; it must be an object keyed by event, so nothing here runs.";
      add(FaultSeverity::error, "wrapper", hooks->begin, text,
          R"(Write "hooks": {")" + std::string(stop_event_name(client_)) + "\": [...]}.");
      file_.taken = file_.taken && !voids;
      return;
    }
    EventsRead events = read_events(client_, kind_, file_.document, *hooks);
    file_.entries = std::move(events.entries);
    for (SettingsFault& fault : events.faults) {
      file_.faults.push_back(std::move(fault));
    }
    file_.taken = file_.taken && !events.voids_file;
  }

  Client client_;
  HookFileKind kind_;
  HooksFile file_;
};

}  // namespace

std::string_view client_name(Client client) {
  return words_of(client).name;
}
std::string_view client_title(Client client) {
  return words_of(client).title;
}
std::string_view stop_event_name(Client client) {
  return words_of(client).stop_event;
}

std::optional<Client> parse_client(std::string_view name) {
  for (const ClientWords& words : kClients) {
    if (words.name == name) {
      return words.client;
    }
  }
  return std::nullopt;
}

HooksFile read_hooks_file(Client client, HookFileKind kind, std::string_view bytes) {
  return FileReader(client, kind, bytes).read();
}

std::vector<HookEntry> read_hook_events(Client client, const SettingsDocument& document,
                                        const SettingsNode& events) {
  return read_events(client, HookFileKind::hooks_file, document, events).entries;
}

std::string quoted_text(std::string_view text) {
  std::string clean;
  for (const char c : base::to_utf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == '\n' || byte == '\t' || byte == '\r') {
      clean += ' ';
    } else if (byte >= 0x20U && byte != 0x7FU) {
      clean += c;
    }
  }
  // U+0080-U+009F, as UTF-8 C2 80-9F.
  std::string out;
  for (std::size_t i = 0; i < clean.size(); ++i) {
    const bool c1 = clean[i] == '\xC2' && i + 1 < clean.size() &&
                    static_cast<unsigned char>(clean[i + 1]) < 0xA0U;
    if (c1) {
      ++i;
    } else {
      out += clean[i];
    }
  }
  const std::string_view cut = base::prefix_code_points(out, kMaxQuotedText);
  return cut.size() == out.size() ? out : std::string(cut) + "…";
}

}  // namespace robot_council::harness
