#include "engine/memory.h"

#include "berth/engine/session.h"

namespace berth::engine {

namespace {

std::unique_ptr<Ranking> make_ranking(const Cluster& cluster, ShapeId shape, JobId owner) {
  return std::make_unique<Ranking>(shape, owner, depends_on(cluster.shape(shape)));
}

}  // namespace

Ranking& Memory::ranking(Session& session, ShapeId shape, JobId job) {
  const Cluster& cluster = session.cluster();
  const bool is_target = job.is_valid() && cluster.job(job).election.has_value();
  if (is_target && cluster.locked_node_count() > 0) {
    auto& own = rankings_of_targets_[{job, shape}];
    if (own == nullptr) own = make_ranking(cluster, shape, job);
    return caught_up(session, own);
  }
  if (shape.index() >= rankings_.size()) rankings_.resize(cluster.shape_count());
  auto& common = rankings_[shape.index()];
  if (common == nullptr) common = make_ranking(cluster, shape, JobId());
  return caught_up(session, common);
}

Ranking& Memory::caught_up(Session& session, std::unique_ptr<Ranking>& ranking) {
  ranking->last_use = ++uses_;
  const std::size_t before = ranking->bytes();
  ranking->catch_up(session);
  ranking_bytes_ += ranking->bytes() - before;
  if (ranking_bytes_ > kRankingBytesMax) drop_least_recent(ranking.get());
  return *ranking;
}

void Memory::drop_least_recent(const Ranking* keep) {
  while (ranking_bytes_ > kRankingBytesMax) {
    std::unique_ptr<Ranking>* oldest = nullptr;
    const auto consider = [&](std::unique_ptr<Ranking>& each) {
      if (each == nullptr || each.get() == keep) return;
      if (oldest == nullptr || each->last_use < (*oldest)->last_use) oldest = &each;
    };
    for (auto& each : rankings_) consider(each);
    for (auto& [key, each] : rankings_of_targets_) consider(each);
    if (oldest == nullptr) return;
    ranking_bytes_ -= (*oldest)->bytes();
    oldest->reset();
  }
}

void Memory::refresh(const Cluster& cluster) {
  shares_.refresh(cluster);
  queues_.refresh(cluster);
  forget_former_targets(cluster);
  // A past state does not return.
  std::erase_if(worked_out_,
                [&](const auto& entry) { return entry.second.stamp != cluster.stamp(); });
}

Memory::WorkedOut& Memory::worked_out(const Cluster& cluster, JobId job, TimePoint now) {
  const auto known = worked_out_.find(job);
  const bool is_of_now = known != worked_out_.end() && known->second.stamp == cluster.stamp();
  if (is_of_now && now < known->second.until) return known->second;
  if (known != worked_out_.end()) worked_out_.erase(known);
  WorkedOut& fresh = worked_out_[job];
  fresh.stamp = cluster.stamp();
  return fresh;
}

void Memory::forget_former_targets(const Cluster& cluster) {
  std::erase_if(rankings_of_targets_, [&](const auto& entry) {
    const auto& [key, ranking] = entry;
    const bool is_target =
        key.first.index() < cluster.job_slots() && cluster.job(key.first).election.has_value();
    if (!is_target && ranking != nullptr) ranking_bytes_ -= ranking->bytes();
    return !is_target;
  });
}

}  // namespace berth::engine
