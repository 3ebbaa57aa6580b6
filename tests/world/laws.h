#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "world/claim_law.h"
#include "world/inhabitants.h"
#include "world/queue_law.h"

namespace berth::world {

// A Binding and a lock may cross, and an eviction and a budget.
inline constexpr Duration kUnderWay = 1min;

// The laws that hold at every step, by the objects of the API server alone.
class Laws {
 public:
  Laws(Agenda& agenda, ApiServer& server, const Inhabitants& inhabitants);

  const std::vector<std::string>& broken() const { return broken_; }
  void break_law(const std::string& what);
  // Once a second: looks for faults that last.
  void second(bool is_led);
  // A write or a Binding of a berthd, as it is sent; `leads`: its lease holds.
  void sent(std::uint64_t epoch, std::uint64_t lease_epoch, bool leads);
  // Counts writes that change nothing.
  ports::WriteOutcome carry_out(const ports::Write& write);
  // An eviction is carried out. `reason`: "by preempt for default/j7: ..."
  void evicted(const ports::ObjectRef& pod, const std::string& reason);
  void eviction_failed(const std::string& pod_uid, const std::string& reason);
  ClaimLaw& claims() { return claims_; }
  // By a berthd.
  void logged(const std::string& line);
  // Nothing goes wrong from now on. Before, evictions may be in vain.
  void calm();
  // After the faults: everything that can run has run.
  void end();
  bool is_all_over() const;

 private:
  // A pod on a node that is locked for another.
  struct Trespass {
    std::string node;
    std::string locked_for;
    std::string pod;
    TimePoint at;
  };

  void check_budget(const PodObject& victim);
  void look_at_trespasses();
  std::int32_t minimum_of(const Job& job) const;
  void pod_changed(const ApiServer::Change& change);
  void check_room(const std::string& name, const PodObject& came);
  void check_lock(const NodeObject& node, const PodObject& came);
  // The group that a lock is for; null: a pod, or it is gone.
  const PodGroupObject* target_of(const std::string& locked_for) const;
  bool holds_target(const std::string& locked_for) const;
  bool waits(const std::string& locked_for) const;
  bool had_plan(const std::string& locked_for, TimePoint at) const;
  bool was_given_up(const std::string& locked_for, TimePoint since) const;
  void node_changed(const ApiServer::Change& change);
  bool may_leave(const Job& job);
  void look_at_gang(const Job& job);
  void look_at_idle_room();
  bool has_idle_room(const Job& job) const;
  bool is_feasible(const Job& job) const;
  std::int32_t count_bound(const Job& job, bool counts_leaving = false) const;

  Agenda& agenda_;
  ApiServer& server_;
  const Inhabitants& inhabitants_;
  std::vector<std::string> broken_;
  std::map<std::string, std::string> nodes_;   // of bound pods, by uid
  std::map<std::string, TimePoint> planned_;   // groups: a plan, or claims for which others left
  std::map<std::string, TimePoint> given_up_;  // groups: when they last were no target any more
  std::map<std::string, TimePoint> in_part_since_;  // gangs, by job
  std::set<std::string> has_started_;               // jobs that had their minimum once
  std::map<std::string, TimePoint> idle_since_;     // jobs that wait beside idle room
  // By node, as the API has it: the target's value, and since when.
  std::map<std::string, std::pair<std::string, TimePoint>> locks_;
  std::map<std::string, TimePoint> locked_since_;  // by node, as berthd writes it
  std::vector<Trespass> trespasses_;
  std::map<std::string, TimePoint> foreign_at_;    // by node: the last pod of another profile
  std::map<std::string, TimePoint> budget_since_;  // by budget: it is as it is
  bool is_calm_ = false;
  TimePoint calm_since_;
  ClaimLaw claims_;
  QueueLaw queues_;
  std::uint64_t epoch_ = 0;  // of the last write
  // Writes in a row that changed nothing, by object and kind of content.
  std::map<std::pair<std::string, std::size_t>, int> idle_in_a_row_;
  std::uint64_t idle_writes_ = 0;         // in the calm
  std::map<std::string, int> evictions_;  // by the job that they are for
};

}  // namespace berth::world
