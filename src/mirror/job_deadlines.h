#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "berth/base/strong_id.h"
#include "berth/model/objects.h"

namespace berth::mirror {

// Deadlines of Jobs, and the pods that each controls (TIME-7 of docs/design/backfill.md). An owner
// is in the namespace of what it controls. Session thread only.
class JobDeadlines {
 public:
  void note_pod(TaskId task, const PodObject& object);
  void forget_pod(TaskId task);
  // None: its Job has none, or is not known.
  std::optional<JobDeadline> of(TaskId task) const;

  // Return the tasks for which of() may be another now.
  std::set<TaskId> note_owner(const OwnerObject& object);
  std::set<TaskId> forget_owner(const std::string& uid);

 private:
  struct Owner {
    std::string name_space;
    JobDeadline deadline;
    bool operator==(const Owner&) const = default;
  };
  struct Controlled {
    std::string owner;  // its uid
    std::string name_space;
  };

  std::map<std::string, Owner> owners_;  // by uid: those with a deadline
  std::map<std::string, std::set<TaskId>> tasks_of_owner_;
  std::map<TaskId, Controlled> controlled_;  // of kinds that may have a deadline
};

}  // namespace berth::mirror
