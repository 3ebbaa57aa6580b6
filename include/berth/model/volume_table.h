#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/strong_id.h"
#include "berth/model/reason.h"
#include "berth/model/volumes.h"

namespace berth {

// The claims and volumes of the cluster, who mounts them, and what the pods that have a node take
// of them. docs/design/volumes.md has the rules. Session thread only.
//
// Only Cluster and the mirror write. Objects may come in any order.
class VolumeTable {
 public:
  using NodeLabels = std::map<std::string, std::string>;

  VolumeTable();
  ~VolumeTable();
  VolumeTable(VolumeTable&&) noexcept;
  VolumeTable& operator=(VolumeTable&&) noexcept;

  void put(const StorageObject& object);
  void remove(StorageKind kind, const std::string& full_name);

  // --- pods -----------------------------------------------------------------------------------
  // What a pod mounts. Once for each pod that mounts anything; its volumes never change.
  void add_pod(TaskId pod, const std::string& name_space, const std::string& uid,
               const VolumeWishes& wishes);
  void remove_pod(TaskId pod);  // it has no node; ignored if it was not added
  bool has_pod(TaskId pod) const;
  // False: a volume of it is of an in-tree kind that a CSI driver serves. The pod is a hint.
  bool is_modelled(TaskId pod) const;
  // Of the pod of this name, namespace/name; as long as it has no node.
  VolumeNeeds needs_of(TaskId pod, const std::string& full_name) const;
  bool has_claims(TaskId pod) const;

  void mark_all_changed();
  // Pods whose needs may have changed since the last call, in order of their ids.
  std::vector<TaskId> take_changed_pods();
  // Nodes whose limits or attachments have changed since the last call, in order of their names.
  std::vector<std::string> take_changed_nodes();
  // Changes with what `may_run_on` answers about late claims, while pods have such claims.
  std::uint64_t version() const;
  // Changes whenever a pod may run where others were in its way, by `is_free`.
  std::uint64_t opened() const;
  // Changes with the limits of any node.
  std::uint64_t limits_version() const;

  // --- answers: `none`, or the first refusal --------------------------------------------------
  // VOLUME-1 to VOLUME-3 and VOLUME-5 to VOLUME-8 by the node's name and labels, whatever pods have
  // taken.
  Reason may_run_on(const VolumeNeeds& needs, const std::string& node,
                    const NodeLabels& labels) const;
  // VOLUME-6 and VOLUME-9 beside what pods have taken, and VOLUME-12: a late claim that another pod
  // of the plan mounts, too, follows that pod.
  Reason is_free(const VolumeNeeds& needs, const std::string& node, const NodeLabels& labels) const;
  // VOLUME-11. `alone`: as if no pod were there, and nothing attached.
  Reason has_room(const VolumeNeeds& needs, const std::string& node, bool alone = false) const;

  // --- bounds ---------------------------------------------------------------------------------
  // VOLUME-14. How many such pods the node attaches volumes for, if nothing else is there. `driver`
  // limits them: each pod has `each` volumes of it. An empty `driver`: nothing limits them.
  struct Attachable {
    std::int64_t pods = 0;
    std::string_view driver;  // lives as long as `needs`
    std::int64_t each = 0;
    std::int64_t limit = 0;
  };
  Attachable attachable(const VolumeNeeds& needs, const std::string& node) const;
  // VOLUME-14. The free volumes that a late claim could take on a node with these labels, by
  // numbers, whatever pods have taken. None: no free volume is needed, one can be provisioned.
  std::optional<std::vector<std::uint32_t>> free_volumes(const VolumeNeed& need,
                                                         const NodeLabels& labels) const;

  // --- accounts (VOLUME-12) -------------------------------------------------------------------
  // The pod has this node from now on. A pod that was not added is ignored.
  void place(TaskId pod, const std::string& node, const NodeLabels& labels);
  // The inverse. Ignored if it has none.
  void unplace(TaskId pod);
  // The free volumes that pods have taken, "claim volume", in order. For laws and tests.
  std::vector<std::string> taken() const;
  std::string node_of(TaskId pod) const;  // empty: it has none
  // On the node: volumes of the driver, by pods or attached.
  std::int64_t count(const std::string& node, const std::string& driver) const;

 private:
  friend class VolumeTrial;
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// VOLUME-4. Are bound volumes in the zone and region of a node with these labels?
bool zones_hold(const VolumeNeeds& needs, const VolumeTable::NodeLabels& labels);

// Do disks of two pods conflict on one node? VOLUME-10.
bool conflict(const Disk& left, const Disk& right);

// A key of a shape for these needs: equal exactly if they are.
void append_key(std::string& key, const VolumeNeeds& needs);

}  // namespace berth
