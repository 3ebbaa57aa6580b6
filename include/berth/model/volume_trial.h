#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "berth/model/volume_table.h"

namespace berth {

// Pods that are tried on nodes: the volumes that they would take and attach there, beside what pods
// have. Nothing in the table changes. VOLUME-14 of docs/design/volumes.md. Session thread only.
//
// The table, the needs and the names of nodes must live as long as this, and stay the same.
class VolumeTrial {
 public:
  using NodeLabels = VolumeTable::NodeLabels;

  // `is_alone`: as if no pod had a node, and nothing were attached.
  VolumeTrial(const VolumeTable& table, bool is_alone);
  ~VolumeTrial();

  // How many of `count` such pods the node's volumes let it take, after those put before. Nothing
  // is tried afterwards that was not before.
  std::int32_t most(const VolumeNeeds& needs, const std::string& node, const NodeLabels& labels,
                    std::int32_t count);
  // Why it takes not even one of them; `none`: it does.
  Reason refusal(const VolumeNeeds& needs, const std::string& node, const NodeLabels& labels);
  // Not more than most() gave.
  void put(const VolumeNeeds& needs, const std::string& node, const NodeLabels& labels,
           std::int32_t count);

  // Takes back what was put since mark() gave this.
  std::size_t mark() const;
  void take_back_to(std::size_t mark);

 private:
  friend class VolumeTable;
  struct State;
  State& state();
  Reason put_late(const VolumeNeeds& needs, const std::string& node, const NodeLabels& labels);
  void change(const VolumeNeeds& needs, const std::string& node, std::int32_t pods);

  const VolumeTable& table_;
  bool is_alone_;
  std::unique_ptr<State> state_;  // from the first put() on
};

}  // namespace berth
