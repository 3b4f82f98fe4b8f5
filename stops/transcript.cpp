#include "stops/transcript.hpp"

#include <fcntl.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/fd.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "stops/label.hpp"
#include "stops/limits.hpp"
#include "stops/line_stream.hpp"
#include "stops/transcript_line.hpp"

namespace robot_council::stops {
namespace {

class Reader {
 public:
  Reader(const std::string& session_id, KeepText keep) : session_id_(session_id), keep_(keep) {}

  void take(std::string_view bytes) {
    if (!worth_parsing(bytes)) {
      return;
    }
    auto line = classify_line(bytes);
    if (!line) {
      ++transcript.unreadable;
      return;
    }
    if (!line->session_id.empty() && line->session_id != session_id_) {
      return;
    }
    if (line->time_ms && (!transcript.first_ms || *line->time_ms < *transcript.first_ms)) {
      transcript.first_ms = line->time_ms;
    }
    if (line->from_user && !line->prompt_id.empty()) {
      transcript.prompt_ids.insert(line->prompt_id);
    }
    use(*line);
  }

  Transcript transcript;

 private:
  struct Queued {
    std::string text;
    std::int64_t time_ms;
  };

  void use(TranscriptLine& line) {
    switch (line.kind) {
      case LineClass::person:
        add(line, Prompt::Kind::text);
        break;
      case LineClass::command:
        add(line, Prompt::Kind::command);
        break;
      case LineClass::shell:
        add(line, Prompt::Kind::shell);
        break;
      case LineClass::enqueue:
        if (line.time_ms && queue_.size() < kMaxQueued) {
          queue_.push_back({std::move(line.text), *line.time_ms});
        }
        break;
      case LineClass::absorbed:
      case LineClass::unqueue:
        static_cast<void>(unqueue(line.text));
        break;
      case LineClass::sdk:
        transcript.sdk = true;
        break;
      case LineClass::local_command:
      case LineClass::machine:
      case LineClass::other:
        break;
    }
  }

  // The time of the latest enqueue of this text that has no prompt yet.
  std::optional<std::int64_t> unqueue(const std::string& text) {
    const auto found = std::find_if(queue_.rbegin(), queue_.rend(),
                                    [&text](const Queued& queued) { return queued.text == text; });
    if (found == queue_.rend()) {
      return std::nullopt;
    }
    const std::int64_t time = found->time_ms;
    queue_.erase(std::next(found).base());
    return time;
  }

  void add(TranscriptLine& line, Prompt::Kind kind) {
    // The queue's entry of a queued prompt is used up, also where the line tells the time itself.
    const auto enqueued = line.queued ? unqueue(line.text) : std::nullopt;
    const auto submit = line.sent_ms ? line.sent_ms : enqueued ? enqueued : line.time_ms;
    if (!submit) {
      return;  // undated: it can be before or after any stop
    }
    Prompt prompt;
    prompt.kind = kind;
    prompt.submit_ms = *submit;
    prompt.taken_ms = line.time_ms.value_or(*submit);
    prompt.prompt_id = std::move(line.prompt_id);
    prompt.parent_uuid = std::move(line.parent_uuid);
    prompt.chars = base::count_code_points(line.text);
    if (kind == Prompt::Kind::text) {
      Label label = label_reply({line.text, line.attachment});
      prompt.goahead = label.goahead;
      prompt.normal = std::move(label.normal);
    }
    if (keep_ == KeepText::yes) {
      prompt.text = std::string(base::prefix_bytes(line.text, kMaxPromptBytes));
    }
    transcript.prompts.push_back(std::move(prompt));
  }

  const std::string& session_id_;
  KeepText keep_;
  std::vector<Queued> queue_;
};

bool is_under(const std::string& path, const std::string& root) {
  const auto real_root = base::real_path(root);
  return real_root && path.size() > real_root->size() + 1 &&
         path.compare(0, real_root->size(), *real_root) == 0 && path[real_root->size()] == '/';
}

// The real path of a regular file that lies under one of the roots.
std::optional<std::string> allowed(const TranscriptRoots& roots, const std::string& path) {
  const auto real = base::real_path(path);
  if (!real) {
    return std::nullopt;
  }
  const auto info = base::file_info(*real, base::Links::dont);
  if (!info || info->kind != base::FileKind::regular ||
      (!is_under(*real, roots.projects) && !(roots.named && is_under(*real, *roots.named)))) {
    return std::nullopt;
  }
  return *real;
}

// A session's name is a file's name: no folder, no hidden file.
bool is_file_name(const std::string& session_id) {
  return !session_id.empty() && session_id.front() != '.' &&
         session_id.find('/') == std::string::npos && session_id.find('\0') == std::string::npos;
}

}  // namespace

std::string_view prompt_kind_name(Prompt::Kind kind) {
  switch (kind) {
    case Prompt::Kind::command:
      return "command";
    case Prompt::Kind::shell:
      return "shell";
    case Prompt::Kind::text:
      break;
  }
  return "prompt";
}

base::Result<Transcript> read_transcript(const std::string& path, const std::string& session_id,
                                         KeepText keep) {
  // Not blocking: a FIFO put in its place must not hang the report.
  auto fd = base::open_file(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  if (!fd) {
    return fd.error();
  }
  const auto info = base::file_info(fd->get());
  if (!info || info->kind != base::FileKind::regular) {
    return base::Error{base::Errc::invalid, path + " is no regular file"};
  }
  Reader reader(session_id, keep);
  auto read = each_line(fd->get(), kMaxTranscriptLine, reader.transcript.too_long,
                        [&reader](std::string_view line) {
                          reader.take(line);
                          return base::Status();
                        });
  if (!read) {
    return read.error();
  }
  auto& prompts = reader.transcript.prompts;
  std::stable_sort(prompts.begin(), prompts.end(),
                   [](const Prompt& a, const Prompt& b) { return a.submit_ms < b.submit_ms; });
  return std::move(reader.transcript);
}

std::optional<std::string> find_transcript(const TranscriptRoots& roots,
                                           const std::optional<std::string>& logged_path,
                                           const std::string& session_id) {
  if (logged_path) {
    if (auto found = allowed(roots, *logged_path)) {
      return found;
    }
  }
  if (!roots.named || !is_file_name(session_id)) {
    return std::nullopt;
  }
  const std::string name = session_id + ".jsonl";
  if (auto found = allowed(roots, base::join_path(*roots.named, name))) {
    return found;
  }
  for (const auto& folder : base::list_directory(*roots.named).value_or({})) {
    const std::string path = base::join_path(base::join_path(*roots.named, folder), name);
    if (auto found = allowed(roots, path)) {
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace robot_council::stops
