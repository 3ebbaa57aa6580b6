#pragma once

#include <string>
#include <utility>

#include "berth/base/clock.h"
#include "history/lines.h"

namespace berth::history {

inline TimePoint at(int seconds) {
  return TimePoint(std::chrono::hours(24 * 365 * 56) + std::chrono::seconds(seconds));
}

inline NodeObject sample_node(std::string name = "n1") {
  NodeObject node;
  node.uid = name;
  node.name = std::move(name);
  node.labels = {{"example.com/rack", "r1"}, {"kubernetes.io/hostname", node.name}};
  node.taints = {{"gpu", "yes", TaintEffect::no_schedule}, {"slow", "", TaintEffect::no_execute}};
  node.unschedulable = true;
  node.allocatable = {{"cpu", 7500}, {"memory", 64LL << 30}, {"nvidia.com/gpu", 8}, {"pods", 110}};
  return node;
}

inline QueueObject sample_queue() {
  QueueObject queue;
  queue.name = queue.uid = "research";
  queue.weight = 3;
  queue.priority = 7;
  queue.reclaimable = false;
  queue.parent = "all";
  queue.state = QueueState::closed;
  queue.capability = {{"cpu", 100'000}};
  queue.guarantee = {{"nvidia.com/gpu", 4}};
  queue.guarantee_share_of = {"memory"};
  queue.guarantee_share_billionths = 250'000'000;
  queue.names_policy = queue.guarantees_hard = true;
  queue.deserved = {{"cpu", 50'000}};
  queue.is_fifo = true;
  queue.reclaim_min_run_time = std::chrono::minutes(5);
  queue.default_time_limit = std::chrono::hours(2);
  queue.max_time_limit = std::chrono::hours(48);
  return queue;
}

inline RecordedPods sample_pods(std::int32_t count = 4) {
  RecordedPods pods;
  pods.count = count;
  pods.request = {{"cpu", 2000}, {"nvidia.com/gpu", 1}};
  pods.constraints.node_selector = {{"example.com/rack", "r1"}};
  pods.constraints.has_required_terms = true;
  pods.constraints.required_terms = {{{{"gpu-model", Operator::in, {"A100", "H100"}}}, {}}};
  pods.constraints.tolerations = {{"gpu", false, "yes", TaintEffect::no_schedule}};
  return pods;
}

inline JobFacts sample_job(const std::string& uid = "u1") {
  JobFacts facts;
  facts.name = "ml/train";
  facts.uid = uid;
  facts.queue = "research";
  facts.priority = -5;
  facts.minimum = 3;
  facts.submitted = at(0);
  facts.started = at(10);
  facts.ended = at(110);
  facts.limit = std::chrono::minutes(90);
  facts.lost_runs = 2;
  facts.was_evicted = true;
  facts.was_deleted = true;
  return facts;
}

inline std::string sample_job_line(const JobFacts& facts, TimePoint time) {
  return job_line(facts, pods_text({sample_pods()}), time);
}

}  // namespace berth::history
