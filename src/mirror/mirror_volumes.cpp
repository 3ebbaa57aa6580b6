#include <algorithm>

#include "mirror/mirror.h"

// Claims, volumes, and who mounts them. docs/design/volumes.md.

namespace berth::mirror {

namespace {

void set(std::vector<std::string>& names, const char* name, bool is_there) {
  std::erase(names, name);
  if (is_there) names.insert(std::upper_bound(names.begin(), names.end(), name), name);
}

}  // namespace

void Mirror::on(const StorageObject& object) { cluster_.mutable_volumes().put(object); }

void Mirror::on(const StorageDeleted& deleted) {
  cluster_.mutable_volumes().remove(deleted.kind, deleted.full_name);
}

void Mirror::on(const StorageKnown& known) {
  if (std::exchange(knows_volumes_, known.is_known) == known.is_known) return;
  cluster_.mutable_volumes().mark_all_changed();
}

// Claims of a pod that has a node admit it, so pods of one kind then have the same shape. The
// volumes that it has there are counted all the same.
void Mirror::fill_volumes(TaskId id, const std::string& pod, bool has_node, VolumeNeeds& needs,
                          std::vector<std::string>& unmodelled) const {
  const VolumeTable& volumes = cluster_.relations().volumes();
  needs = VolumeNeeds();
  set(unmodelled, "lateBindingVolume", !knows_volumes_ && volumes.has_claims(id));
  set(unmodelled, "migratedVolume", knows_volumes_ && !volumes.is_modelled(id));
  if (!knows_volumes_) return;
  needs = volumes.needs_of(id, pod);
  if (!has_node) return;
  needs = {{}, std::move(needs.disks), true, false, {}};
}

void Mirror::settle_volumes() {
  VolumeTable& volumes = cluster_.mutable_volumes();
  for (const TaskId id : volumes.take_changed_pods()) {
    const Task& task = cluster_.task(id);
    const TaskStatus status = task.status;
    const bool has_node = status != TaskStatus::pending && status != TaskStatus::binding &&
                          status != TaskStatus::pipelined;
    const Constraints& before = cluster_.shape_of(id).constraints;
    VolumeNeeds needs;
    std::vector<std::string> unmodelled = before.unmodelled;
    fill_volumes(id, task.name, has_node, needs, unmodelled);
    if (needs == before.volumes && unmodelled == before.unmodelled) continue;
    Constraints constraints = before;
    constraints.volumes = std::move(needs);
    constraints.unmodelled = std::move(unmodelled);
    cluster_.set_constraints(id, constraints);
    if (task.job.is_valid()) mark_dirty(task.job);
  }
  const std::vector<std::string> nodes = volumes.take_changed_nodes();
  const bool about_all = std::exchange(volumes_version_, volumes.version()) != volumes.version();
  if (about_all || !nodes.empty()) cluster_.note_volumes(about_all, nodes);
}

}  // namespace berth::mirror
