#include "tools/when/search_candidates.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <variant>

#include "tools/simulate/machine.h"

namespace berth::tools {

namespace {

using history::RecordedJob;

// Labels that differ from node to node, such as names, make no kind.
std::set<std::string> labels_of_one(const std::vector<const NodeObject*>& nodes) {
  std::map<std::string, std::set<std::string>> values;
  std::map<std::string, std::size_t> counts;
  for (const NodeObject* const node : nodes) {
    for (const auto& [key, value] : node->labels) {
      values[key].insert(value);
      ++counts[key];
    }
  }
  std::set<std::string> keys;
  for (const auto& [key, count] : counts) {
    if (values[key].size() == count) keys.insert(key);
  }
  return keys;
}

bool holds(const NodeObject& node, const NamedAmounts& request) {
  return std::all_of(request.begin(), request.end(), [&](const auto& asked) {
    const auto has = node.allocatable.find(asked.first);
    return asked.second == 0 || (has != node.allocatable.end() && has->second >= asked.second);
  });
}

std::string kind_of(const NodeObject& node, const std::set<std::string>& left_out) {
  std::string kind;
  for (const auto& [name, amount] : node.allocatable) {
    kind += name + "=" + std::to_string(amount) + "\n";
  }
  for (const auto& [key, value] : node.labels) {
    if (!left_out.contains(key)) kind += key + ": " + value + "\n";
  }
  for (const Taint& taint : node.taints) kind += taint.key + "!" + taint.value + "\n";
  return kind;
}

// The first node of each kind, the most frequent kind first.
std::vector<std::string> kinds_for(const RecordedJob& job,
                                   const std::vector<ClusterEvent>& objects) {
  std::vector<const NodeObject*> nodes;
  for (const ClusterEvent& object : objects) {
    if (const auto* const node = std::get_if<NodeObject>(&object)) nodes.push_back(node);
  }
  const std::set<std::string> left_out =
      nodes.size() > 1 ? labels_of_one(nodes) : std::set<std::string>();
  std::map<std::string, std::pair<std::size_t, std::string>> kinds;  // how many, the first name
  for (const NodeObject* const node : nodes) {
    const bool fits = std::any_of(job.pods.begin(), job.pods.end(),
                                  [&](const auto& pods) { return holds(*node, pods.request); });
    if (!fits) continue;
    auto& [count, first] = kinds[kind_of(*node, left_out)];
    if (++count == 1 || node->name < first) first = node->name;
  }
  std::vector<std::pair<std::size_t, std::string>> sorted;
  for (auto& [kind, found] : kinds) sorted.push_back(std::move(found));
  std::sort(sorted.begin(), sorted.end(), [](const auto& left, const auto& right) {
    return std::make_tuple(-static_cast<std::int64_t>(left.first), left.second) <
           std::make_tuple(-static_cast<std::int64_t>(right.first), right.second);
  });
  std::vector<std::string> names;
  for (auto& [count, name] : sorted) {
    if (names.size() < SearchBounds::kKinds) names.push_back(std::move(name));
  }
  return names;
}

struct Other {
  const RecordedJob* job;
  double size = 0;  // in nodes
  double lost = 0;  // nodes times seconds, if it is stopped now
};

std::vector<MoveCandidate> moves_of(std::vector<Other> jobs) {
  // Of jobs that lose as much, the largest is moved first.
  std::sort(jobs.begin(), jobs.end(), [](const Other& left, const Other& right) {
    return std::make_tuple(left.lost, -left.size, left.job->name) <
           std::make_tuple(right.lost, -right.size, right.job->name);
  });
  std::vector<MoveCandidate> moves;
  for (const Other& each : jobs) {
    if (moves.size() < SearchBounds::kJobs) moves.push_back({each.job->name, each.lost});
  }
  return moves;
}

std::optional<LimitCandidate> limit_of(const RecordedJob& job, TimePoint now) {
  constexpr Duration kLeast = std::chrono::minutes(1);
  if (!job.limit) return std::nullopt;
  const Duration ran = job.started ? std::max(Duration(), now - *job.started) : Duration();
  if (*job.limit <= ran + kLeast) return std::nullopt;
  return LimitCandidate{job.name, *job.limit, ran + kLeast};
}

std::vector<LimitCandidate> limits_of(std::vector<Other> jobs, TimePoint now) {
  std::sort(jobs.begin(), jobs.end(), [](const Other& left, const Other& right) {
    return std::make_tuple(-left.size, left.job->name) <
           std::make_tuple(-right.size, right.job->name);
  });
  std::vector<LimitCandidate> limits;
  for (const Other& each : jobs) {
    const auto limit = limit_of(*each.job, now);
    if (limit && limits.size() < SearchBounds::kLimits) limits.push_back(*limit);
  }
  return limits;
}

}  // namespace

Result<Candidates> candidates_for(const std::string& job, const WhatIf& base,
                                  const Forecast& before, Cases& cases) {
  const Result<history::Recording> dump = cases.recording_of(base);
  if (!dump) return dump.error();
  std::set<std::string> not_before;  // they start after it
  bool is_after = false;
  for (const ForecastRow& row : before.jobs) {
    if (is_after && row.start) not_before.insert(row.job);
    is_after = is_after || row.job == job;
  }
  Candidates candidates;
  std::vector<Other> waiting;
  std::vector<Other> running;
  for (const RecordedJob& each : dump->jobs) {
    if (each.name == job) {
      candidates.own_limit = limit_of(each, dump->begin);
      candidates.kinds = kinds_for(each, cases.objects());
      continue;
    }
    Other other{&each, 0, 0};
    for (const history::RecordedPods& pods : each.pods) {
      other.size += pods.count * size_of(pods.request, dump->nodes);
    }
    if (each.started) {
      const std::chrono::duration<double> ran = dump->begin - *each.started;
      other.lost = other.size * std::max(0.0, ran.count());
      running.push_back(other);
    } else if (!not_before.contains(each.name)) {
      waiting.push_back(other);
    }
  }
  std::vector<Other> others = waiting;
  others.insert(others.end(), running.begin(), running.end());
  candidates.limits = limits_of(std::move(others), dump->begin);
  candidates.waiting = moves_of(std::move(waiting));
  candidates.running = moves_of(std::move(running));
  return candidates;
}

}  // namespace berth::tools
