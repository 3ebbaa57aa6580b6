#pragma once

#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/strong_id.h"
#include "berth/model/objects.h"
#include "berth/model/resources.h"

namespace berth {

// A tenant's line of jobs.
struct Queue {
  QueueId id;  // its own
  std::string name;
  std::string uid;
  TimePoint created;
  bool exists = false;  // false: the id is free
  std::int32_t weight = 1;
  std::int32_t priority = 0;
  bool is_reclaimable = true;
  std::string parent;  // empty or "root": none
  QueueState state = QueueState::open;
  ResourceLimits capability;
  Resources guarantee;  // as its owner wrote it; what is in force: engine/queue_tree.h
  std::vector<Dimension> guarantee_share_of;  // S3: also this part of the cluster, of these
  std::int32_t guarantee_share_billionths = 0;
  bool guarantees_hard = false;           // others leave for it, though nobody asks for it
  ResourceLimits deserved;                // what its share is bounded by while others ask for more
  bool is_fifo = false;                   // a job that cannot start stops those behind it
  std::vector<std::string> not_honoured;  // fields that its owner wrote and that have no effect
  std::string fault;                      // what is wrong with what its owner wrote; empty: nothing
  Resources allocated;                    // by tasks of its jobs that are_allocated
  Resources demand;                       // by tasks of its jobs that want_room, placed or not
};

// As their owner wrote them: names, weights, bounds; not who they are, nor what they have.
bool same_spec(const Queue& left, const Queue& right);

}  // namespace berth
