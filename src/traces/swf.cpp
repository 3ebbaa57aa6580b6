#include "traces/swf.h"

#include <algorithm>
#include <array>
#include <utility>

#include "berth/base/text.h"
#include "traces/lines.h"
#include "traces/numbers.h"

namespace berth::traces {

namespace {

constexpr std::array<std::string_view, 18> kNames{"job number",
                                                  "submit time",
                                                  "wait time",
                                                  "run time",
                                                  "allocated processors",
                                                  "average CPU time",
                                                  "used memory",
                                                  "requested processors",
                                                  "requested time",
                                                  "requested memory",
                                                  "status",
                                                  "user",
                                                  "group",
                                                  "executable",
                                                  "queue",
                                                  "partition",
                                                  "preceding job",
                                                  "think time"};

// Positions in kNames.
struct Column {
  enum : std::size_t {
    job_number,
    submit_time,
    wait_time,
    run_time,
    allocated_processors,
    requested_processors = 7,
    requested_time,
    requested_memory,
    status,
    user,
    group,
    queue = 14,
  };
};

constexpr std::int64_t kKibibytesMost = 1'000'000'000'000;  // KiB
constexpr std::int64_t kIdMost = 1'000'000'000'000'000;
constexpr std::int64_t kCancelled = 5;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

bool is_partial(std::int64_t code) { return code >= 2 && code <= 4; }

using Record = std::array<Field, kNames.size()>;

// TRACE-5: 18 numbers.
Result<Record> record_of(std::string_view line) {
  Record record;
  std::size_t count = 0;
  for (std::size_t at = 0; at < line.size(); ++count) {
    std::size_t end = at;
    while (end < line.size() && !is_blank(line[end])) ++end;
    const std::string_view text = line.substr(at, end - at);
    if (count == record.size()) {
      return unexpected({count + 1, "beyond the last", text}, "the end of the line");
    }
    record[count] = {count + 1, kNames[count], text};
    if (!decimal_of(text)) return unexpected(record[count], "a number such as 12 or 12.5");
    for (at = end; at < line.size() && is_blank(line[at]);) ++at;
  }
  if (count == record.size()) return record;
  return Error{"field " + std::to_string(count + 1) + " (" + std::string(kNames[count]) +
                   "): missing, expected " + count_text(kNames.size(), "field"),
               ""};
}

bool is_unknown(const Field& field) { return decimal_of(field.text)->is_unknown(); }

// Some logs have 0 for a request that is not known.
bool is_unknown_request(const Field& field) {
  const auto number = decimal_of(field.text);
  return number->is_unknown() || number->is_zero();
}

// Users, queues and so on are numbers; the trace's own text is kept.
std::string text_of(const Field& field) {
  return decimal_of(field.text)->is_negative ? std::string() : std::string(field.text);
}

// TRACE-6
Status read_request(const Record& record, TraceJob& job) {
  const bool is_requested = !is_unknown_request(record[Column::requested_processors]);
  const Field& processors =
      record[is_requested ? Column::requested_processors : Column::allocated_processors];
  const auto count = integer_of(processors, 1, kProcessorsMost);
  if (!count) return count.error();
  job.processors = *count;
  if (!is_unknown_request(record[Column::requested_time])) {
    const auto limit = seconds_of(record[Column::requested_time]);
    if (!limit) return limit.error();
    job.limit = *limit;
  }
  const Field& memory = record[Column::requested_memory];
  if (is_unknown_request(memory)) return Done{};
  const auto number = decimal_of(memory.text);
  if (number->is_negative || number->whole > kKibibytesMost) {
    return unexpected(memory, "KiB from 0 to " + std::to_string(kKibibytesMost) + ", or -1");
  }
  job.memory_kib = std::max<std::int64_t>(1, number->whole);
  return Done{};
}

// TRACE-8
Status read_cancellation(const Record& record, TraceJob& job) {
  if (is_unknown(record[Column::wait_time])) {
    job.cancelled_after = Duration{0};
    return Done{};
  }
  const auto wait = seconds_of(record[Column::wait_time]);
  if (!wait) return wait.error();
  job.cancelled_after = *wait;
  return Done{};
}

Status read_run(const Record& record, std::int64_t code, bool ends_at_limit, TraceJob& job) {
  if (code == kCancelled && is_unknown_request(record[Column::run_time])) {
    return read_cancellation(record, job);
  }
  const auto run = seconds_of(record[Column::run_time]);
  if (!run) return run.error();
  job.run = *run;
  // TRACE-9
  if (ends_at_limit && job.limit) job.run = std::min(job.run, *job.limit);
  return Done{};
}

// Nothing for a piece of a job (TRACE-7).
Result<std::optional<TraceJob>> job_of(std::string_view line, const SwfOptions& options,
                                       Skipped& skipped) {
  const auto record = record_of(line);
  if (!record) return record.error();
  const auto code = integer_of((*record)[Column::status], -1, kCancelled);
  if (!code) return code.error();
  if (is_partial(*code)) {
    ++skipped.partial;
    return std::optional<TraceJob>();
  }
  TraceJob job;
  if (const auto id = integer_of((*record)[Column::job_number], 0, kIdMost); !id) return id.error();
  job.id = (*record)[Column::job_number].text;
  const auto submit = seconds_of((*record)[Column::submit_time]);
  if (!submit) return submit.error();
  job.submit = *submit;
  if (const Status read = read_request(*record, job); !read) return read.error();
  if (const Status read = read_run(*record, *code, options.ends_at_limit, job); !read) {
    return read.error();
  }
  job.user = text_of((*record)[Column::user]);
  job.group = text_of((*record)[Column::group]);
  job.queue = text_of((*record)[Column::queue]);
  return std::optional(std::move(job));
}

}  // namespace

Result<Trace> read_swf_file(const std::string& path, const SwfOptions& options) {
  const auto bytes = open_file(path);
  if (!bytes) return bytes.error();
  return read_swf(**bytes, path, options);
}

Result<Trace> read_swf(ByteSource& bytes, std::string_view file, const SwfOptions& options) {
  Unzipped unzipped(bytes);
  LineReader lines(unzipped, file);
  Trace trace;
  auto jobs = read_items<TraceJob>(lines, options, trace.skipped,
                                   [&](std::string_view line) -> Result<std::optional<TraceJob>> {
                                     // TRACE-10
                                     if (line.starts_with(';')) return std::optional<TraceJob>();
                                     return job_of(line, options, trace.skipped);
                                   });
  if (!jobs) return jobs.error();
  trace.jobs = *std::move(jobs);
  sort_by_submission(trace.jobs);
  return trace;
}

}  // namespace berth::traces
