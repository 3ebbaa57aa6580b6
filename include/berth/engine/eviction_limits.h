#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "berth/base/clock.h"
#include "berth/engine/verdict.h"
#include "berth/model/cluster.h"

// How many pods may be evicted within a minute. Rules LIMIT-1 to LIMIT-7 of
// docs/design/eviction-limits.md.

namespace berth::engine {

// So many pods, or this part of those that run, whichever is more. 100 percent: no limit.
struct EvictionLimit {
  std::int64_t pods = 1;     // at least 1
  std::int64_t percent = 0;  // 0 to 100
  bool operator==(const EvictionLimit&) const = default;
};

struct EvictionLimits {
  EvictionLimit cluster{100, 5};
  EvictionLimit queue{50, 10};  // of the pods of each queue, without those below it
  bool operator==(const EvictionLimits&) const = default;
};

// The pods that a session may still evict. Session thread only.
class EvictionAllowance {
 public:
  EvictionAllowance(const Cluster& cluster, const EvictionLimits& limits, TimePoint now)
      : cluster_(cluster), limits_(limits), now_(now) {}

  // LIMIT-4. May anybody be evicted? May pods of this queue?
  Verdict of_cluster();
  Verdict of_queue(QueueId queue);
  // LIMIT-5. The limit of the queue that refused last.
  Verdict of_queues() const;
  // LIMIT-3. May these leave, all of them? Then they count. Otherwise the limits in the way allow
  // nobody else in this session.
  Verdict take(std::span<const TaskId> pods);
  // LIMIT-3. For a job for which pods have left: they count, and nothing is refused.
  void lift(bool is_lifted) { is_lifted_ = is_lifted; }
  // LIMIT-5. From then on, a refusal so far may become a pass.
  TimePoint answers_hold_until() const { return answers_hold_until_; }

 private:
  struct Use {
    std::int64_t used = 0;
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
    bool is_closed = false;

    bool is_used_up() const { return is_closed || used >= most; }
    bool allows(std::int64_t pods) const {
      return !is_closed && (used == 0 || pods <= most - used);
    }
  };

  void count();
  Verdict refuse(const Verdict& why);
  Verdict check(std::int64_t all, const std::map<QueueId, std::int64_t>& by_queue);
  Use& use_of(QueueId queue) { return of_queues_[queue.index()]; }

  const Cluster& cluster_;
  const EvictionLimits& limits_;
  TimePoint now_;
  bool is_lifted_ = false;
  bool is_counted_ = false;  // the counts are made when the first is asked for
  TimePoint answers_hold_until_ = TimePoint::max();
  Use of_cluster_;
  std::int64_t most_of_refused_ = 0;  // in the last of_queue() that refused
  std::vector<Use> of_queues_;        // by queue
};

}  // namespace berth::engine
