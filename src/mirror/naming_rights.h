#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "berth/base/strong_id.h"
#include "berth/model/permissions.h"

namespace berth::mirror {

// The known rights to name a target: the API server's answers, for as long as they hold. The
// session thread only.
class NamingRights {
 public:
  enum class Right : std::uint8_t { allowed, unknown, refused };

  explicit NamingRights(NamingCheck check) : check_(check) {}

  bool are_checked() const { return check_ != NamingCheck::none; }
  // Whether service accounts count at all.
  bool are_reviewed() const { return check_ != NamingCheck::policy; }
  // False until it is known whether a policy is there.
  bool is_policy_known() const { return check_ != NamingCheck::automatic || is_policy_known_; }
  // Has the API server checked the annotations of an object that was created then?
  bool was_checked(TimePoint created) const;

  // True if it is another than before.
  bool note(const NamingPolicy& policy);
  // Returns the jobs that it concerns.
  std::vector<JobId> note(const ReserveAnswer& answer);
  // The last answer. The job is concerned by the next one; the question is asked when necessary.
  Right right_of(const ReserveQuestion& question, JobId job, TimePoint now);
  // For people: why the last answer was none; empty: it was a refusal.
  std::string error_of(const ReserveQuestion& question) const;

  // Jobs whose answers have become too old. Questions that no job asks again are forgotten.
  std::vector<JobId> take_due(TimePoint now);
  std::vector<ReserveQuestion> take_questions();

 private:
  struct Known {
    std::set<JobId> jobs;
    TimePoint asked_at;
    TimePoint confirmed_at;  // when it was asked what was answered last, errors aside
    Right right = Right::unknown;
    std::string error;
  };

  static TimePoint due_of(const Known& known);

  NamingCheck check_;
  bool is_policy_known_ = false;
  std::optional<TimePoint> policy_since_;
  std::map<ReserveQuestion, Known> known_;
  std::vector<ReserveQuestion> questions_;
};

}  // namespace berth::mirror
