#include "berth/engine/admissions.h"

#include <algorithm>

namespace berth::engine {

namespace {

bool is_whole(const Job& job) {
  return job.placed_count() - job.count(TaskStatus::succeeded) >= job.min_available;
}

// T1. A job that is in and has not got all of its minResources keeps the rest as its own; a
// running job owes itself the same while it has its minimum of members. Gated pods do not count.
bool owes(const Job& job) {
  const bool is_in = job.phase == GroupPhase::inqueue;
  return job.min_resources && (is_in || (job.phase == GroupPhase::running && is_whole(job)));
}

}  // namespace

// To the job's queue, to those above it, and to the cluster.
template <class AmountOf>
void Admissions::add(const QueueTree& tree, const Job& job, std::vector<std::int64_t>& sums,
                     const AmountOf& amount_of) const {
  std::uint32_t at = tree.position_of(job.queue);
  if (at == QueueTree::kNowhere) at = 0;
  while (true) {
    for (std::size_t d = 0; d < dimensions_; ++d) {
      std::int64_t& sum = sums[at * dimensions_ + d];
      const std::int64_t amount = std::max<std::int64_t>(0, amount_of(Dimension(d)));
      if (__builtin_add_overflow(sum, amount, &sum)) sum = std::int64_t{1} << 62;
    }
    if (at == 0) return;
    at = tree.member(at).parent;
  }
}

void Admissions::add_owed(const QueueTree& tree, const Job& job) {
  add(tree, job, in_queue_, [&](Dimension d) {
    return std::max<std::int64_t>(0, (*job.min_resources)[d] - job.allocated[d]) -
           job.gated_request[d];
  });
}

void Admissions::refresh(const Cluster& cluster, const QueueTree& tree) {
  if (stamp_ == cluster.stamp() && tree_version_ == tree.version()) return;
  stamp_ = cluster.stamp();
  tree_version_ = tree.version();
  dimensions_ = tree.dimensions();
  in_queue_.assign(tree.size() * dimensions_, 0);
  for (const JobId id : cluster.open_jobs()) {
    if (owes(cluster.job(id))) add_owed(tree, cluster.job(id));
  }
  add_allocated(cluster, tree);
}

void Admissions::add_allocated(const Cluster& cluster, const QueueTree& tree) {
  allocated_.assign(tree.size() * dimensions_, 0);
  untaken_.assign(dimensions_, 0);
  for (std::size_t at = tree.size(); at-- > 1;) {
    const QueueTree::Member& member = tree.member(at);
    for (std::size_t d = 0; d < dimensions_; ++d) {
      std::int64_t& has = allocated_[at * dimensions_ + d];
      has += cluster.queue(member.queue).allocated[Dimension(d)];
      allocated_[member.parent * dimensions_ + d] += has;
      if (member.parent == 0) untaken_[d] += untaken(tree, at, d);
    }
  }
}

std::int64_t Admissions::untaken(const QueueTree& tree, std::size_t position, std::size_t d) const {
  const std::size_t at = position * dimensions_ + d;
  return std::max<std::int64_t>(
      0, tree.guarantee(position, Dimension(d)) - allocated_[at] - in_queue_[at]);
}

// T3
std::int64_t Admissions::kept_for_others(const QueueTree& tree, std::size_t position,
                                         Dimension d) const {
  if (position == 0) return untaken_[d.index()];
  while (tree.member(position).parent != 0) position = tree.member(position).parent;
  return untaken_[d.index()] - untaken(tree, position, d.index());
}

void Admissions::admitted(const Cluster& cluster, const QueueTree& tree, const Job& job,
                          std::uint64_t stamp_before) {
  if (stamp_ != stamp_before) return;  // was not up to date: counted anew when asked next
  stamp_ = cluster.stamp();
  if (surplus_stamp_ == stamp_before) surplus_stamp_ = stamp_;  // it has nothing to give back yet
  if (!owes(job)) return;
  std::uint32_t top = tree.position_of(job.queue);
  while (top != QueueTree::kNowhere && tree.member(top).parent != 0) top = tree.member(top).parent;
  const bool is_in_tree = top != QueueTree::kNowhere && top != 0;
  for (std::size_t d = 0; is_in_tree && d < dimensions_; ++d) untaken_[d] -= untaken(tree, top, d);
  add_owed(tree, job);
  for (std::size_t d = 0; is_in_tree && d < dimensions_; ++d) untaken_[d] += untaken(tree, top, d);
}

// T2
std::int64_t Admissions::surplus(const Cluster& cluster, const QueueTree& tree,
                                 std::size_t position, Dimension d) {
  if (surplus_stamp_ != stamp_) {
    surplus_stamp_ = stamp_;
    surplus_.assign(tree.size() * dimensions_, 0);
    for (std::size_t j = 0; j < cluster.job_slots(); ++j) {
      const Job& job = cluster.job(JobId(j));
      if (!job.exists || !job.min_resources || !is_whole(job)) continue;
      add(tree, job, surplus_,
          [&](Dimension each) { return job.allocated[each] - (*job.min_resources)[each]; });
    }
  }
  return surplus_[position * dimensions_ + d.index()];
}

}  // namespace berth::engine
