#include "actions/eviction/candidates.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "berth/engine/surplus.h"

namespace berth::actions {

using namespace engine;

namespace {

bool runs(const Task& task) {
  return task.status == TaskStatus::bound || task.status == TaskStatus::running;
}

// VICTIM-3. The last queue first: of the lowest priority, then the furthest beyond its share. Of
// its jobs, the last first.
std::vector<JobPart> in_order(const Session& session, PartSet parts) {
  const Cluster& cluster = session.cluster();
  std::sort(parts.begin(), parts.end(), [&](const JobPart& left, const JobPart& right) {
    if (left.kind != right.kind) return left.kind == JobPart::Kind::surplus;
    const Job& l = cluster.job(left.job);
    const Job& r = cluster.job(right.job);
    if (l.queue != r.queue) {
      return session.comes_before(cluster.queue(r.queue), cluster.queue(l.queue));
    }
    return session.comes_before(r, l);
  });
  return parts;
}

}  // namespace

std::vector<TaskId> still_running(const Cluster& cluster, std::span<const TaskId> tasks) {
  std::vector<TaskId> left;
  std::copy_if(tasks.begin(), tasks.end(), std::back_inserter(left),
               [&](TaskId id) { return runs(cluster.task(id)); });
  return left;
}

Candidates::Candidates(Session& session, const EvictionPolicy& policy, const Job& claimant)
    : session_(session),
      by_node_(session.cluster().node_count()),
      is_surplus_(session.cluster().task_slots(), 0) {
  Parties parties = policy.parties(claimant);
  spared_ = std::move(parties.spared);
  for (const JobPart& part : in_order(session, std::move(parties.parts))) {
    const Job& job = session.cluster().job(part.job);
    if (part.kind == JobPart::Kind::surplus) {
      add_surplus(job, policy.as_surplus);
    } else {
      add_whole(job, policy.as_whole);
    }
  }
  std::sort(spared_.begin(), spared_.end(), [](const Spared& left, const Spared& right) {
    return std::tie(right.pods, left.reason) < std::tie(left.pods, right.reason);
  });
}

// VICTIM-2. Each task by itself.
void Candidates::add_surplus(const Job& job, EvictedAs as) {
  for (const TaskId id : surplus_of(session_, job)) {
    const Verdict verdict = session_.may_evict(session_.cluster().task(id));
    if (!verdict) {
      spare(verdict.reason, 1);
      continue;
    }
    add({job.id, as, false, {id}, 0});
    is_surplus_[id.index()] = 1;
  }
}

// VICTIM-2. All together, or none.
void Candidates::add_whole(const Job& job, EvictedAs as) {
  const Cluster& cluster = session_.cluster();
  Lot lot{job.id, as, true, {}, 0};
  for (const TaskId id : job.tasks) {
    if (is_allocated(cluster.task(id).status)) lot.tasks.push_back(id);
  }
  for (const TaskId id : lot.tasks) {
    if (const Verdict verdict = session_.may_evict(cluster.task(id)); !verdict) {
      return spare(verdict.reason, lot.tasks.size());
    }
  }
  if (lot.tasks.empty()) return;
  if (const Verdict verdict = session_.ask(points::evictable, Leaving{job.id, lot.tasks});
      !verdict) {
    return spare(verdict.reason, lot.tasks.size());
  }
  add(std::move(lot));
}

void Candidates::add(Lot lot) {
  const Cluster& cluster = session_.cluster();
  const auto number = static_cast<std::uint32_t>(lots_.size());
  for (const TaskId id : lot.tasks) {
    if (is_surplus_[id.index()] != 0) continue;
    ++lot.pods;
    std::vector<Share>& shares = by_node_[cluster.task(id).node.index()];
    if (shares.empty() || shares.back().lot != number) shares.push_back({number, {}});
    shares.back().tasks.push_back(id);
  }
  pods_ += lot.pods;
  pods_of_job_[lot.job] += lot.pods;
  lots_.push_back(std::move(lot));
}

void Candidates::spare(Reason reason, std::size_t pods) {
  const auto found = std::find_if(spared_.begin(), spared_.end(),
                                  [&](const Spared& each) { return each.reason == reason; });
  const auto count = static_cast<std::int32_t>(pods);
  found == spared_.end() ? spared_.push_back({reason, count}) : void(found->pods += count);
}

}  // namespace berth::actions
