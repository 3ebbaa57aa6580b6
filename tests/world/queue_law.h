#pragma once

#include <functional>
#include <map>
#include <string>

#include "world/inhabitants.h"

namespace berth::world {

// No pod is bound beyond the capability of its queue, once the capability is known to all. Pods
// that leave do not count.
class QueueLaw {
 public:
  QueueLaw(Agenda& agenda, ApiServer& server, const Inhabitants& inhabitants,
           std::function<void(const std::string&)> break_law);

  // Its victim stays. Plans were made beside it as if it left.
  void eviction_failed() { eviction_failed_at_ = agenda_.now(); }
  // A pod has come to its node.
  void bound(const PodObject& pod);
  // It is to leave, for the job of this name, if there is one.
  void evicted(const std::string& pod_uid, const std::string& claimant);

 private:
  bool says_queue(const Job& job) const;
  bool leaves(const PodObject& pod) const;
  bool have_others_left(const Job& job, const PodObject& pod) const;

  Agenda& agenda_;
  ApiServer& server_;
  const Inhabitants& inhabitants_;
  const std::function<void(const std::string&)> break_law_;
  std::map<std::string, NamedAmounts> capability_;  // by queue
  std::map<std::string, TimePoint> evicted_for_;    // by claimant: the last eviction
  std::map<std::string, TimePoint> evicted_;        // by uid of a pod
  std::map<std::string, TimePoint> since_;          // by queue: the capability is so
  TimePoint eviction_failed_at_;                    // the last
};

}  // namespace berth::world
