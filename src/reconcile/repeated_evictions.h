#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <string>

#include "berth/model/job.h"
#include "berth/model/objects.h"
#include "berth/model/task.h"
#include "reconcile/event_log.h"
#include "views/evicted_jobs.h"

namespace berth::reconcile {

// Counts how often each job was evicted within the last hour, whatever the uids of its pods are by
// now (EVENT-9 of docs/design/reconcile.md). Its memory is bounded: 4,096 jobs, with 360 times each
// at most. Session thread.
class RepeatedEvictions {
 public:
  explicit RepeatedEvictions(EventLog& events) : events_(events) {}

  // The eviction of a pod of the job begins. `controller`: of a pod in no group; null: none.
  void begun(const Task& victim, const Job& job, const OwnerReference* controller);
  // It has ended.
  void take(const Ended& ended, TimePoint now);
  // The counts; null if they are as at the last call.
  std::shared_ptr<const views::EvictedJobs> take_news(TimePoint now);
  void stop_leading();

 private:
  // The job, as people know it, and the object that an event is about.
  struct Evicted {
    std::string name;  // namespace/name
    std::string kind;
    ports::ObjectRef object;
  };
  struct Time {
    TimePoint at;
    std::size_t pods = 0;
  };
  struct History {
    Evicted job;
    std::deque<Time> times;  // never empty
    std::string why;
    std::size_t announced = 0;  // at so many times; 0: not yet

    std::size_t pods() const;
  };

  void forget(TimePoint now);
  void make_room();
  void announce(History& history, TimePoint now);

  EventLog& events_;
  std::map<std::string, Evicted> under_way_;  // by uid of the victim
  std::map<std::string, History> jobs_;       // by kind and name
  bool has_news_ = true;                      // also that there are none
  TimePoint forgotten_at_;
};

}  // namespace berth::reconcile
