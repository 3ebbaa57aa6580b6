#include "history/reader.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "document/readers.h"
#include "history/lines.h"
#include "traces/lines.h"

namespace berth::history {

namespace {

namespace fs = std::filesystem;

Result<std::vector<std::string>> files_of(const std::string& path) {
  std::error_code fault;
  if (!fs::is_directory(path, fault)) return std::vector<std::string>{path};
  std::vector<std::string> files;
  for (fs::directory_iterator at(path, fault), end; !fault && at != end; at.increment(fault)) {
    const std::string name = at->path().filename().string();
    const bool is_ours = name.starts_with(kFilePrefix) &&
                         (name.ends_with(kFileSuffix) || name.ends_with(".jsonl.gz"));
    if (is_ours) files.push_back(at->path().string());
  }
  if (fault) return Error{"cannot be read: " + fault.message(), path};
  std::sort(files.begin(), files.end());
  if (files.empty()) return Error{"no files, expected some named history-*.jsonl", path};
  return files;
}

// Joins the lines of all files.
class Reader {
 public:
  explicit Reader(const traces::ReadOptions& options) : options_(options) {}

  Status read(const std::string& file) {
    const auto bytes = traces::open_file(file);
    if (!bytes) return bytes.error();
    traces::Unzipped unzipped(**bytes);
    traces::LineReader lines(unzipped, file);
    std::optional<Error> unfinished;  // HISTORY-9: of the last line
    bool has_head = false;
    while (true) {
      const auto line = lines.next();
      if (!line) return line.error();
      if (!*line) break;
      if ((*line)->text.empty() && !(*line)->is_too_long) continue;
      if (unfinished) {
        if (const Status left = leave_out(*std::exchange(unfinished, {})); !left) return left;
      }
      if ((*line)->is_too_long) {
        const Error error{
            "more than " + std::to_string(traces::kLineMost) + " bytes, expected a shorter line",
            lines.place()};
        if (const Status left = leave_out(error); !left) return left;
        continue;
      }
      const auto value = document::parse_json(std::string((*line)->text), "");
      if (!value) {
        unfinished = Error{value.error().message, lines.place()};
        continue;
      }
      Result<Line> read = read_line(*value);
      if (read && !has_head && read->kind != Kind::history) {
        read = Error{"no line of kind History before it, expected one first", ""};
      }
      if (!read) {
        if (const Status left = leave_out({read.error().message, lines.place()}); !left) {
          return left;
        }
        continue;
      }
      has_head = true;
      take(*std::move(read));
    }
    if (unfinished) ++recording_.cut;
    return Done{};
  }

  Recording finish() {
    for (std::size_t i = 0; i < recording_.jobs.size(); ++i) end_in_gap(i);
    for (auto& [name, node] : first_nodes_) recording_.nodes.push_back(std::move(node));
    for (auto& [name, queue] : queues_) recording_.queues.push_back(std::move(queue));
    return std::move(recording_);
  }

 private:
  // HISTORY-8
  Status leave_out(const Error& error) {
    if (!options_.skip_bad_lines) return error;
    traces::Skipped& skipped = recording_.skipped;
    ++skipped.bad;
    if (skipped.first.size() < traces::kSkippedShown) skipped.first.push_back(error);
    return Done{};
  }

  void take(Line line) {
    switch (line.kind) {
      case Kind::history:
        if (!run_begun_ || *run_begun_ != line.begun) run_ends_.push_back(line.time);
        if (!run_begun_) recording_.begin = recording_.end = line.time;
        run_begun_ = line.begun;
        break;
      case Kind::node:
        take_node(std::move(line));
        break;
      case Kind::node_gone:
        if (nodes_.erase(line.name) > 0) ++recording_.node_changes;
        break;
      case Kind::queue:
        queues_[line.queue.name] = std::move(line.queue);
        break;
      case Kind::queue_gone:  // jobs of the past may name it
      case Kind::end:
        break;
      case Kind::job:
        take_job(std::move(line.job));
        break;
    }
    run_ends_.back() = std::max(run_ends_.back(), line.time);
    recording_.end = std::max(recording_.end, line.time);
  }

  // HISTORY-10. All that are known at first have one time, or an earlier one.
  void take_node(Line line) {
    if (nodes_at_ == TimePoint()) nodes_at_ = std::max(recording_.begin, line.time);
    const bool is_first = line.time <= nodes_at_;
    const auto known = nodes_.find(line.node.name);
    if (known != nodes_.end() && known->second == line.node) return;
    if (is_first) {
      first_nodes_[line.node.name] = line.node;
    } else {
      ++recording_.node_changes;
    }
    nodes_[line.node.name] = std::move(line.node);
  }

  // HISTORY-5: the last line of a job counts.
  void take_job(RecordedJob job) {
    const auto known = by_uid_.find(job.uid);
    if (known != by_uid_.end()) {
      run_of_job_[known->second] = run_ends_.size() - 1;
      recording_.jobs[known->second] = std::move(job);
      return;
    }
    if (recording_.jobs.size() == options_.most) return;
    by_uid_.emplace(job.uid, recording_.jobs.size());
    run_of_job_.push_back(run_ends_.size() - 1);
    recording_.jobs.push_back(std::move(job));
  }

  // HISTORY-11. A later berthd would have seen it.
  void end_in_gap(std::size_t i) {
    RecordedJob& job = recording_.jobs[i];
    if (job.ended || run_of_job_[i] + 1 == run_ends_.size()) return;
    job.ended = std::max(run_ends_[run_of_job_[i]], job.started.value_or(job.submitted));
    job.was_deleted = job.was_deleted || !job.started;
  }

  const traces::ReadOptions options_;
  Recording recording_;
  std::optional<TimePoint> run_begun_;  // of the berthd that wrote the last line
  std::vector<TimePoint> run_ends_;     // by run of berthd: its last line
  TimePoint nodes_at_;
  std::map<std::string, NodeObject> nodes_, first_nodes_;
  std::map<std::string, QueueObject> queues_;
  std::unordered_map<std::string, std::size_t> by_uid_;  // look-up only
  std::vector<std::size_t> run_of_job_;
};

}  // namespace

bool is_recording(const std::string& path) {
  std::error_code fault;
  if (fs::is_directory(path, fault)) return true;
  const auto bytes = traces::open_file(path);
  if (!bytes) return false;
  traces::Unzipped unzipped(**bytes);
  std::vector<char> first(1);
  const auto read = unzipped.read(first);
  return read && *read == 1 && first[0] == '{';
}

Result<Recording> read_recording(const std::string& path, const traces::ReadOptions& options) {
  const Result<std::vector<std::string>> files = files_of(path);
  if (!files) return files.error();
  Reader reader(options);
  for (const std::string& file : *files) {
    if (const Status read = reader.read(file); !read) return read.error();
  }
  return reader.finish();
}

}  // namespace berth::history
