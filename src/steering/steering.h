#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/cluster.h"
#include "berth/model/event.h"
#include "berth/model/plan.h"
#include "ports/pod_writer.h"
#include "ports/status_sink.h"

namespace berth::steering {

// How kube-scheduler is made to carry the plan out (docs/design/steering.md, STEER-11).
enum class Mode : std::uint8_t { nominate, candidates, pin, filter_only };
const char* to_string(Mode mode);

struct Options {
  Mode mode = Mode::nominate;
  std::vector<std::string> managed_schedulers{"berth"};
  bool gangs_are_whole = true;    // the gang plugin is there
  bool locks_are_taints = false;  // locked nodes are tainted, too
};

// Members of a job that must be bound together, by what is planned and bound of it now.
std::int32_t needed_together(const Job& job, bool gangs_are_whole);

// Whether a pod of a job that needs so many members together is to be nominated, in a cluster of so
// many nodes (docs/design/steering.md, STEER-2).
bool is_worth_nominating(std::int32_t needed, std::size_t nodes);

// Looks tasks up by pod uid; invalid: none.
using FindTask = std::function<TaskId(const std::string& uid)>;

// Writes on pods what makes kube-scheduler carry the sessions' plans out; the rules are in
// docs/design/steering.md. Session thread only, but for what its writes report back.
class Steering {
 public:
  struct Parts {
    ports::PodWriter& pods;
    ports::StatusSink& status;
    std::function<void()> wake;  // an outcome is there: call follow_up(). Any thread
    std::function<void(const std::string& line)> tell;
  };

  Steering(Parts parts, Options options);

  // Everything that happens to the cluster, also while another leads.
  void observe(const ClusterEvent& event);

  // From now on this is the leader. What earlier leaders planned, as far as there is room: to be
  // assumed by the mirror (STEER-10).
  Plan start_leading(std::uint64_t epoch, const Cluster& cluster, const FindTask& find_task);
  // No longer; whatever is under way is left to the next leader.
  void stop_leading();

  // Once after each session, when its plan has been assumed. Placements that cannot be carried out
  // any more are returned, to be dropped.
  std::vector<PlacementDropped> round(const Cluster& cluster, const FindTask& find_task,
                                      TimePoint now);

  // Between two rounds, when an outcome is there and the cluster is as it was: carries on where
  // there is one, and looks at nothing else.
  std::vector<PlacementDropped> follow_up(const Cluster& cluster, const FindTask& find_task,
                                          TimePoint now);

  void set_gangs_are_whole(bool value) { options_.gangs_are_whole = value; }
  // kube-scheduler has another leader (STEER-8). In effect with the next round.
  void kube_scheduler_changed() { touches_due_ = true; }

  // When the last write for a planned pod of the job was done; none: never.
  TimePoint progressed_at(const Job& job) const;
  // kube-scheduler says that it finds no node for the pod, and not because of us.
  bool is_unschedulable(const std::string& pod_uid) const;

  std::size_t under_way() const { return courses_.size(); }

 private:
  // What the watch shows of a pod of ours that is not bound.
  struct Wire {
    std::string name_space;
    std::string name;
    std::string group;
    bool gated = false;
    bool is_free_to_require = false;  // no required affinity of its own
    std::string nominated;
    std::string planned;  // our annotation
    std::string unschedulable;
    bool has_tolerations = false;
    LockTolerations tolerated;
  };
  enum class Stage : std::uint8_t { planned, nominated, committed };
  // One thing to be written, until it is (STEER-9).
  struct Attempt {
    bool in_flight = false;
    std::uint64_t number = 0;  // of the latest write: answers to earlier ones mean nothing
    std::int32_t failures = 0;
    TimePoint not_before;

    bool is_inherited = false;  // the write under way is another's: its answer only ends it

    // For who writes on the same pod next: one write at a time.
    Attempt inherited() const {
      Attempt attempt = *this;
      attempt.is_inherited = in_flight;
      return attempt;
    }
    bool may_begin(TimePoint now) const { return !in_flight && now >= not_before; }
    void begin(std::uint64_t of) { in_flight = true, number = of; }
    // True if this answered the latest write; then failures delay the next.
    bool end(std::uint64_t of, const ports::WriteOutcome& outcome, TimePoint now);
  };
  // A planned pod on its way.
  struct Course {
    TaskId task;
    std::string node;
    Stage stage = Stage::planned;
    Attempt attempt;
    bool may_be_nominated = false;  // a nomination was written, whatever became of it
    bool is_touch_due = false;
    bool tolerates_lock = false;  // that was written
    TimePoint progressed;         // when its stage last changed
    std::string complaint;        // Wire::unschedulable at the commit
  };
  struct Outcome {
    std::string of;  // a pod's uid, or a group's namespace/name
    JobId job;       // of a group
    std::uint64_t number = 0;
    ports::PodWrite::Kind kind = ports::PodWrite::Kind::nominate;
    ports::WriteOutcome outcome;
  };
  // Outlives the Steering, for writes that are still under way.
  struct Outcomes {
    std::mutex mutex;
    std::vector<Outcome> list;
    std::function<void()> wake;

    void add(Outcome outcome);
  };
  using Courses = std::map<std::string, Course>;  // by pod uid
  using Gang = std::vector<Courses::iterator>;

  std::vector<Outcome> take_outcomes(TimePoint now);
  void take_course_outcome(const Outcome& outcome, TimePoint now);
  void follow_plan(const Cluster& cluster, const FindTask& find_task);
  void end(Courses::iterator course);
  void begin_course(const Cluster& cluster, TaskId task);
  void clear_nominations(TimePoint now);
  void take_clear_outcome(const Outcome& outcome, TimePoint now);
  void carry_out(const Cluster& cluster, JobId job, const Gang& gang, TimePoint now,
                 std::vector<PlacementDropped>& drops);
  void gather_gangs(const Cluster& cluster);
  void reserve(const Cluster& cluster, Courses::iterator course, TimePoint now);
  bool is_to_be_nominated(const Cluster& cluster, const Course& course, const Wire& wire) const;
  bool is_recorded(const Job& job, JobId id, TimePoint now);
  bool is_let_in(const Cluster& cluster, Courses::iterator course);
  std::vector<std::string> candidates_of(const Gang& gang) const;
  void commit(const Cluster& cluster, const std::vector<std::string>& candidates,
              Courses::iterator course);
  void forget_wire(const std::string& uid);
  void lose_nomination(const std::string& uid, const std::string& before, const std::string& now);
  bool is_vetoed(const std::string& uid, const Course& course) const;
  void touch(TimePoint now);
  void write(ports::PodWrite::Kind kind, const std::string& uid, Attempt& attempt,
             ports::PodWrite write);
  Mode mode_for(const Wire& wire) const;

  Parts parts_;
  Options options_;
  std::uint64_t epoch_ = 0;  // 0: another leads
  std::uint64_t sequence_ = 0;
  bool touches_due_ = false;
  std::unordered_map<std::string, Wire> wires_;  // by pod uid
  std::set<std::string> nominated_;              // uids of wires with a nomination of ours
  std::vector<std::string> newly_nominated_;     // of these, since the last round; perhaps twice
  std::map<std::string, std::string> recorded_;  // namespace/group, and its uid: has a record
  Courses courses_;
  std::map<JobId, Gang> gangs_;  // of the courses, as of the last round
  bool gangs_are_gathered_ = false;
  std::map<TaskId, TimePoint> progressed_;  // of courses, as of the last round
  std::map<std::string, Attempt> clears_;   // by pod uid
  std::map<std::string, Attempt> records_;  // to be written, by namespace/group (STEER-5)
  std::shared_ptr<Outcomes> outcomes_;
};

}  // namespace berth::steering
