#pragma once

#include <memory>

#include "berth/engine/session.h"
#include "berth/engine/unmet_guarantees.h"

namespace berth::plugins {

// Decides which queues may reclaim room, and from which others: rules RECLAIM-2 to RECLAIM-5 of
// docs/design/reclaim.md. `shares` and `unmet` are those of the plugin proportion, as they are at
// each question.
class ReclaimRules {
 public:
  void attach(engine::Session& session, const std::shared_ptr<const QueueShares>& shares,
              const engine::UnmetGuarantees& unmet);

  // RECLAIM-3, for claimants of all other queues: might such a part leave, where the queue is
  // beyond its share? By its position.
  bool could_leave(std::uint32_t at, engine::JobPart::Kind kind) const;

 private:
  engine::Verdict is_entitled(const Job& job, const engine::Need& need);
  engine::Opinion<engine::PartSet> may_be_asked(const Job& claimant,
                                                const engine::PartSet& candidates);
  engine::Verdict is_within_capability(const Queue& queue, const Task& task);
  engine::Verdict may_lose(const engine::Claimant& claimant, const engine::Leaving& leaving);

  engine::Verdict is_within_share(std::uint32_t at, const engine::Claimant& claimant) const;
  engine::Verdict queue_may_lose(std::uint32_t at, const engine::Claimant& claimant,
                                 const engine::Leaving& leaving) const;
  // Its use, and the idle room on nodes of its own or of queues below it.
  std::int64_t holds(std::uint32_t at, Dimension d) const;
  void add_idle(NodeId node, QueueId owner) const;
  engine::Verdict keeps_guarantee(std::uint32_t at, const Resources& leaves) const;
  Resources amount_of(const engine::Leaving& leaving) const;
  bool is_beyond(std::uint32_t at, const engine::Claimant& claimant, const Resources& kept,
                 const Resources& leaves) const;
  const char* way_in(const Job& job) const;
  bool is_due(const engine::Claimant& claimant) const;
  std::int64_t entitlement(std::uint32_t at, Dimension d) const;
  std::uint32_t position_of(JobId job) const;

  engine::Session* session_ = nullptr;
  const std::shared_ptr<const QueueShares>* shares_ = nullptr;
  const engine::UnmetGuarantees* unmet_ = nullptr;
  mutable std::uint64_t idle_stamp_ = 0;  // of the cluster for which idle_ holds
  mutable std::vector<std::int64_t> idle_;
};

}  // namespace berth::plugins
