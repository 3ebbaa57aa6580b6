#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "berth/model/cluster.h"
#include "berth/model/event.h"
#include "reconcile/announcer.h"
#include "reconcile/condition_writes.h"
#include "reconcile/observed_state.h"
#include "reconcile/text_turns.h"
#include "reconcile/writes.h"
#include "views/queue_table.h"

namespace berth::reconcile {

// Writes the difference between what the API says and what it should say: statuses of groups and
// queues, marks of jobs, locks of nodes, conditions of pods (docs/design/reconcile.md). Pure
// functions work out the desired state; steering writes all else on pods. Session thread.
class Reconciler {
 public:
  struct Options {
    bool locks_are_taints = false;  // besides their labels
    bool keeps_waiting = false;     // times of first sight have to survive a restart
    bool autoscaling = false;       // pods that wait for nodes get a condition
  };

  Reconciler(const ObservedState& observed, Writes& writes, Announcer& announcer)
      : observed_(observed),
        writes_(writes),
        announcer_(announcer),
        conditions_(observed, writes, announcer.waiting()) {}

  void set_options(const Options& options) { options_ = options; }
  // After the observed state has taken it. A status that was written is believed to be
  // there until the object is gone.
  void observe(const ClusterEvent& event);
  void take(const Ended& ended);
  // Nothing that was written is believed any more: the next leader may write something else.
  void stop_leading();

  // Jobs of which anything may have changed; looked at with the next reconcile().
  void look_at(const std::vector<JobId>& jobs);
  // `why` continues "is evicted ".
  void evict(const Task& task, const std::string& why, TimePoint now);
  void evict(const PlannedEviction& eviction, const Cluster& cluster, TimePoint now);
  // When a plan was assumed and the mirror settled, or an answer came since.
  // `queues`: null before the first session.
  void reconcile(const Cluster& cluster, const std::shared_ptr<const views::QueueTable>& queues,
                 TimePoint now);
  // Then it is to be called again, whatever happens before; none: when something does.
  std::optional<TimePoint> held_until() const { return held_until_; }

 private:
  // The status in the API, and the one that is being written.
  struct BelievedGroup {
    std::string uid;
    ports::GroupStatus status;
    std::optional<ports::GroupStatus> written;  // under way
    ports::GroupStatus announced;
    TimePoint written_at;
    TimePoint first_seen;  // by this leader

    const ports::GroupStatus& latest() const { return written ? *written : status; }
  };
  struct BelievedQueue {
    std::string uid;
    WrittenQueueStatus status;
    std::optional<WrittenQueueStatus> written;
    std::set<std::string> resources;  // that a status of it may name
    WrittenCondition announced;       // NodesReserved
  };
  // A write that the watch has not shown yet.
  template <class T>
  struct Unseen {
    T wanted;
    TimePoint at;
    bool is_done = false;  // by the answer
  };

  void see_lock(const NodeObject& node);
  void see_marks(const std::string& uid);
  bool reconcile_job(JobId id, const Cluster& cluster, TimePoint now);
  void reconcile_texts(const Cluster& cluster, TimePoint now);
  bool reconcile_status(JobId id, const Job& job, TimePoint now, bool is_turn_of_texts);
  bool reconcile_marks(JobId id, const Job& job, const Cluster& cluster, TimePoint now);
  void reconcile_locks(const Cluster& cluster, TimePoint now);
  void reconcile_lock(const ports::ObjectRef& node, const ports::NodeLock& wanted, TimePoint now);
  void reconcile_queues(const std::shared_ptr<const views::QueueTable>& table, TimePoint now);
  bool reconcile_queue(std::size_t row, bool urgent_only, TimePoint now);
  BelievedGroup& believed_of(const ObservedGroup& observed, TimePoint now);
  bool is_held(const Job& job, const ports::GroupStatus& wanted, const BelievedGroup& believed,
               TimePoint now);
  BelievedQueue& believed_of(const ObservedQueue& observed);
  template <class T>
  void take_answer(const Ended& ended, std::map<std::string, Unseen<T>>& unseen);
  template <class T>
  void write_until_seen(const ports::ObjectRef& object, const T& wanted,
                        std::map<std::string, Unseen<T>>& unseen, TimePoint now);

  const ObservedState& observed_;
  Writes& writes_;
  Announcer& announcer_;
  ConditionWrites conditions_;
  Options options_;
  std::set<JobId> outstanding_;                  // to be looked at
  std::set<std::pair<TimePoint, JobId>> young_;  // then, if they still wait
  std::optional<TimePoint> held_until_;          // the first of those that are held
  TextTurns text_turns_;
  std::map<std::string, BelievedGroup> groups_;                  // by namespace/name
  std::map<std::string, BelievedQueue> queues_;                  // by name
  std::map<std::string, Unseen<ports::NodeLock>> unseen_locks_;  // by the node's uid
  std::map<std::string, Unseen<TargetMarks>> unseen_marks_;      // by the job's uid
  std::shared_ptr<const views::QueueTable> queue_table_;         // that was looked at
  TimePoint queues_written_at_;                                  // all together
  bool queues_may_differ_ = false;
};

}  // namespace berth::reconcile
