#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "berth/model/claim.h"
#include "world/inhabitants.h"

namespace berth::world {

// Room that others left for a job stays its own until it starts, unless something has happened that
// ends a claim (CLAIM-1, CLAIM-8, CLAIM-11). Judged by the annotation of the group: while the group
// waits, each eviction for it leads to a claim. One with "+evicted" does not vanish or become
// younger, nobody takes its room, and with it the job can start (VICTIM-10).
class ClaimLaw {
 public:
  ClaimLaw(Agenda& agenda, ApiServer& server, const Inhabitants& inhabitants,
           std::function<void(const std::string&)> break_law);

  // An eviction of the pod is sent for the job of this name.
  void evicted(const std::string& pod, const std::string& claimant);
  // kube-scheduler refused the plan of the group, which gives all back (HINT-3).
  void attempt_failed(const std::string& group) { group_touched_[group] = agenda_.now(); }
  // The group has a plan, which its status may not say yet.
  void planned(const std::string& group) { planned_[group] = agenda_.now(); }
  // It was refused or not answered: its claimant may have to give up, and others that claim what it
  // would have left over.
  void eviction_failed(const std::string& pod_uid, const std::string& claimant);
  // A plan of its job has failed, and gives all back.
  void binding_failed(const std::string& pod_uid);
  // A pod has come to its node.
  void bound(const PodObject& pod);
  // Its promises may not have been written.
  void leader_ended() { promised_.clear(); }
  void leader_changed();
  // How far clocks of berthd may be off.
  void set_skew(Duration skew) { skew_ = skew; }
  // Once a second. `is_led`: by a berthd.
  void second(bool is_led);
  // Of the node's cpu, for jobs that wait.
  std::int64_t claimed_on(const std::string& node) const;
  // Of its cpu, once those have left that leave.
  std::int64_t room_on(const NodeObject& node) const;

 private:
  // Room that others left for a job, and which it does not claim any more.
  struct Lost {
    std::string group;
    WrittenClaims claims;
    TimePoint until;            // then it is judged
    std::string taken_on = {};  // node to which another's pod came; empty: the job has given it up
  };

  void group_changed(const ApiServer::Change& change);
  void queue_changed(const ApiServer::Change& change);
  void pod_changed(const ApiServer::Change& change);
  void touch(const std::string& pod_uid);
  bool waits(const PodGroupObject& group) const;
  bool is_untouched(const std::string& group, TimePoint since) const;
  bool may_have_lost_a_plan(const std::string& group, TimePoint since) const;
  bool stands(const Lost& lost) const;
  void check_that_minimums_are_claimed();

  Agenda& agenda_;
  ApiServer& server_;
  const Inhabitants& inhabitants_;
  const std::function<void(const std::string&)> break_law_;
  Duration skew_{};
  std::map<std::string, WrittenClaims> claims_;     // by group, as the API has them
  std::map<std::string, std::int32_t> minimums_;    // by group
  std::map<std::string, TimePoint> node_touched_;   // by node
  std::map<std::string, TimePoint> foreign_at_;     // by node: another profile's pod (is to) come
  std::map<std::string, TimePoint> queue_touched_;  // by queue: its specification changed
  std::map<std::string, QueueObject> queues_;       // without their status
  std::map<std::string, TimePoint> group_touched_;  // by group: its pods or its minimum changed
  std::map<std::string, TimePoint> made_;           // groups: when this object of the name came
  std::map<std::string, TimePoint> planned_;        // groups: when they last had a plan
  std::map<std::string, TimePoint> promised_;       // groups for which others are to leave
  TimePoint leads_since_;                           // the present leader
  TimePoint some_node_touched_;
  TimePoint node_gone_;            // one of them, with what was claimed there
  std::set<std::string> evicted_;  // claimants and pods, of each request
  std::vector<Lost> lost_;
  std::map<std::string, TimePoint> short_since_;  // groups: less than the minimum is claimed
};

}  // namespace berth::world
