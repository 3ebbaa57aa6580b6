#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "berth/model/cluster.h"
#include "berth/model/written_status.h"

namespace berth::reconcile {

// The positions of jobs that wait for room, by the last order of a session. Session thread.
class JobOrder {
 public:
  // With the cluster that the session read.
  void refresh(const std::vector<JobId>& order, const Cluster& cluster);
  WaitingPosition position_of(JobId job) const;

 private:
  struct Place {
    QueueId queue;
    std::int32_t in_queue = 0;
    std::int32_t ahead = 0;
    std::int32_t ahead_in_namespace = 0;
    const std::vector<std::string>* names = nullptr;  // the first jobs of its namespace
  };

  std::unordered_map<JobId, Place> places_;
  std::map<QueueId, std::int32_t> waiting_;                // in each queue
  std::map<std::string, std::vector<std::string>> names_;  // by namespace, at most ten
};

// "4th of 12 in queue research, with 30 jobs ahead in all queues; 2 of those ahead are in this
// namespace: a, b". Empty: it is in no order.
std::string position_text(const std::string& queue, const WaitingPosition& position);

}  // namespace berth::reconcile
