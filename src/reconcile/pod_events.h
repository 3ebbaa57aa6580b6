#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "berth/model/cluster.h"
#include "reconcile/event_log.h"
#include "reconcile/waiting_jobs.h"

namespace berth::reconcile {

// Events on pods that say why their job waits, so that who looks at a pod alone sees it. Bounded
// for each job and in all (EVENT-6, EVENT-7). Session thread.
class PodEvents {
 public:
  static constexpr std::int32_t kPodsOfAJob = 16;
  static constexpr std::int32_t kEventsASecond = 10;

  explicit PodEvents(EventLog& events) : events_(events) {}

  // The job waits for this reason, in Volcano's words; empty: it does not wait. `is_reported`: an
  // earlier leader has published it.
  void note(JobId id, const Job& job, const std::string& reason, bool is_reported, TimePoint now);
  // The events that are due.
  void publish(const Cluster& cluster, const WaitingJobs& waiting, TimePoint now);
  void stop_leading();

 private:
  struct Noted {
    std::string job;  // ids are used again for other jobs
    std::string reason;
    TimePoint due;
    TimePoint published_at;
  };

  void set_due(JobId id, Noted& noted, TimePoint due);
  std::int32_t publish_on_pods(const Job& job, const std::string& message, const Cluster& cluster,
                               TimePoint now);

  EventLog& events_;
  std::map<JobId, Noted> jobs_;
  std::set<std::pair<TimePoint, JobId>> due_;
  TimePoint second_began_;
  std::int32_t left_ = 0;  // events of this second; below 0: of the next
};

}  // namespace berth::reconcile
