#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "berth/base/text.h"
#include "document/cursor.h"
#include "history/lines.h"
#include "history/of_cluster.h"
#include "kube/codecs.h"
#include "kube/fields.h"
#include "kube/pod_constraints.h"

namespace berth::history {

namespace {

using document::Cursor;

constexpr std::array<const char*, 7> kKinds{"History",   "Node", "NodeGone", "Queue",
                                            "QueueGone", "Job",  "End"};
constexpr std::int64_t kPodsMost = traces::kProcessorsMost;

std::optional<Kind> read_kind(const Cursor& root) {
  const std::string word = root.required_text("kind");
  const auto* const found = std::find(kKinds.begin(), kKinds.end(), word);
  if (found != kKinds.end()) return static_cast<Kind>(found - kKinds.begin());
  if (!word.empty()) {
    const std::vector<std::string> known(kKinds.begin(), kKinds.end());
    root["kind"].complain("unknown kind \"" + word + "\"" + suggestion(word, known));
  }
  return std::nullopt;
}

TimePoint required_time(const Cursor& map, const char* key) {
  map.required_text(key);
  return map[key].time();
}

std::optional<TimePoint> optional_time(const Cursor& at) {
  return at.is_present() ? std::optional(at.time()) : std::nullopt;
}

void require_order(const Cursor& at, const std::optional<TimePoint>& earlier,
                   const std::optional<TimePoint>& later, const char* than) {
  if (!earlier || !later || *earlier <= *later) return;
  at.complain("a time before " + std::string(than) + ", expected a later one");
}

void read_pods(const Cursor& root, RecordedJob& job) {
  std::int64_t sum = 0;
  for (const Cursor& from : root["pods"].items()) {
    RecordedPods pods;
    pods.count = static_cast<std::int32_t>(from["count"].integer(1, 1, kPodsMost));
    pods.request = kube::read_amounts(from["requests"]);
    pods.constraints = kube::read_constraints(from["spec"]);
    sum += pods.count;
    job.pods.push_back(std::move(pods));
  }
  if (job.pods.empty()) root.complain("`pods` is missing, expected the pods of the job");
  if (sum > kPodsMost) {
    root["pods"].complain("more than " + std::to_string(kPodsMost) + " pods, expected fewer");
  }
}

RecordedJob read_job(const Cursor& root) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  RecordedJob job;
  job.name = root.required_text("name");
  job.uid = root.required_text("uid");
  job.queue = root["queue"].text();
  job.priority = static_cast<std::int32_t>(root["priority"].integer(0, -kMost - 1, kMost));
  job.minimum = static_cast<std::int32_t>(root["minimum"].integer(1, 1, kMost));
  job.submitted = required_time(root, "submitted");
  job.started = optional_time(root["started"]);
  job.ended = optional_time(root["ended"]);
  require_order(root["ended"], job.started, job.ended, "the start");
  if (root["limit"].is_present()) job.limit = root["limit"].duration({});
  job.lost_runs = static_cast<std::int32_t>(root["lostRuns"].integer(0, 0, kMost));
  job.was_evicted = root["evicted"].boolean(false);
  job.was_deleted = root["deleted"].boolean(false);
  read_pods(root, job);
  return job;
}

Status read_object(const document::Value& value, const Cursor& root, Line& line) {
  if (line.kind == Kind::node) {
    Result<NodeObject> node = kube::decode_node(value, "");
    if (!node) return node.error();
    line.node = without(*std::move(node), kube::read_amounts(root["taken"]));
    line.node.uid = line.node.name;
  } else if (line.kind == Kind::queue) {
    Result<QueueObject> queue = kube::decode_queue(value, "");
    if (!queue) return queue.error();
    line.queue = *std::move(queue);
    line.queue.uid = line.queue.name;
    line.queue.written = {};
  }
  return Done{};
}

}  // namespace

Result<Line> read_line(const document::Value& value) {
  document::Reading reading(value, "");
  const Cursor root = reading.root();
  Line line;
  const std::optional<Kind> kind = read_kind(root);
  if (reading.failed()) return reading.error();
  line.kind = *kind;
  line.time = required_time(root, "time");
  if (line.kind == Kind::history) {
    const std::int64_t version = root["version"].integer(0, 0, 1'000'000);
    if (version != kVersion) {
      root["version"].complain("version " + std::to_string(version) + ", expected " +
                               std::to_string(kVersion));
    }
    line.begun = required_time(root, "begun");
  }
  if (line.kind == Kind::node_gone || line.kind == Kind::queue_gone) {
    line.name = root.required_text("name");
  }
  if (line.kind == Kind::job) line.job = read_job(root);
  if (const Status read = read_object(value, root, line); !read) return read.error();
  if (reading.failed()) return reading.error();
  return line;
}

}  // namespace berth::history
