#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

#include "mirror/owned_gangs.h"

// Owners, their pods, and what these are given.

namespace berth::mirror {
inline constexpr TimePoint kStart{std::chrono::hours(1)};

inline OwnerReference reference(const std::string& api_version, const std::string& kind,
                                const std::string& name) {
  return {api_version, kind, name, "uid-" + kind + "-" + name};
}

inline OwnerObject owner_of(const OwnerReference& self, std::optional<std::int32_t> at_once) {
  OwnerObject owner;
  owner.uid = self.uid;
  owner.name_space = "ml";
  owner.self = self;
  owner.at_once = at_once;
  return owner;
}

inline OwnerObject job(const std::string& name, std::int32_t at_once) {
  return owner_of(reference("batch/v1", "Job", name), at_once);
}

inline PodObject pod_of(const OwnerReference& owner, const std::string& name) {
  PodObject pod;
  pod.name_space = "ml";
  pod.name = name;
  pod.uid = "uid-" + name;
  pod.created = kStart;
  pod.scheduler_name = "berth";
  pod.owner = owner;
  return pod;
}

inline GangWish wish(const std::string& value) { return {kGangAnnotation, value}; }

class OwnedGangsTest : public ::testing::Test {
 protected:
  void use(GangRule rule) { options_.gangs = rule; }
  void take(const ClusterEvent& event) {
    gangs().take(event, now_, [this](const ClusterEvent& given) { keep(given); });
  }
  void take_pods(const OwnerReference& owner, int count, const GangWish& gang = {}) {
    for (int i = 0; i < count; ++i) {
      PodObject pod = pod_of(owner, owner.name + "-" + std::to_string(i));
      pod.gang = gang;
      take(pod);
    }
  }
  void wait(Duration time) {
    now_ += time;
    gangs().settle(now_, [this](const ClusterEvent& given) { keep(given); });
  }
  const PodObject& pod(const std::string& name) { return given_.at("uid-" + name); }
  // The PodGroup that Berth made for the only group.
  PodGroupObject make_group() {
    PodGroupObject made;
    made.name_space = group().name_space;
    made.name = group().name;
    made.uid = "uid-of-group";
    made.min_member = group().min_member;
    made.queue = group().queue;
    made.owner_uid = group().owner.uid;
    made.is_made_by_berth = true;
    return made;
  }
  // As it was given last.
  const PodGroupObject& given_group() { return given_groups_.at("uid-of-group"); }
  // berthd starts again.
  void restart() {
    gangs_.reset();
    given_.clear();
    given_groups_.clear();
  }
  // The only group.
  const OwnedGroup& group() {
    EXPECT_EQ(gangs().groups().size(), 1U);
    static const OwnedGroup kNone;
    return gangs().groups().empty() ? kNone : gangs().groups().begin()->second;
  }
  OwnedGangs& gangs() {
    if (!gangs_) gangs_.emplace(options_);
    return *gangs_;
  }

  Options options_;
  TimePoint now_ = kStart;
  std::map<std::string, PodObject> given_;
  std::map<std::string, PodGroupObject> given_groups_;

 private:
  void keep(const ClusterEvent& given) {
    if (const auto* pod = std::get_if<PodObject>(&given)) given_[pod->uid] = *pod;
    const auto* group = std::get_if<PodGroupObject>(&given);
    if (group != nullptr) given_groups_[group->uid] = *group;
  }
  std::optional<OwnedGangs> gangs_;
};

}  // namespace berth::mirror
