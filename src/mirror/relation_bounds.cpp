#include "mirror/relation_bounds.h"

namespace berth::mirror {

namespace {

constexpr std::size_t kNewsMost = 10;

struct Bound {
  std::size_t bounds::RelationSize::*size;
  std::size_t most;
  const char* what;
};

constexpr Bound kBounds[] = {
    {&bounds::RelationSize::terms, bounds::kTermsOfNamespace,
     "different terms of pod affinity and topology spreads"},
    {&bounds::RelationSize::wide, bounds::kWideTermsOfNamespace,
     "different terms of pod affinity about other namespaces"},
    {&bounds::RelationSize::items, bounds::kTermItemsOfNamespace,
     "labels, values and namespaces in pod affinity and topology spreads"}};

}  // namespace

const PodObject& RelationBounds::admitted(const PodObject& pod) {
  const Relations& relations = pod.constraints.relations;
  if (relations.are_empty()) {
    forget(pod.uid);
    return pod;
  }
  if (exchange(pod.uid, pod.name_space, relations)) {
    end_leaving_out(pod.uid);
    return pod;
  }
  give_back(pod.uid);
  std::string why;
  if (has_room(spaces_[pod.name_space], relations, &why)) {
    take(pod.uid, pod.name_space, relations);
    end_leaving_out(pod.uid);
    return pod;
  }
  if (!left_out_.contains(pod.uid)) {
    if (news_.size() < kNewsMost) {
      news_.push_back("pod " + pod.full_name() + " is taken in without its pod affinity and " +
                      "topology spreads: its namespace has " + why);
    } else {
      ++further_news_;
    }
  }
  end_leaving_out(pod.uid);
  spaces_[pod.name_space].left_out.emplace(pod.created, pod.uid);
  admitted_ = pod;
  admitted_.constraints.relations = {};
  if (admitted_.constraints.excess.reason == Reason::none) {
    admitted_.constraints.excess = {Reason::namespace_too_large, why};
  }
  left_out_[pod.uid] = pod;
  return admitted_;
}

bool RelationBounds::has_room(const Space& space, const Relations& relations,
                              std::string* why) const {
  if (space.in_use.contains(relations)) return true;
  bounds::RelationSize with_it = space.size;
  with_it += bounds::size_of(relations);
  for (const Bound& bound : kBounds) {
    if (with_it.*bound.size <= bound.most) continue;
    if (why != nullptr) {
      *why = std::to_string(with_it.*bound.size) + " " + bound.what + ", at most " +
             std::to_string(bound.most);
    }
    return false;
  }
  return true;
}

bool RelationBounds::exchange(const std::string& uid, const std::string& name_space,
                              const Relations& relations) {
  const auto known = pods_.find(uid);
  const bool has_them = known != pods_.end() && known->second.name_space == name_space &&
                        known->second.relations->first == relations;
  if (has_them) return true;
  if (relations.are_empty()) {
    give_back(uid);
    return true;
  }
  if (!has_room(spaces_[name_space], relations, nullptr)) {
    drop_if_empty(name_space);
    return false;
  }
  // Before the others are given back: those may be the last use of the same.
  const Relations mine = relations;
  give_back(uid);
  take(uid, name_space, mine);
  return true;
}

void RelationBounds::take(const std::string& uid, const std::string& name_space,
                          const Relations& relations) {
  Space& space = spaces_[name_space];
  const auto [entry, is_new] = space.in_use.try_emplace(relations, 0);
  if (is_new) space.size += bounds::size_of(relations);
  ++entry->second;
  pods_[uid] = {name_space, entry};
}

void RelationBounds::give_back(const std::string& uid) {
  const auto known = pods_.find(uid);
  if (known == pods_.end()) return;
  const auto [name_space, relations] = std::move(known->second);
  pods_.erase(known);
  if (--relations->second > 0) return;
  Space& space = spaces_.at(name_space);
  space.size -= bounds::size_of(relations->first);
  space.in_use.erase(relations);
  if (!space.left_out.empty()) with_room_.insert(name_space);
  drop_if_empty(name_space);
}

void RelationBounds::end_leaving_out(const std::string& uid) {
  const auto known = left_out_.find(uid);
  if (known == left_out_.end()) return;
  const std::string name_space = known->second.name_space;
  spaces_.at(name_space).left_out.erase({known->second.created, uid});
  left_out_.erase(known);
  drop_if_empty(name_space);
}

void RelationBounds::drop_if_empty(const std::string& name_space) {
  const auto space = spaces_.find(name_space);
  if (space == spaces_.end()) return;
  if (space->second.in_use.empty() && space->second.left_out.empty()) spaces_.erase(space);
}

void RelationBounds::forget(const std::string& uid) {
  if (pods_.empty() && left_out_.empty()) return;
  end_leaving_out(uid);
  give_back(uid);
}

std::vector<PodObject> RelationBounds::take_readmitted() {
  std::vector<PodObject> readmitted;
  for (const std::string& name : std::exchange(with_room_, {})) {
    const auto found = spaces_.find(name);
    if (found == spaces_.end()) continue;
    Space with_them;
    with_them.size = found->second.size;
    for (const auto& [created, uid] : found->second.left_out) {
      const PodObject& pod = left_out_.at(uid);
      const Relations& relations = pod.constraints.relations;
      const bool is_known =
          found->second.in_use.contains(relations) || with_them.in_use.contains(relations);
      if (!is_known) {
        if (!has_room(with_them, relations, nullptr)) break;
        with_them.size += bounds::size_of(relations);
        with_them.in_use.try_emplace(relations, 1);
      }
      readmitted.push_back(pod);
    }
  }
  return readmitted;
}

std::vector<std::string> RelationBounds::take_news() {
  if (further_news_ > 0) {
    news_.push_back("so are " + std::to_string(std::exchange(further_news_, 0)) + " other pods");
  }
  return std::exchange(news_, {});
}

}  // namespace berth::mirror
