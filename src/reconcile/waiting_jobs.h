#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/cluster.h"
#include "berth/model/plan.h"
#include "reconcile/event_log.h"
#include "reconcile/group_status.h"
#include "reconcile/job_order.h"
#include "views/start_table.h"

namespace berth::reconcile {

// A reason that ends sooner has no events and no conditions of pods.
inline constexpr Duration kReasonHolds = std::chrono::seconds(5);

// Why jobs wait, by the last session. Session thread.
class WaitingJobs {
 public:
  explicit WaitingJobs(EventLog& events) : events_(events) {}

  // Takes the plan's refusals and logs new reasons. Returns the jobs of which the reason or its
  // amounts changed, those that wait no longer included.
  std::vector<JobId> refresh(const Plan& plan, const Cluster& cluster, TimePoint now);
  // The starts that are forecast. Returns the jobs of which they have moved.
  std::vector<JobId> take_starts(std::shared_ptr<const views::StartTable> table,
                                 const Cluster& cluster, TimePoint now);
  void stop_leading() { starts_ = nullptr; }
  // Is the order of jobs wanted? Once a second, and if a status is about to be written at once.
  bool wants_order(const Plan& plan, const Cluster& cluster, TimePoint now) const;
  Waiting of(JobId job) const;
  // None: the last session did not refuse it.
  std::optional<Reason> reason_of(JobId job) const;

 private:
  struct Entry {
    Refusal refusal;
    std::string job;  // ids are used again for other jobs
    std::string job_uid;
    std::string task;
    std::string message;
    std::uint64_t session = 0;
    TimePoint logged_at;
  };

  EventLog& events_;
  std::uint64_t session_ = 0;
  std::map<JobId, Entry> entries_;
  JobOrder order_;
  TimePoint ordered_at_;
  std::shared_ptr<const views::StartTable> starts_;    // null: nothing is known yet
  std::unordered_map<JobId, WrittenStart> looked_at_;  // starts, by job; look-up only
};

}  // namespace berth::reconcile
