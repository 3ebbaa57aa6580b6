#pragma once

#include <vector>

#include "berth/engine/session.h"

namespace berth::engine {

// The order of jobs: the first queue by queueOrder, then its first job. Queues that no plugin
// distinguishes share one line: the better head job goes first. An equal-priority gang's minimum in
// one queue therefore comes before another queue's surplus. All ties end in (creation time, uid).
class JobLine {
 public:
  // `service` uses queueOrder, `admission` uses admissionOrder. While serving by `eviction`, other
  // queues lose pods.
  enum class For : std::uint8_t { service, admission, eviction };

  JobLine(Session& session, std::vector<JobId> jobs, For what = For::service);

  // All of them, as they would be served if no turn changed the order of the others.
  static std::vector<JobId> in_order(Session& session, std::vector<JobId> jobs, For what);

  // The next job; invalid if none is left. It leaves the line until it rejoins.
  JobId next();
  // Puts the last returned job back, in its present order.
  void rejoin(JobId job);
  // After others than the last returned job, or jobs of other queues than its own, have changed.
  void put_in_order();
  // Removes all jobs of the last returned job's queue from the line, and returns them.
  std::vector<JobId> dismiss_queue();

 private:
  struct QueueJobs {
    QueueId queue;
    std::vector<JobId> jobs;  // in order; those before `next` have left
    std::size_t next = 0;

    bool is_empty() const { return next == jobs.size(); }
    JobId first() const { return jobs[next]; }
    std::vector<JobId> rest() const;
  };

  void remember() const;
  bool earlier(JobId left, JobId right) const;
  bool later(std::size_t left, std::size_t right) const;
  void return_current();
  void heapify_queues();
  bool is_as_heapified() const;

  Order order_of(const Queue& left, const Queue& right) const;

  Session& session_;
  For what_;
  bool is_moving_;  // the order of the waiting queues may change at any turn
  std::vector<QueueJobs> queues_;
  std::vector<std::size_t> heap_;   // of queues_, those with jobs, without the one being served
  std::uint64_t heapified_at_ = 0;  // the stamp of the cluster
  std::size_t current_;
};

}  // namespace berth::engine
