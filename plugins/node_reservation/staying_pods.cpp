#include "plugins/node_reservation/staying_pods.h"

#include <algorithm>

#include "berth/engine/queue_tree.h"
#include "berth/engine/surplus.h"

namespace berth::plugins {

using namespace engine;

StayingPods::StayingPods(Session& session)
    : session_(session),
      cluster_(session.cluster()),
      is_evictable_(session.cluster().task_slots(), 0) {
  for (std::size_t j = 0; j < cluster_.job_slots(); ++j) {
    const Job& job = cluster_.job(JobId(j));
    if (!job.exists || !job.queue.is_valid()) continue;
    // Of a queue that is not reclaimable, surplus leaves alone (NODES-18).
    const bool leaves_whole = cluster_.queue(job.queue).is_reclaimable;
    for (const TaskId id : leaves_whole ? job.tasks : surplus_of(session, job)) {
      is_evictable_[id.index()] = may_be_evicted(cluster_.task(id)) ? 1 : 0;
    }
  }
  add_up();
}

// Protections that change within seconds do not count: a chosen node should stay chosen.
bool StayingPods::may_be_evicted(const Task& task) const {
  return task.is_preemptable && !task.is_critical && !task.is_of_node &&
         !is_within_guarantee(task, cluster_.queue_of(task.job));
}

// NODES-19
bool StayingPods::is_within_guarantee(const Task& task, QueueId queue) const {
  const QueueTree& tree = session_.queues();
  const std::uint32_t at = tree.position_of(queue);
  if (at == QueueTree::kNowhere) return false;
  const auto& requested = cluster_.shape(task.shape).requested;
  return std::any_of(requested.begin(), requested.end(), [&](const auto& each) {
    const auto& [d, amount] = each;
    return amount > 0 && cluster_.queue(queue).allocated[d] - amount < tree.guarantee(at, d);
  });
}

void StayingPods::add_up() {
  for (AmountTable* table : {&all_, &guaranteed_now_, &guaranteed_always_, &best_effort_now_}) {
    table->reset(cluster_.node_count(), cluster_.dimensions().size());
  }
  for (std::size_t t = 0; t < cluster_.task_slots(); ++t) {
    const Task& task = cluster_.task(TaskId(t));
    if (task.uid.empty() || !task.node.is_valid() || !occupies_node(task.status)) continue;
    const auto add_to = [&](AmountTable& table, bool evicts, Count count) {
      if (!stays(TaskId(t), evicts, count)) return;
      for (const auto& [d, amount] : cluster_.shape(task.shape).requested) {
        table.at(task.node, d) += amount;
      }
    };
    add_to(all_, true, Count::all);
    add_to(guaranteed_now_, true, Count::now);
    add_to(guaranteed_always_, true, Count::always);
    add_to(best_effort_now_, false, Count::now);
  }
}

bool StayingPods::stays(TaskId id, bool evicts, Count count) const {
  const Task& task = cluster_.task(id);
  if (evicts && count == Count::all) return true;
  if (task.status == TaskStatus::releasing) return task.is_of_node;
  if (evicts && is_evictable_[id.index()] != 0) return false;
  if (count == Count::always) return task.never_leaves;
  return evicts || task.never_leaves || task.runs_forever;
}

const AmountTable& StayingPods::on_nodes(bool evicts, Count count) const {
  if (count == Count::all && evicts) return all_;
  if (count != Count::always) return evicts ? guaranteed_now_ : best_effort_now_;
  return evicts ? guaranteed_always_ : cluster_.staying();
}

}  // namespace berth::plugins
