#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "berth/model/volume_table.h"

namespace berth {

inline constexpr std::int64_t kGi = std::int64_t{1} << 30;

// Claims in namespace "ml", and nodes that have a zone each.
class Volumes : public ::testing::Test {
 protected:
  using NodeLabels = VolumeTable::NodeLabels;

  void add_class(const std::string& name, const std::string& provisioner,
                 BindingMode mode = BindingMode::wait_for_first_consumer) {
    table_.put({StorageClassObject{name, provisioner, mode, {}}});
  }
  static ClaimObject claim(const std::string& name, const std::string& of_class = "local",
                           std::int64_t size = 10 * kGi) {
    ClaimObject object;
    object.name_space = "ml";
    object.name = name;
    object.uid = "uid-" + name;
    object.class_name = of_class;
    object.size = size;
    object.modes = kReadWriteOnce;
    return object;
  }
  static ClaimObject bound(const std::string& name, const std::string& volume) {
    ClaimObject object = claim(name);
    object.volume = volume;
    object.is_bind_completed = true;
    return object;
  }
  // A free volume.
  static VolumeObject volume(const std::string& name, std::int64_t size = 10 * kGi) {
    VolumeObject object;
    object.name = name;
    object.class_name = "local";
    object.size = size;
    object.modes = kReadWriteOnce;
    object.is_available = true;
    return object;
  }
  static VolumeObject reachable_by(VolumeObject object, const std::string& label,
                                   const std::string& value) {
    object.affinity = {{{{label, Operator::in, {value}}}, {}}};
    return object;
  }
  static VolumeObject on_node(VolumeObject object, const std::string& node) {
    return reachable_by(std::move(object), "kubernetes.io/hostname", node);
  }
  static VolumeObject of_driver(VolumeObject object, const std::string& driver) {
    object.driver = driver;
    object.handle = "h-" + object.name;
    return object;
  }

  TaskId add_pod(std::vector<std::string> claims) {
    VolumeWishes wishes;
    for (std::string& each : claims) wishes.claims.push_back({std::move(each), false});
    return add_pod_with(wishes);
  }
  TaskId add_pod_with(const VolumeWishes& wishes) {
    const TaskId id(pods_++);
    table_.add_pod(id, "ml", "uid-of-" + name_of(id), wishes);
    return id;
  }
  static std::string name_of(TaskId id) { return "ml/p" + std::to_string(id.index()); }
  VolumeNeeds needs_of(TaskId id) const { return table_.needs_of(id, name_of(id)); }
  std::string fault_of(TaskId id) const { return needs_of(id).fault; }

  NodeLabels labels_of(const std::string& node) const {
    NodeLabels labels{{"kubernetes.io/hostname", node}};
    if (const auto found = zones_.find(node); found != zones_.end()) {
      labels["topology.kubernetes.io/zone"] = found->second;
    }
    return labels;
  }
  // "ok", or the first refusal in kube-scheduler's order of plugins, but for disks.
  std::string asks(TaskId id, const std::string& node) const {
    return asks(id, node, labels_of(node));
  }
  std::string asks(TaskId id, const std::string& node, const NodeLabels& labels) const {
    const VolumeNeeds needs = needs_of(id);
    if (!needs.fault.empty()) return needs.fault;
    Reason reason = table_.is_free(needs, node, labels);
    const Reason room = table_.has_room(needs, node);
    if (reason != Reason::claim_in_use && room != Reason::none) reason = room;
    Reason node_refuses = table_.may_run_on(needs, node, labels);
    if (node_refuses == Reason::none && !zones_hold(needs, labels)) {
      node_refuses = Reason::volume_zone;
    }
    if (reason == Reason::none ||
        (reason == Reason::no_volume_to_bind && node_refuses != Reason::none)) {
      reason = node_refuses;
    }
    return reason == Reason::none ? "ok" : std::string(code(reason));
  }
  void place(TaskId id, const std::string& node) { table_.place(id, node, labels_of(node)); }

  VolumeTable table_;
  std::map<std::string, std::string> zones_;
  std::size_t pods_ = 0;
};

}  // namespace berth
