#include "mirror/group_owner.h"

#include "berth/base/look_up.h"

namespace berth::mirror {

GroupOwner owner_of(const GroupEvidence& evidence, const std::vector<std::string>& ours) {
  const auto is_ours = [&](const std::string& scheduler) { return is_any_of(scheduler, ours); };
  // OWNER-1. The group's pods decide. While an operator replaces all of them, the group has none
  // for a moment.
  if (evidence.has_our_pods) return GroupOwner::ours;
  if (evidence.has_others_pods) return GroupOwner::others;
  if (evidence.had_our_pods) return GroupOwner::ours;
  // OWNER-2, OWNER-3. Operators create pods only after the group's admission. Until then,
  // annotations decide.
  for (const std::string* scheduler : {&evidence.scheduler, &evidence.queue_scheduler}) {
    if (!scheduler->empty()) return is_ours(*scheduler) ? GroupOwner::ours : GroupOwner::others;
  }
  // OWNER-4. The case after a restart.
  if (evidence.bears_our_marks) return GroupOwner::ours;
  // OWNER-5. Berth replaces Volcano here.
  if (evidence.is_volcano && is_ours("volcano")) return GroupOwner::ours;
  return GroupOwner::unclaimed;  // OWNER-6
}

}  // namespace berth::mirror
