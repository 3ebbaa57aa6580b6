#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "actions/eviction/policy.h"
#include "berth/engine/surplus.h"

namespace berth::actions {

// Has the queue more than its share of some resource?
bool is_overused(const engine::Session& session, QueueId queue);
// All that run: their surplus, and the jobs themselves. Kept for one state of the cluster.
class PartsOfJobs {
 public:
  explicit PartsOfJobs(const engine::Session& session) : session_(session) {}

  // Those of queues that `is_concerned` names. The search leaves out the claimant's.
  template <class IsConcerned>
  engine::PartSet of(const IsConcerned& is_concerned) {
    refresh();
    engine::PartSet parts;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      if (is_concerned(queues_[p])) parts.push_back(parts_[p]);
    }
    return parts;
  }
  // On nodes, without those that come with the nodes. Other schedulers have them.
  std::int32_t pods_of_others();

 private:
  void refresh();

  const engine::Session& session_;
  std::uint64_t stamp_ = 0;
  engine::PartSet parts_;
  std::vector<QueueId> queues_;  // of the parts
  std::optional<std::int32_t> pods_of_others_;
};
std::int32_t pods_of(const engine::Session& session, const engine::JobPart& part);
void add_spared(std::vector<Spared>& spared, Reason reason, std::int32_t pods);
void sort_most_first(std::vector<Spared>& spared);

// The parts of jobs of queues that `is_concerned` names and on which the plugins agree (`ask`). The
// others are spared, for the reason that `why_not` gives. Rule VICTIM-2 of docs/design/victims.md.
template <class IsConcerned, class Ask, class WhyNot>
Parties parties_of(engine::Session& session, PartsOfJobs& all, bool takes_whole_jobs,
                   const IsConcerned& is_concerned, const Ask& ask, const WhyNot& why_not) {
  using engine::JobPart;
  const engine::PartSet asked = all.of(is_concerned);
  Parties parties;
  parties.parts = ask(asked);
  auto next = parties.parts.begin();
  for (const JobPart& part : asked) {
    if (next != parties.parts.end() && *next == part) {
      ++next;
    } else {
      add_spared(parties.spared, why_not(part), pods_of(session, part));
    }
  }
  std::erase_if(parties.parts, [&](const JobPart& part) {
    if (takes_whole_jobs || part.kind != JobPart::Kind::whole) return false;
    add_spared(parties.spared, Reason::gang_minimum, pods_of(session, part));
    return true;
  });
  if (all.pods_of_others() > 0) {
    add_spared(parties.spared, Reason::not_managed, all.pods_of_others());
  }
  return parties;
}

// Does it depend on other pods where one of these may go?
bool depend_on_others(const Cluster& cluster, const std::vector<TaskId>& tasks);

// For its user. `could_leave`: how many pods could have.
std::string why_it_leaves(const Cluster& cluster, const PlannedEviction& eviction,
                          std::int32_t could_leave);

}  // namespace berth::actions
