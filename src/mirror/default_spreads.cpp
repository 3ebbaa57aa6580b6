#include "mirror/default_spreads.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "berth/model/bounds.h"

namespace berth::mirror {

namespace {

bool may_have_defaults(const PodObject& pod) {
  const Relations& own = pod.constraints.relations;
  return pod.node_name.empty() && own.spread.empty() && own.preferred_spread.empty();
}

const std::string* find(const Labels& labels, const std::string& key) {
  const auto found = std::find_if(labels.begin(), labels.end(),
                                  [&](const auto& label) { return label.first == key; });
  return found == labels.end() ? nullptr : &found->second;
}

bool selects(const PodSelector& pods, const Labels& labels) {
  return !pods.matches_nothing &&
         std::all_of(pods.all.begin(), pods.all.end(), [&](const Expression& each) {
           return expression_holds(each, find(labels, each.key));
         });
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
  const std::size_t slash = deleted.full_name.find('/');
  const std::string name_space = deleted.full_name.substr(0, slash);
  const auto found = selecting_.find(name_space);
  if (found == selecting_.end()) return;
  if (found->second.erase({deleted.kind, deleted.full_name.substr(slash + 1)}) == 0) return;
  if (found->second.empty()) selecting_.erase(found);
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
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
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
