#include "engine/memory.h"

#include <utility>

#include "berth/engine/session.h"

namespace berth::engine {

Ranking& Memory::ranking(Session& session, ShapeId shape, JobId job, QueueId queue) {
  const Cluster& cluster = session.cluster();
  return ranking_of(session, cluster.shape(cluster.shape(shape).base), job, queue);
}

Ranking& Memory::ranking_by_wishes(Session& session, ShapeId id, JobId job, QueueId queue) {
  const Shape& shape = session.cluster().shape(id);
  if (!has_wishes(session, shape)) return ranking(session, id, job, queue);
  return ranking_of(session, shape, job, queue);
}

Ranking& Memory::ranking_of(Session& session, const Shape& shape, JobId job, QueueId queue) {
  const Cluster& cluster = session.cluster();
  const bool is_target =
      job.is_valid() && cluster.job(job).election.has_value() && cluster.locks().for_targets() > 0;
  const Ranking::For tasks{is_target ? job : JobId(), queue};
  const bool is_common = tasks == Ranking::For();
  if (is_common && shape.id.index() >= rankings_.size()) rankings_.resize(cluster.shape_count());
  auto& ranking = is_common ? rankings_[shape.id.index()] : rankings_of_few_[{tasks, shape.id}];
  if (ranking != nullptr && ranking->serial() != shape.serial) {
    ranking_bytes_ -= ranking->counted_bytes;
    ranking.reset();
  }
  if (ranking == nullptr) {
    ranking = std::make_unique<Ranking>(cluster.shape(shape.base), shape, tasks);
  }
  return caught_up(session, ranking);
}

Ranking& Memory::caught_up(Session& session, std::unique_ptr<Ranking>& ranking) {
  ranking->last_use = ++uses_;
  ranking->catch_up(session);
  const std::size_t before = std::exchange(ranking->counted_bytes, ranking->bytes());
  ranking_bytes_ += ranking->counted_bytes - before;
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
    for (auto& [key, each] : rankings_of_few_) consider(each);
    if (oldest == nullptr) return;
    ranking_bytes_ -= (*oldest)->counted_bytes;
    oldest->reset();
  }
}

void Memory::refresh(const Cluster& cluster) {
  if (!longest_line.empty()) line.note(longest_line);
  longest_line.clear();
  shares_.refresh(cluster);
  queues_.refresh(cluster);
  forget_former_owners(cluster);
  forget_what_is_gone(cluster);
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

// BOUND-7
void Memory::forget_what_is_gone(const Cluster& cluster) {
  for (std::size_t s = 0; s < rankings_.size(); ++s) {
    if (rankings_[s] == nullptr) continue;
    const bool is_there =
        s < cluster.shape_count() && cluster.shape(ShapeId(s)).serial == rankings_[s]->serial();
    if (is_there) continue;
    ranking_bytes_ -= rankings_[s]->counted_bytes;
    rankings_[s].reset();
  }
  shorten(rankings_, cluster.shape_count());
  shorten(refused_, cluster.job_slots());
  shorten(vain_, cluster.job_slots());
  shorten(lacks_, cluster.job_slots());
  for (std::size_t j = 0; j < refused_.size(); ++j) {
    if (refused_[j].is_of_any() && !cluster.job(JobId(j)).exists) refused_[j] = Refused();
  }
  for (std::size_t j = 0; j < vain_.size(); ++j) {
    const bool is_gone = !vain_[j].empty() && !cluster.job(JobId(j)).exists;
    if (is_gone) decltype(vain_)::value_type().swap(vain_[j]);
  }
}

void Memory::forget_former_owners(const Cluster& cluster) {
  std::erase_if(rankings_of_few_, [&](const auto& entry) {
    const auto& [target, queue] = entry.first.first;
    const bool is_target = !target.is_valid() || (target.index() < cluster.job_slots() &&
                                                  cluster.job(target).election.has_value());
    const bool has_nodes = !queue.is_valid() || cluster.locks().for_queues() > 0;
    if (is_target && has_nodes) return false;
    if (entry.second != nullptr) ranking_bytes_ -= entry.second->counted_bytes;
    return true;
  });
}

}  // namespace berth::engine
