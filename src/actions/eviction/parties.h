#pragma once

#include <algorithm>
#include <vector>

#include "actions/eviction/policy.h"
#include "berth/engine/surplus.h"

namespace berth::actions {

// Has the queue more than its share of some resource?
bool is_overused(const engine::Session& session, QueueId queue);
// Of all that run: their surplus, and the jobs themselves. The search leaves out the claimant.
engine::PartSet parts_of_jobs(const engine::Session& session);
std::int32_t pods_of(const engine::Session& session, const engine::JobPart& part);
void add_spared(std::vector<Spared>& spared, Reason reason, std::int32_t pods);

// The parts of jobs that `is_concerned` names and on which the plugins agree (`ask`). The others
// are spared, for the reason that `why_not` gives. Rule VICTIM-2 of docs/design/victims.md.
template <class IsConcerned, class Ask, class WhyNot>
Parties parties_of(engine::Session& session, bool takes_whole_jobs, const IsConcerned& is_concerned,
                   const Ask& ask, const WhyNot& why_not) {
  using engine::JobPart;
  engine::PartSet asked = parts_of_jobs(session);
  std::erase_if(
      asked, [&](const JobPart& part) { return !is_concerned(session.cluster().job(part.job)); });
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
  return parties;
}

}  // namespace berth::actions
