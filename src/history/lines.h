#pragma once

#include <string>
#include <vector>

#include "berth/base/result.h"
#include "document/value.h"
#include "history/recording.h"

// HISTORY-1. A line of a recording: one JSON object, with `kind` and `time` first. Nodes and queues
// are as in Kubernetes' API, without annotations but for those of queues that say times.

namespace berth::history {

inline constexpr int kVersion = 1;

enum class Kind : std::uint8_t { history, node, node_gone, queue, queue_gone, job, end };

std::string head_line(TimePoint time, TimePoint begun);
// A line about a node is its time and what others take, then this.
std::string node_text(const NodeObject& node);
std::string node_line(const std::string& text, const NamedAmounts& taken, TimePoint time);
std::string queue_text(const QueueObject& queue);
std::string queue_line(const std::string& text, TimePoint time);
std::string gone_line(Kind kind, const std::string& name, TimePoint time);
// HISTORY-4: `pods` is pods_text().
std::string pods_text(const std::vector<RecordedPods>& pods);
std::string job_line(const JobFacts& facts, const std::string& pods, TimePoint time);
std::string end_line(TimePoint time);

struct Line {
  Kind kind = Kind::history;
  TimePoint time;
  TimePoint begun;    // history: when this berthd began to record
  std::string name;   // of what is gone
  NodeObject node;    // less what pods of others have
  QueueObject queue;  // it serves all namespaces
  RecordedJob job;
};

// An Error names the field.
Result<Line> read_line(const document::Value& value);

}  // namespace berth::history
