#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "berth/model/objects.h"
#include "ports/exchange.h"
#include "ports/plan_table.h"

namespace berth::extender {

// Pods that a filter call sent to another node than planned (docs/design/steering.md): because
// kube-scheduler had ruled the planned one out (STEER-12), or because it tried them in another
// order than planned (STEER-16). Kept until the session thread publishes a plan with it. Any
// thread.
class Moves {
 public:
  struct Place {
    std::string node;
    std::uint64_t order = 0;  // PlannedPod::order
  };

  // The node of the pod: `planned`, or the node that it was moved to. `taken_in`: of the plan,
  // PlanTable::exchanges.
  std::string node_of(std::string_view uid, const std::string& planned,
                      std::uint64_t taken_in) const;
  // The requests of pods moved to `node` that the published plan does not have yet.
  NamedAmounts taken_on(std::string_view node) const;
  void add(const std::string& uid, const std::string& from, const std::string& to,
           const NamedAmounts& request);
  // Forgets moves that the new plan has taken in or replaced.
  void follow(const ports::PlanTable& plan);

  // A filter call has left kube-scheduler the choice of a hint's node, while the plan had it on
  // `planned`.
  void leave_choice(const std::string& uid, const std::string& planned);
  bool has_choice(std::string_view uid, const std::string& planned) const;

  // The extender has given the node to kube-scheduler for the pod.
  void hand_out(const std::string& uid, const std::string& node);
  // It will not: the attempt has failed. Nothing for a pod without a place.
  void take_back(const std::string& uid);
  bool is_handed_out(std::string_view uid, std::string_view node) const;
  // Of a pod that may exchange its place; as node_of().
  Place place_of(std::string_view uid, const ports::PlannedPod& planned,
                 std::uint64_t taken_in) const;
  void exchange(const ports::Exchange& exchange);
  // Those since the last call, in order; all but the first of PlanTable::exchanges. Session thread.
  std::vector<ports::Exchange> take_exchanges();

 private:
  struct Move {
    std::string from;
    std::string to;
    NamedAmounts request;
  };

  struct Exchanged {
    std::uint64_t number = 0;  // of the last exchange
    Place place;
  };
  void count() {
    count_ = moves_.size() + exchanged_.size() + handed_out_.size() + choices_.size();
  }

  std::atomic<std::size_t> count_ = 0;  // mostly 0; then no lock is taken
  mutable std::mutex mutex_;
  std::map<std::string, Move, std::less<>> moves_;              // by pod uid
  std::map<std::string, Exchanged, std::less<>> exchanged_;     // likewise
  std::map<std::string, std::string, std::less<>> handed_out_;  // to node
  std::map<std::string, std::string, std::less<>> choices_;     // to planned node
  std::uint64_t last_exchange_ = 0;
  std::vector<ports::Exchange> not_taken_;
  std::uint64_t followed_ = 0;  // PlanTable::epoch
};

}  // namespace berth::extender
