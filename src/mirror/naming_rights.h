#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/strong_id.h"
#include "berth/model/permissions.h"

namespace berth::mirror {

// The known rights of service accounts: the API server's answers, for as long as they hold. The
// session thread only.
class NamingRights {
 public:
  enum class Right : std::uint8_t { allowed, unknown, refused };

  explicit NamingRights(NamingCheck check) : check_(check) {}

  bool are_checked() const { return check_ != NamingCheck::none; }
  // Whether service accounts count at all.
  bool are_reviewed() const { return check_ != NamingCheck::policy; }
  // Does the API server check names now, as far as is known?
  bool has_policy() const { return policy_since_.has_value(); }
  // False until it is known whether a policy is there.
  bool is_policy_known() const { return check_ != NamingCheck::automatic || is_policy_known_; }
  // Has the API server checked the annotations of an object that was created then?
  bool was_checked(TimePoint created) const;

  // True if it is another than before.
  bool note(const NamingPolicy& policy);
  // Returns the jobs that it concerns.
  std::vector<JobId> note(const RightAnswer& answer);
  // The last answer. The job is concerned by the next one; the question is asked when necessary.
  // Refused without a question if its namespace asks about too many: take_due() has the job when
  // there is room.
  Right right_of(const RightQuestion& question, JobId job, TimePoint now);
  // The job asks about nothing any more. Before right_of(), if it asks anew.
  void release(JobId job);
  // For people: why the last answer was none; empty: it was a refusal.
  std::string error_of(const RightQuestion& question) const;

  // Jobs whose answers have become too old, or for which there is room now. Pairs that no job asks
  // about are forgotten when they are due.
  std::vector<JobId> take_due(TimePoint now);
  // The questions to ask now: one of each namespace in turn, at most 100 in a second. The others
  // follow with later calls.
  std::vector<RightQuestion> take_questions(TimePoint now);

 private:
  struct Known {
    std::set<JobId> jobs;
    bool is_queued = false;  // to be asked
    TimePoint asked_at;
    TimePoint confirmed_at;  // when it was asked what was answered last, errors aside
    Right right = Right::unknown;
    std::string error;
  };

  using Pairs = std::map<RightQuestion, Known>;

  // All that a namespace asks. Its bound is its own, so that its users cannot use up another's.
  struct Space {
    Pairs pairs;
    std::set<JobId> waiting;  // there was no room for a question of theirs
    std::deque<RightQuestion> queued;
    bool is_in_turn = false;               // it is in turns_
    TimePoint look_at = TimePoint::max();  // as in looks_; max: in none
  };

  static TimePoint due_of(const Known& known);
  static TimePoint goes_at(const Known& known);
  static bool has_room(const Space& space, TimePoint now);
  static bool make_room(Space& space, TimePoint now);
  static Pairs::iterator forget(Space& space, Pairs::iterator pair);
  void queue(Space& space, const RightQuestion& question, Known& known);
  void look_by(TimePoint time, const std::string& name, Space& space);
  // Appends jobs as take_due() returns them.
  void look(const std::string& name, TimePoint now, std::vector<JobId>& due);
  // Of the namespace, if a job asks it.
  std::optional<RightQuestion> take_question(Space& space, TimePoint now);
  void drop_if_empty(const std::string& name);
  const Known* find(const RightQuestion& question) const;

  NamingCheck check_;
  bool is_policy_known_ = false;
  std::optional<TimePoint> policy_since_;
  std::map<std::string, Space> spaces_;  // by namespace
  std::map<JobId, std::string> asking_;  // the namespaces of jobs that ask
  // When a namespace has a pair that is due, or may have room. Most are not looked at.
  std::set<std::pair<TimePoint, std::string>> looks_;
  std::deque<std::string> turns_;  // namespaces with questions; the first is asked next
  TimePoint second_began_;
  std::size_t asked_in_second_ = 0;
};

}  // namespace berth::mirror
