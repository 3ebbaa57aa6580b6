#include "berth/model/volume_table.h"

#include "model/volume_store.h"

namespace berth {

VolumeTable::VolumeTable() : impl_(std::make_unique<Impl>()) {}
VolumeTable::~VolumeTable() = default;
VolumeTable::VolumeTable(VolumeTable&&) noexcept = default;
VolumeTable& VolumeTable::operator=(VolumeTable&&) noexcept = default;

void VolumeTable::put(const StorageObject& object) {
  std::visit([this](const auto& each) { impl_->put(each); }, object.object);
}

void VolumeTable::remove(StorageKind kind, const std::string& full_name) {
  impl_->remove(kind, full_name);
}

void VolumeTable::add_pod(TaskId pod, const std::string& name_space, const std::string& uid,
                          const VolumeWishes& wishes) {
  impl_->add_pod(pod, name_space, uid, wishes);
}

void VolumeTable::remove_pod(TaskId pod) { impl_->remove_pod(pod); }
bool VolumeTable::has_pod(TaskId pod) const { return impl_->has_pod(pod); }
bool VolumeTable::is_modelled(TaskId pod) const { return impl_->is_modelled(pod); }

VolumeNeeds VolumeTable::needs_of(TaskId pod, const std::string& full_name) const {
  return impl_->needs_of(pod, full_name);
}

bool VolumeTable::has_claims(TaskId pod) const { return impl_->has_claims(pod); }
void VolumeTable::mark_all_changed() { impl_->mark_all_changed(); }
std::vector<TaskId> VolumeTable::take_changed_pods() { return impl_->take_changed_pods(); }
std::vector<std::string> VolumeTable::take_changed_nodes() { return impl_->take_changed_nodes(); }
std::uint64_t VolumeTable::version() const { return impl_->version(); }

std::uint64_t VolumeTable::opened() const { return impl_->opened(); }
std::uint64_t VolumeTable::limits_version() const { return impl_->limits_version(); }

Reason VolumeTable::may_run_on(const VolumeNeeds& needs, const std::string& node,
                               const NodeLabels& labels) const {
  return impl_->may_run_on(needs, node, labels);
}

Reason VolumeTable::is_free(const VolumeNeeds& needs, const std::string& node,
                            const NodeLabels& labels) const {
  return impl_->is_free(needs, node, labels);
}

Reason VolumeTable::has_room(const VolumeNeeds& needs, const std::string& node, bool alone) const {
  return impl_->has_room(needs, node, alone);
}

VolumeTable::Attachable VolumeTable::attachable(const VolumeNeeds& needs,
                                                const std::string& node) const {
  return impl_->attachable(needs, node);
}

std::optional<std::vector<std::uint32_t>> VolumeTable::free_volumes(
    const VolumeNeed& need, const NodeLabels& labels) const {
  return impl_->free_volumes(need, labels);
}

void VolumeTable::place(TaskId pod, const std::string& node, const NodeLabels& labels) {
  impl_->place(pod, node, labels);
}

void VolumeTable::unplace(TaskId pod) { impl_->unplace(pod); }
std::string VolumeTable::node_of(TaskId pod) const { return impl_->node_of(pod); }
std::vector<std::string> VolumeTable::taken() const { return impl_->taken(); }

std::int64_t VolumeTable::count(const std::string& node, const std::string& driver) const {
  return impl_->count(node, driver);
}

}  // namespace berth
