#include "mirror/mirror.h"

// SPREAD-8. Pods get the cluster's default spreads before they become tasks. BOUND-3: relations are
// kept as far as their namespace may have them.

namespace berth::mirror {

void Mirror::on(const PodObject& object) {
  if (!default_spreads_.are_any()) return take(object);
  PodObject with_defaults = object;
  default_spreads_.add_to(with_defaults);
  take(with_defaults);
  if (const TaskId id = find_task(object.uid); id.is_valid()) default_spreads_.note(id, object);
}

void Mirror::settle_default_spreads() {
  for (DefaultSpreads::Changed& changed : default_spreads_.take_changed()) {
    Constraints constraints = cluster_.shape_of(changed.task).constraints;
    Relations& relations = constraints.relations;
    if (relations.spread == changed.spreads) continue;
    relations.spread = std::move(changed.spreads);
    relations.name_space = relations.are_empty() ? std::string() : changed.name_space;
    const std::string& uid = cluster_.task(changed.task).uid;
    if (!relation_bounds_.exchange(uid, changed.name_space, relations)) continue;
    cluster_.set_constraints(changed.task, constraints);
    if (const JobId job = cluster_.task(changed.task).job; job.is_valid()) mark_dirty(job);
  }
}

// BOUND-3. There is room for them now.
void Mirror::settle_relations() {
  for (const PodObject& pod : relation_bounds_.take_readmitted()) take(pod);
}

}  // namespace berth::mirror
