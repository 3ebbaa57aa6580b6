#include "mirror/default_spreads.h"

#include <optional>
#include <utility>

#include "berth/base/look_up.h"
#include "berth/model/bounds.h"

namespace berth::mirror {

namespace {

bool may_have_defaults(const PodObject& pod) {
  const Relations& own = pod.constraints.relations;
  return pod.node_name.empty() && own.spread.empty() && own.preferred_spread.empty();
}

bool selects(const PodSelector& pods, const Labels& labels) {
  return !pods.matches_nothing && all_hold(pods.all, labels);
}

std::optional<SelectingKind> kind_of(const OwnerReference& owner) {
  const bool is_of_apps = owner.api_version == "apps/v1";
  if (owner.api_version == "v1" && owner.kind == "ReplicationController") {
    return SelectingKind::replication_controller;
  }
  if (is_of_apps && owner.kind == "ReplicaSet") return SelectingKind::replica_set;
  if (is_of_apps && owner.kind == "StatefulSet") return SelectingKind::stateful_set;
  return std::nullopt;
}

}  // namespace

void DefaultSpreads::put(const SelectingObject& object) {
  if (!are_any()) return;
  PodSelector& known = selecting_[object.name_space][{object.kind, object.name}];
  if (known == object.pods) return;
  known = object.pods;
  changed_.insert(object.name_space);
}

void DefaultSpreads::remove(const SelectingDeleted& deleted) {
  const auto [name_space, name] = split_name(deleted.full_name);
  const Key key{deleted.kind, name};
  const auto* const known = find_value(selecting_, name_space);
  if (known == nullptr || !known->contains(key)) return;
  erase_from(selecting_, name_space, key);
  changed_.insert(name_space);
}

// helper.DefaultSelector: all services that select the pod, and its controller.
std::vector<Expression> DefaultSpreads::selector_of(const Waiting& pod) const {
  std::vector<Expression> all;
  const auto found = selecting_.find(pod.name_space);
  if (found == selecting_.end()) return all;
  const auto add = [&all](const PodSelector& pods) {
    all.insert(all.end(), pods.all.begin(), pods.all.end());
  };
  std::size_t services = 0;
  for (const auto& [key, pods] : found->second) {
    if (key.first != SelectingKind::service || ++services > bounds::kServicesOfNamespace) break;
    if (selects(pods, pod.labels)) add(pods);
  }
  const std::optional<SelectingKind> kind = kind_of(pod.owner);
  const auto owner = found->second.find({kind.value_or(SelectingKind::service), pod.owner.name});
  if (kind && owner != found->second.end() && !owner->second.matches_nothing) add(owner->second);
  sort_once(all);
  return all;
}

std::vector<SpreadConstraint> DefaultSpreads::spreads_of(const Waiting& pod) const {
  std::vector<Expression> selector = selector_of(pod);
  if (selector.empty()) return {};
  std::vector<SpreadConstraint> spreads = defaults_;
  for (SpreadConstraint& spread : spreads) spread.pods = {selector, false};
  Relations relations;
  relations.spread = std::move(spreads);
  if (!bounds::excess_of(relations).empty()) return {};  // BOUND-6
  return std::move(relations.spread);
}

void DefaultSpreads::add_to(PodObject& pod) const {
  if (!are_any() || !may_have_defaults(pod)) return;
  Relations& relations = pod.constraints.relations;
  relations.spread = spreads_of({pod.name_space, pod.labels, pod.owner});
  if (!relations.spread.empty()) relations.name_space = pod.name_space;
}

void DefaultSpreads::note(TaskId id, const PodObject& pod) {
  if (!are_any()) return;
  if (may_have_defaults(pod)) {
    waiting_[id] = {pod.name_space, pod.labels, pod.owner};
  } else {
    waiting_.erase(id);
  }
}

std::vector<DefaultSpreads::Changed> DefaultSpreads::take_changed() {
  std::vector<Changed> changed;
  if (changed_.empty()) return changed;
  for (const auto& [id, pod] : waiting_) {
    if (changed_.contains(pod.name_space)) {
      changed.push_back({id, pod.name_space, spreads_of(pod)});
    }
  }
  changed_.clear();
  return changed;
}

}  // namespace berth::mirror
