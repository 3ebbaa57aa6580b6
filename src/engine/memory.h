#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/engine/admissions.h"
#include "berth/engine/eviction_limits.h"
#include "berth/engine/feasibility.h"
#include "berth/engine/need.h"
#include "berth/engine/node_block.h"
#include "berth/engine/queue_tree.h"
#include "berth/engine/shares.h"
#include "berth/model/cluster.h"
#include "berth/model/plan.h"
#include "berth/model/time_limit.h"
#include "engine/former_order.h"
#include "engine/known_scores.h"
#include "engine/ranking.h"
#include "engine/tree_nodes.h"
#include "engine/tree_room.h"

namespace berth::engine {

class Session;

// Results that sessions reuse because they are expensive: rankings by shape, and which job was
// refused in which state. It changes no decision: a session with an empty memory decides the same
// (tests/property). Bound to one cluster and one configuration.
class Memory {
 public:
  // The ranking of a shape's base, up to date; for a target, with the nodes that are locked for it.
  // Of the nodes of that queue alone, or of those of no queue.
  Ranking& ranking(Session& session, ShapeId shape, JobId job = JobId(), QueueId queue = QueueId());
  // The same with what pods of the shape prefer of other pods and images: the scores may differ.
  // Where there is no such preference, it is that of the base.
  Ranking& ranking_by_wishes(Session& session, ShapeId shape, JobId job = JobId(),
                             QueueId queue = QueueId());
  const Shares& shares() const { return shares_; }
  const QueueTree& queues() const { return queues_; }
  Admissions& admissions() { return admissions_; }
  Feasibility& feasibility() { return feasibility_; }
  const Feasibility& feasibility() const { return feasibility_; }
  void refresh(const Cluster& cluster);

  struct Attempt {
    std::uint64_t stamp = 0;  // of the cluster when it began
    TimePoint until;          // from then on, a plugin may answer otherwise
  };
  struct Refused {
    Attempt placing;
    Attempt lending;  // of room beyond the share of its queue
    bool is_beyond_share = false;
    Refusal refusal;

    bool is_of_any() const { return refusal.job.is_valid(); }
  };
  // Null if nothing is remembered of the job.
  Refused* refused(JobId job) {
    return job.index() < refused_.size() ? &refused_[job.index()] : nullptr;
  }
  Refused& remember(JobId job) {
    if (job.index() >= refused_.size()) refused_.resize(job.index() + 1);
    return refused_[job.index()];
  }

  // In the state of this stamp, evicting did not help the job.
  struct Vain {
    std::uint64_t stamp = 0;
    TimePoint until;  // from then on, an answer may be another
    ConsideredEvictions considered;
  };
  // `action`: static storage. Until the next call.
  Vain& vain(JobId job, std::string_view action) {
    if (job.index() >= vain_.size()) vain_.resize(job.index() + 1);
    for (auto& [known, vain] : vain_[job.index()]) {
      if (known == action) return vain;
    }
    return vain_[job.index()].emplace_back(action, Vain()).second;
  }

  // A job lacks this of its minimum; the pod that stays longest may stay so long. By the version of
  // the job, the queues and the nodes.
  struct Lacks {
    std::uint64_t version = 0;
    std::uint64_t queue_version = 0;
    std::uint64_t spec_version = 0;
    LimitTrust trust = LimitTrust::stated;
    Need need;
    Duration stay{};
  };
  // References end with the session.
  Lacks& lacks(const Cluster& cluster, JobId job) {
    if (lacks_.size() < cluster.job_slots()) lacks_.resize(cluster.job_slots());
    return lacks_[job.index()];
  }

  // The longest line of the sessions before, and of this one.
  FormerOrder line;
  std::vector<JobId> longest_line;

  // Of the jobs that the last session refused.
  FormerOrder by_name;

  // Of the configuration: how long claims stand, and how many pods are evicted within a minute.
  Duration claim_patience = kClaimPatience;
  EvictionLimits eviction_limits;

  NodeBlock::Scratch scratch;  // of Ranking

  // Of the plugins' scores of nodes, in this session (points::node_order_version).
  std::uint64_t node_order_version = 0;
  NodeClasses node_classes;

  TreesInOrder trees;
  RoomInTrees room;

  // The number of times that a session limited where a gang starts.
  std::uint64_t starts = 0;

  // Do sessions say why jobs wait?
  bool gives_reasons = true;

  // How many refusals the last session had: room for those of the next is made at once.
  std::size_t refusals = 0;

  // Results for a job that is a target, or could be one, in one state of the cluster. They hold in
  // that state until a plugin may answer otherwise.
  struct WorkedOut {
    std::uint64_t stamp = 0;
    TimePoint until = TimePoint::max();
    std::optional<Refusal> start;  // may it be a target? Reason::none: yes
    bool is_unpackable = false;    // its own nodes have no place for it now
    std::optional<Reservation> reservation;
  };
  WorkedOut& worked_out(const Cluster& cluster, JobId job, TimePoint now);

  // Rankings cost a few bytes a node; when there are more than this in all, the least recently
  // used are dropped. Bytes.
  static constexpr std::size_t kRankingBytesMax = std::size_t{192} << 20;

 private:
  Ranking& ranking_of(Session& session, const Shape& shape, JobId job, QueueId queue);
  Ranking& caught_up(Session& session, std::unique_ptr<Ranking>& ranking);
  void drop_least_recent(const Ranking* keep);
  void forget_former_owners(const Cluster& cluster);
  void forget_what_is_gone(const Cluster& cluster);

  Shares shares_;
  QueueTree queues_;
  Admissions admissions_;
  Feasibility feasibility_;
  std::vector<std::unique_ptr<Ranking>> rankings_;  // by shape: a base, or one with wishes
  std::map<std::pair<Ranking::For, ShapeId>, std::unique_ptr<Ranking>> rankings_of_few_;
  std::size_t ranking_bytes_ = 0;
  std::uint64_t uses_ = 0;
  std::vector<std::vector<std::pair<std::string_view, Vain>>> vain_;  // by job
  std::vector<Refused> refused_;                                      // by job
  std::vector<Lacks> lacks_;                                          // by job
  std::map<JobId, WorkedOut> worked_out_;
};

}  // namespace berth::engine
