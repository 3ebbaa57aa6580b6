#include "mirror/composite_groups.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <variant>

#include "berth/base/look_up.h"
#include "berth/model/bounds.h"

namespace berth::mirror {

namespace {

bool has_its_place(const PodObject& pod) {
  return !pod.node_name.empty() && pod.phase != PodPhase::failed && !pod.terminating;
}

std::string sentence_about(const PodGroupObject& composite, const std::string& rest) {
  return "CompositePodGroup " + composite.full_name() + " " + rest;
}

}  // namespace

// All groups below the composites of one namespace, and their jobs.
class CompositeForest {
 public:
  CompositeForest(const CompositeGroups& all, std::string name_space)
      : all_(all), name_space_(std::move(name_space)) {
    add(
        all.children_, [](const PodGroupObject& group) -> const auto& { return group; });
    add(
        all.composites_,
        [](const CompositeGroupObject& each) -> const auto& { return each.group; });
    for (auto& [parent, members] : below_) {
      std::sort(members.begin(), members.end(), [](const auto* left, const auto* right) {
        return std::tie(left->created, left->name) < std::tie(right->created, right->name);
      });
    }
    plant_roots();
    for (const PodGroupObject* group : groups_) {
      if (is_seen(*group) || as_composite(*group) != nullptr) continue;
      give_alone(*group, "its CompositePodGroups are too many, or each below the other");
    }
  }

  std::map<std::string, PodGroupObject> given;  // by full name
  CompositeGroups::Places places;
  std::set<std::string> awaited;

 private:
  template <class Objects, class GroupOf>
  void add(const Objects& objects, GroupOf group_of) {
    const std::string prefix = name_space_ + "/";
    for (auto at = objects.lower_bound(prefix);
         at != objects.end() && at->first.starts_with(prefix); ++at) {
      const PodGroupObject& group = group_of(at->second);
      groups_.push_back(&group);
      if (!group.parent.empty()) below_[group.parent].push_back(&group);
    }
  }

  const CompositeGroupObject* composite(const std::string& name) const {
    return find_value(all_.composites_, name_space_ + "/" + name);
  }
  // Null: it is a group of pods.
  const CompositeGroupObject* as_composite(const PodGroupObject& group) const {
    const CompositeGroupObject* const found = composite(group.name);
    return found != nullptr && &found->group == &group ? found : nullptr;
  }
  bool is_seen(const PodGroupObject& group) const { return seen_.contains(&group); }

  void plant_roots() {
    for (const PodGroupObject* group : groups_) {
      if (group->parent.empty()) {
        plant(*group, "", 1);
      } else if (composite(group->parent) == nullptr) {
        plant(*group, "CompositePodGroup " + name_space_ + "/" + group->parent + " does not exist",
              1);
      }
    }
  }

  void give_alone(const PodGroupObject& group, const std::string& waits_for) {
    seen_.insert(&group);
    PodGroupObject& alone = given.insert_or_assign(group.full_name(), group).first->second;
    alone.waits_for = waits_for;
  }

  // KUBEGROUP-8. A group, or a composite, that starts by itself.
  void plant(const PodGroupObject& group, const std::string& waits_for, int level) {
    const CompositeGroupObject* const whole = as_composite(group);
    if (whole == nullptr) return give_alone(group, waits_for);
    if (level > CompositeGroupObject::kLevelsMost || !seen_.insert(&group).second) return;
    if (whole->min_groups == 0) {
      for (const PodGroupObject* each : below_[group.name]) plant(*each, waits_for, level + 1);
      return;
    }
    PodGroupObject job = group;
    job.min_member = 0;
    job.waits_for = waits_for;
    std::vector<const PodGroupObject*> later;
    gather(*whole, {}, level, job, later);
    job.min_member = std::max(1, job.min_member);
    if (!later.empty() && job.leaves_whole) {
      job.not_honoured.push_back(
          "spec.disruptionMode (all: the groups beyond minGroupCount leave "
          "by themselves)");
    }
    const std::string until = has_started(job) ? "" : sentence_about(group, "has not started yet");
    if (!until.empty() && !later.empty()) await(job);
    for (const PodGroupObject* each : later) plant(*each, until, level + 1);
    given.insert_or_assign(job.full_name(), std::move(job));
  }

  // KUBEGROUP-9. The first of the groups below it start with the job; the others are `later`.
  void gather(const CompositeGroupObject& whole, const std::vector<NearRule>& nearness, int level,
              PodGroupObject& job, std::vector<const PodGroupObject*>& later) {
    const auto& members = below_[whole.group.name];
    const auto wanted = static_cast<std::size_t>(whole.min_groups);
    if (members.size() < wanted && job.waits_for.empty()) {  // KUBEGROUP-10
      job.waits_for =
          sentence_about(whole.group, "has " + std::to_string(members.size()) + " of at least " +
                                          std::to_string(wanted) + " groups");
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      const PodGroupObject& member = *members[i];
      const CompositeGroupObject* const inner = as_composite(member);
      if (i >= wanted || (inner != nullptr && inner->min_groups == 0)) {
        later.push_back(&member);
        continue;
      }
      if (job.min_task_member.size() == bounds::kRolesOfGroup) {  // BOUND-2
        job.waits_for = sentence_about(
            job, "starts more than " + std::to_string(bounds::kRolesOfGroup) + " groups together");
        continue;
      }
      if (level >= CompositeGroupObject::kLevelsMost || !seen_.insert(&member).second) continue;
      std::vector<NearRule> near = nearness;  // KUBEGROUP-11
      for (NearRule rule : member.topology.rules) {
        rule.pods = {.say_so = true, .set = member.name};
        near.push_back(std::move(rule));
      }
      job.leaves_whole |= member.leaves_whole;
      job.never_preempts |= member.never_preempts;
      if (inner != nullptr) {
        gather(*inner, near, level + 1, job, later);
        continue;
      }
      job.min_member += member.min_member;
      job.min_task_member.emplace(member.name, member.min_member);
      places.emplace(member.full_name(), CompositeGroups::Place{job.name, std::move(near)});
    }
  }

  bool has_started(const PodGroupObject& job) const {
    if (job.written.is_scheduled) return true;
    return std::all_of(
        job.min_task_member.begin(), job.min_task_member.end(), [&](const auto& role) {
          const auto pods = all_.pods_of_.find(name_space_ + "/" + role.first);
          if (pods == all_.pods_of_.end()) return false;
          return role.second <= std::count_if(pods->second.begin(), pods->second.end(),
                                              [&](const std::string& uid) {
                                                return has_its_place(all_.pods_.at(uid));
                                              });
        });
  }

  void await(const PodGroupObject& job) {
    for (const auto& [role, minimum] : job.min_task_member)
      awaited.insert(name_space_ + "/" + role);
  }

  const CompositeGroups& all_;
  const std::string name_space_;
  std::vector<const PodGroupObject*> groups_;                        // composites, too
  std::map<std::string, std::vector<const PodGroupObject*>> below_;  // by name of a composite
  std::set<const PodGroupObject*> seen_;
};

void CompositeGroups::take(const ClusterEvent& event, const Give& give) {
  if (const auto* pod = std::get_if<PodObject>(&event)) return take_pod(*pod, give);
  if (const auto* group = std::get_if<PodGroupObject>(&event)) return take_group(*group, give);
  if (const auto* composite = std::get_if<CompositeGroupObject>(&event)) {
    composites_.insert_or_assign(composite->group.full_name(), *composite);
    changed_.insert(composite->group.name_space);
    return;
  }
  if (const auto* gone = std::get_if<CompositeGroupDeleted>(&event)) {
    if (composites_.erase(gone->full_name) > 0) changed_.insert(split_name(gone->full_name).first);
    return;
  }
  if (const auto* gone = std::get_if<PodGroupDeleted>(&event)) {
    if (children_.erase(gone->full_name) == 0) return give(event);
    changed_.insert(split_name(gone->full_name).first);
    return;
  }
  if (const auto* gone = std::get_if<PodDeleted>(&event)) forget_pod(gone->uid);
  give(event);
}

void CompositeGroups::take_pod(const PodObject& object, const Give& give) {
  if (!object.is_in_kube_group) {
    forget_pod(object.uid);
    return give(object);
  }
  const auto known = pods_.find(object.uid);
  const bool had_its_place = known != pods_.end() && has_its_place(known->second);
  forget_pod(object.uid);
  const std::string group = object.name_space + "/" + object.group;
  pods_.emplace(object.uid, object);
  pods_of_[group].insert(object.uid);
  give(given(object));
  if (has_its_place(object) && !had_its_place && awaited_.contains(group)) {
    changed_.insert(object.name_space);
  }
}

void CompositeGroups::forget_pod(const std::string& uid) {
  const auto known = pods_.find(uid);
  if (known == pods_.end()) return;
  erase_from(pods_of_, known->second.name_space + "/" + known->second.group, uid);
  pods_.erase(known);
}

void CompositeGroups::take_group(const PodGroupObject& object, const Give& give) {
  const std::string name = object.full_name();
  const bool was_child = children_.erase(name) > 0;
  if (!object.parent.empty()) {
    children_.emplace(name, object);
    changed_.insert(object.name_space);
    return;
  }
  // Or a settling to come would take it back.
  if (was_child || given_.contains(name)) renew(object.name_space, give);
  give(object);
}

void CompositeGroups::settle(const Give& give) {
  for (const std::string& name_space : std::exchange(changed_, {})) renew(name_space, give);
}

void CompositeGroups::renew(const std::string& name_space, const Give& give) {
  CompositeForest forest(*this, name_space);
  const std::string prefix = name_space + "/";
  const auto in_namespace = [&](const auto& entry) { return entry.first.starts_with(prefix); };

  std::set<std::string> moved;  // groups whose pods are given otherwise
  for (const auto& [group, place] : forest.places) {
    const auto before = places_.find(group);
    if (before == places_.end() || !(before->second == place)) moved.insert(group);
  }
  for (auto at = places_.lower_bound(prefix); at != places_.end() && in_namespace(*at); ++at) {
    if (!forest.places.contains(at->first)) moved.insert(at->first);
  }
  std::erase_if(places_, in_namespace);
  places_.merge(forest.places);
  std::erase_if(awaited_, [&](const std::string& name) { return name.starts_with(prefix); });
  awaited_.merge(forest.awaited);

  for (auto& [name, group] : forest.given) {
    const auto before = given_.find(name);
    if (before != given_.end() && before->second == group) continue;
    give(group);
  }
  std::vector<std::string> gone;
  for (auto at = given_.lower_bound(prefix); at != given_.end() && in_namespace(*at); ++at) {
    if (!forest.given.contains(at->first)) gone.push_back(at->first);
  }
  std::erase_if(given_, in_namespace);
  given_.merge(forest.given);
  for (const std::string& group : moved) {
    const auto pods = pods_of_.find(group);
    if (pods == pods_of_.end()) continue;
    for (const std::string& uid : pods->second) give(given(pods_.at(uid)));
  }
  for (const std::string& name : gone) give(PodGroupDeleted{name});
}

PodObject CompositeGroups::given(const PodObject& object) const {
  const auto place = places_.find(object.name_space + "/" + object.group);
  if (place == places_.end()) return object;
  PodObject pod = object;
  pod.group = place->second.group;
  pod.role = object.group;
  TopologyWish near{place->second.nearness, {}};
  add_wish(pod.topology, near);
  return pod;
}

}  // namespace berth::mirror
