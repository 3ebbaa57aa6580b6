#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "berth/base/strong_id.h"
#include "berth/model/objects.h"
#include "berth/model/selecting.h"

namespace berth::mirror {

// The cluster's default spreads of pods without constraints of their own, as kube-scheduler's
// PodTopologySpread makes them: SPREAD-8. Session thread only.
class DefaultSpreads {
 public:
  // Without pods: the selector is that of the objects that select the pod. None: nothing is kept.
  explicit DefaultSpreads(std::vector<SpreadConstraint> defaults)
      : defaults_(std::move(defaults)) {}
  bool are_any() const { return !defaults_.empty(); }

  void put(const SelectingObject& object);
  void remove(const SelectingDeleted& deleted);

  // Adds what the pod gets to its constraints. Of a pod with constraints of its own, or with a
  // node: nothing.
  void add_to(PodObject& pod) const;
  // The task of such a pod, which is now as add_to() left it; `pod` is as before that.
  void note(TaskId id, const PodObject& pod);
  void forget(TaskId id) { waiting_.erase(id); }

  struct Changed {
    TaskId task;
    std::string name_space;
    std::vector<SpreadConstraint> spreads;
  };
  // Of tasks noted in whose namespaces something has changed since the last call, by id.
  std::vector<Changed> take_changed();

 private:
  struct Waiting {
    std::string name_space;
    Labels labels;
    OwnerReference owner;
  };
  using Key = std::pair<SelectingKind, std::string>;  // by name

  std::vector<Expression> selector_of(const Waiting& pod) const;
  std::vector<SpreadConstraint> spreads_of(const Waiting& pod) const;

  std::vector<SpreadConstraint> defaults_;
  std::map<std::string, std::map<Key, PodSelector>> selecting_;  // by namespace
  std::map<TaskId, Waiting> waiting_;
  std::set<std::string> changed_;  // namespaces
};

}  // namespace berth::mirror
