#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/cluster.h"
#include "berth/model/event.h"
#include "berth/model/plan.h"
#include "ports/shown_pods.h"
#include "reconcile/observed_state.h"
#include "reconcile/writes.h"

namespace berth::steering {

// How kube-scheduler is made to carry the plan out (docs/design/steering.md, STEER-11, and
// docs/design/view.md).
enum class Mode : std::uint8_t { nominate, view };

struct Options {
  Mode mode = Mode::nominate;
  bool gangs_are_whole = true;    // the gang plugin is there
  bool locks_are_taints = false;  // locked nodes are tainted, too
  // Whether the pod's bind call is there, or has been. None: nobody knows of calls.
  std::function<bool(const std::string& pod_uid)> has_come = {};
};

// Members of a job that must be bound together, by what is planned and bound of it now.
std::int32_t needed_together(const Job& job, bool gangs_are_whole);

// Whether a pod of a job that needs so many members together is to be nominated, in a cluster of so
// many nodes (docs/design/steering.md, STEER-2).
bool is_worth_nominating(std::int32_t needed, std::size_t nodes);

// Looks tasks up by pod uid; invalid: none.
using FindTask = std::function<TaskId(const std::string& uid)>;

// Writes on pods what makes kube-scheduler carry the sessions' plans out, in the order that keeps
// gangs whole; the rules are in docs/design/steering.md. Session thread.
class Steering {
 public:
  Steering(const reconcile::ObservedState& observed, reconcile::Writes& writes, Options options)
      : observed_(observed), writes_(writes), options_(options) {}

  // Placements that were dropped or moved; all else is read from the observed state.
  void observe(const ClusterEvent& event);
  void start_leading();
  void stop_leading();

  // After each session, before steer(): pods are tried in the order of its plan (RELATION-12).
  void keep_order(const Plan& plan, const Cluster& cluster);
  // Of planned pods; 0: of one whose order does not matter.
  std::uint64_t order_of(TaskId task, const std::string& pod_uid) const;
  // The mirror has exchanged their places (STEER-16).
  void exchange(const std::string& pod_uid, const std::string& other_uid);
  // After each session, when its plan has been assumed. Returns placements that cannot be carried
  // out any more, to be dropped.
  std::vector<PlacementDropped> steer(const Cluster& cluster, const FindTask& find_task,
                                      TimePoint now);
  void take(const reconcile::Ended& ended, TimePoint now);
  // Between two sessions, when answers were taken or a bind call came, and the cluster is as it
  // was: goes on where there was one, and looks at nothing else.
  std::vector<PlacementDropped> follow_up(const Cluster& cluster, const FindTask& find_task,
                                          TimePoint now);

  // Mode `view`: the pods that kube-scheduler may see of those that wait, if they have changed
  // since the last call; else null.
  std::shared_ptr<const ports::ShownPods> take_shown(ports::Term term = {});

  void set_gangs_are_whole(bool value) { options_.gangs_are_whole = value; }
  // kube-scheduler has another leader (STEER-8). In effect with the next steer().
  void kube_scheduler_changed() { touches_due_ = true; }

  // When the last write for a planned pod of the job was done; none: never.
  TimePoint progressed_at(const Job& job) const;
  // kube-scheduler's words, if it finds no node for the pod, and not because of us; else null.
  const std::string* complaint_of(const std::string& pod_uid) const;

  std::size_t under_way() const { return progress_.size(); }

 private:
  enum class Stage : std::uint8_t { planned, nominated, committed };
  // How far a planned pod has come.
  struct Progress {
    TaskId task;
    JobId job;
    std::string node;
    Stage stage = Stage::planned;
    std::uint64_t number = 0;        // of its latest write: answers to earlier ones mean nothing
    bool is_nominated_anew = false;  // what is observed of the nomination is not believed
    bool may_be_nominated = false;   // a nomination was written, whatever became of it
    std::uint32_t nominations_lost = 0;  // of the observed pod, when it was nominated
    bool is_touch_due = false;
    std::vector<std::string> tolerated;  // locks: that was written
    std::uint64_t attempt = 0;           // ShownPod::attempt, from its commit on
    bool is_nominated = false;
    bool asks_filter = false;   // VIEW-19
    std::uint64_t order = 0;    // in the plans; 0: of a pod whose order does not matter
    bool may_exchange = false;  // STEER-16
    bool is_in_line = false;    // RELATION-12
    bool has_turn = false;      // of a pod in a line
    bool has_come = false;      // its bind call; likewise
    TimePoint changed_at;       // when its stage last changed
    std::string complaint;      // ObservedPod::unschedulable at the commit
  };
  // Of the observed pod, when its nomination was cleared.
  struct Cleared {
    std::uint32_t nominations_lost = 0;
    std::string nominated;
    bool operator==(const Cleared&) const = default;
  };
  using ByUid = std::map<std::string, Progress>;
  using Gang = std::vector<ByUid::iterator>;
  // Pods among which the order matters, in that of the plans.
  struct Line {
    Gang pods;
    bool is_waiting = false;  // for turns
  };

  void follow_plan(const Cluster& cluster, const FindTask& find_task);
  void end(ByUid::iterator entry);
  void begin_progress(const Cluster& cluster, TaskId task);
  void find_nominations_to_clear();
  void clear_nominations(TimePoint now);
  void gather_gangs(const Cluster& cluster);
  void gather_lines(const Cluster& cluster);
  void put_in_sequence(const Line& line);
  void give_turns(const Cluster& cluster, Line& line);
  bool is_later(const Cluster& cluster, const Progress& progress) const;
  bool is_begun(const Gang& gang) const;
  void begin_gangs(const Cluster& cluster, TimePoint now, std::vector<PlacementDropped>& drops);
  void carry_out(const Cluster& cluster, JobId job, const Gang& gang, TimePoint now,
                 std::vector<PlacementDropped>& drops);
  void nominate(const Cluster& cluster, ByUid::iterator entry, TimePoint now);
  bool is_to_be_nominated(const Cluster& cluster, const Progress& progress,
                          const reconcile::ObservedPod& pod) const;
  void lose_nomination(const std::string& uid, Progress& progress) const;
  bool tolerates_its_locks(const Cluster& cluster, ByUid::iterator entry, TimePoint now);
  void commit(const Cluster& cluster, ByUid::iterator entry, TimePoint now);
  bool is_vetoed(const std::string& uid, const Progress& progress) const;
  void touch(TimePoint now);
  bool may_write(const std::string& uid, TimePoint now) const;
  std::uint64_t write(const std::string& uid, ports::PodWrite write, TimePoint now);

  const reconcile::ObservedState& observed_;
  reconcile::Writes& writes_;
  Options options_;
  bool leads_ = false;
  bool touches_due_ = false;
  bool shown_changed_ = false;
  std::uint64_t last_attempt_ = 0;
  ByUid progress_;               // of planned pods
  std::map<JobId, Gang> gangs_;  // of these, as of the last steer()
  bool gangs_are_gathered_ = false;
  std::vector<JobId> sequence_;  // of gangs_: in which they are carried out
  std::vector<Line> lines_;      // as of the last steer()
  std::uint64_t last_order_ = 0;
  std::map<TaskId, std::uint64_t> order_;  // of the last session's plan
  bool has_gangs_to_begin_ = false;
  std::map<TaskId, TimePoint> changed_at_;  // of these, as of the last steer()
  // Uids of pods whose nomination is to be cleared, with the number of the latest write.
  std::map<std::string, std::uint64_t> to_clear_;
  // Pods whose nomination was cleared, as the watch has yet to show, by uid.
  std::map<std::string, Cleared> cleared_;
  std::set<JobId> answered_;  // jobs with an answer since the last look
};

}  // namespace berth::steering
