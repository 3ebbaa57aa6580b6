#include "mirror/topology_wishes.h"

#include <algorithm>

#include "berth/base/look_up.h"

namespace berth::mirror {

namespace {

constexpr int kAboveMax = 8;

}  // namespace

void TopologyWishes::note(TaskId task, JobId job, const TopologyWish& wish) {
  const bool says_nothing = wish.is_none() || !job.is_valid();
  if (const auto found = by_task_.find(task); found != by_task_.end()) {
    const bool is_known =
        !says_nothing && found->second.job == job && found->second.wish->first == wish;
    if (is_known) return;
    forget(task);
  }
  if (says_nothing) return;
  const auto counted = by_job_[job].try_emplace(wish, 0).first;
  ++counted->second;
  by_task_.emplace(task, Noted{job, counted});
}

void TopologyWishes::forget(TaskId task) {
  const auto found = by_task_.find(task);
  const auto [job, wish] = found->second;
  by_task_.erase(found);
  if (--wish->second == 0) erase_from(by_job_, job, wish);
}

TopologyWish TopologyWishes::of(JobId job) const {
  TopologyWish all;
  const auto found = by_job_.find(job);
  if (found == by_job_.end()) return all;
  for (const auto& [wish, pods] : found->second) add_wish(all, wish);
  return all;
}

bool TopologyWishes::says(TaskId task, const NearRule& rule) const {
  const auto found = by_task_.find(task);
  if (found == by_task_.end()) return false;
  const std::vector<NearRule>& rules = found->second.wish->first.rules;
  return std::binary_search(rules.begin(), rules.end(), rule);
}

std::set<std::string> TopologyWishes::note_owner(const OwnerObject& object) {
  const Owner now{object.name_space, object.controller.uid, object.topology};
  if (now.wish.is_none() && now.controller.empty()) return forget_owner(object.uid);
  Owner& known = owners_[object.uid];
  if (known == now) return {};
  const bool had_any = !of_owner(object.uid, known.name_space).is_none();
  if (!known.wish.is_none()) --owners_with_wish_;
  if (!now.wish.is_none()) ++owners_with_wish_;
  set_controller(object.uid, known.controller, now.controller);
  known = now;
  if (!had_any && of_owner(object.uid, now.name_space).is_none()) return {};
  return with_those_below(object.uid);
}

std::set<std::string> TopologyWishes::forget_owner(const std::string& uid) {
  const auto found = owners_.find(uid);
  if (found == owners_.end()) return {};
  const bool had_any = !of_owner(uid, found->second.name_space).is_none();
  if (!found->second.wish.is_none()) --owners_with_wish_;
  set_controller(uid, found->second.controller, {});
  owners_.erase(found);
  return had_any ? with_those_below(uid) : std::set<std::string>();
}

void TopologyWishes::set_controller(const std::string& uid, const std::string& from,
                                    const std::string& to) {
  erase_from(below_, from, uid);
  if (!to.empty()) below_[to].insert(uid);
}

std::set<std::string> TopologyWishes::with_those_below(const std::string& uid) const {
  std::set<std::string> uids{uid};
  std::vector<std::string> last{uid};
  for (int depth = 0; depth < kAboveMax && !last.empty(); ++depth) {
    std::vector<std::string> next;
    for (const std::string& each : last) {
      const auto found = below_.find(each);
      if (found == below_.end()) continue;
      for (const std::string& below : found->second) {
        if (uids.insert(below).second) next.push_back(below);
      }
    }
    last = std::move(next);
  }
  return uids;
}

TopologyWish TopologyWishes::of_owner(const std::string& uid, const std::string& name_space) const {
  TopologyWish all;
  auto found = owners_.find(uid);
  for (int depth = 0; depth < kAboveMax && found != owners_.end(); ++depth) {
    const Owner& owner = found->second;
    if (owner.name_space != name_space) break;
    add_wish(all, owner.wish);
    found = owners_.find(owner.controller);
  }
  return all;
}

}  // namespace berth::mirror
