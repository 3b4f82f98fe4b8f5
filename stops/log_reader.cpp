#include "stops/log_reader.hpp"

#include <fcntl.h>

#include <algorithm>
#include <utility>

#include "base/fd.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "stops/limits.hpp"
#include "stops/line_stream.hpp"

namespace robot_council::stops {
namespace {

const std::string* name_in(StopLog& log, const std::optional<std::string>& text) {
  return text ? &*log.names.insert(*text).first : nullptr;
}

Stop stop_of(StopLog& log, LogLine line) {
  Stop stop;
  stop.ts_ms = line.ts_ms;
  stop.outcome = line.outcome;
  stop.host = name_in(log, line.host);
  stop.session_id = name_in(log, line.session_id);
  stop.transcript_path = name_in(log, line.transcript_path);
  stop.project = name_in(log, line.project);
  stop.skip = name_in(log, line.skip);
  stop.seat = name_in(log, line.seat);
  stop.judge = name_in(log, line.judge);
  stop.endpoint = name_in(log, line.endpoint);
  stop.model = name_in(log, line.model);
  if (line.policy) {
    stop.questions = name_in(log, line.policy->questions);
    stop.rules = name_in(log, line.policy->rules);
  }
  stop.prompt_id = line.prompt_id.value_or("");
  stop.waiting = line.waiting;
  stop.p_kind = line.p_kind;
  stop.verdict = line.verdict.value_or(Verdict::leave);
  stop.reason = line.reason.value_or(Reason());
  stop.answers = std::move(line.answers);
  return stop;
}

base::Error cannot_read(const std::string& path, const std::string& why) {
  return base::Error{base::Errc::io, "cannot read the stop log " + path + ": " + why +
                                         "; name another with --log PATH"};
}

base::Status read_one(const LogQuery& query, const std::string& path, StopLog& log) {
  // Not blocking: a FIFO put in its place must not hang the report.
  auto fd = base::open_file(path, O_RDONLY | O_NONBLOCK);
  if (!fd) {
    return fd.error().code == base::Errc::not_found
               ? base::Status()
               : base::Status(cannot_read(path, fd.error().what));
  }
  const auto info = base::file_info(fd->get());
  if (!info || info->kind != base::FileKind::regular) {
    return cannot_read(path, "it is no regular file");
  }
  log.paths.push_back(path);
  std::size_t too_long = 0;
  auto read =
      each_line(fd->get(), kMaxLogLineBytes, too_long, [&](std::string_view text) -> base::Status {
        if (base::is_blank(text)) {
          return {};
        }
        auto line = from_json(text);
        if (!line) {
          ++log.bad;
          return {};
        }
        // A print or a prompt of a line just before the range still belongs to that line.
        if ((query.session_id && line->session_id != *query.session_id) ||
            (query.since_ms && line->ts_ms < *query.since_ms - kContextBefore.count())) {
          return {};
        }
        if (log.stops.size() >= kMaxReportLines) {
          return base::Error{base::Errc::invalid,
                             "it has over " + std::to_string(kMaxReportLines) +
                                 " lines; choose some with --since or --session"};
        }
        log.stops.push_back(stop_of(log, std::move(*line)));
        return {};
      });
  log.bad += too_long;
  return read ? base::Status() : base::Status(cannot_read(path, read.error().what));
}

}  // namespace

base::Result<StopLog> read_stop_log(const LogQuery& query) {
  StopLog log;
  for (const std::string& path : {query.path + ".1", query.path}) {
    if (auto read = read_one(query, path, log); !read) {
      return read.error();
    }
  }
  std::stable_sort(log.stops.begin(), log.stops.end(),
                   [](const Stop& a, const Stop& b) { return a.ts_ms < b.ts_ms; });
  const std::string dropped = base::join_path(base::parent_path(query.path), "stops.dropped");
  if (auto info = base::file_info(dropped, base::Links::dont);
      info && info->kind == base::FileKind::regular) {
    log.dropped = info->size;
  }
  return log;
}

}  // namespace robot_council::stops
