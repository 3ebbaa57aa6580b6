#pragma once

#include <vector>

#include "berth/engine/session.h"

namespace berth::engine {

// Whose turn is it: the queue with the best claim, then its best job. Queues that no plugin tells
// apart are as one line: the better head job goes first, so that an equal-priority gang's minimum
// in one queue comes before another queue's surplus. All ties end in (creation time, uid).
class JobLine {
 public:
  // Who is served: by queueOrder. Who is admitted: by admissionOrder.
  enum class For : std::uint8_t { service, admission };

  JobLine(Session& session, std::vector<JobId> jobs, For what = For::service);

  // The next to be served; invalid when nobody is left. It is out of the line until it rejoins.
  JobId next();
  // The job last served wants another turn, at the place that it deserves now.
  void rejoin(JobId job);
  // Nobody of the queue of the job last served gets another turn in this line. They are returned.
  std::vector<JobId> dismiss_queue();

 private:
  struct QueueJobs {
    QueueId queue;
    std::vector<JobId> heap;
  };

  bool later(JobId left, JobId right) const;
  bool later(std::size_t left, std::size_t right) const;
  void return_current();

  Order order_of(const Queue& left, const Queue& right) const;

  Session& session_;
  For what_;
  bool is_moving_;  // the order of queues that wait may change at any turn
  std::vector<QueueJobs> queues_;
  std::vector<std::size_t> heap_;  // of queues_, those with jobs, without the one being served
  std::size_t current_;
};

}  // namespace berth::engine
