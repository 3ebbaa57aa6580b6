#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "berth/model/objects.h"

namespace berth::mirror {

// A user's annotation on one object.
struct TargetWord {
  TimePoint created;                // of the object
  std::vector<std::string> queues;  // that it names; an empty one stands for its namespace's
  bool is_of_known_kind = true;     // one that the policy reserve.berth.dev checks
  std::string name_space = {};      // of the object
  OwnerReference controller = {};   // of the object
  bool operator==(const TargetWord&) const = default;
};

// Jobs that users name as targets, or exclude from being targets: on the group, on a pod of it, or
// on the controller of either.
class TargetNames {
 public:
  // A pod's annotation for its job.
  void note_pod(JobId job, const PodObject& object);
  void forget_pod(JobId job, const std::string& uid);
  void note_group(JobId job, const PodGroupObject& object);
  void forget_job(JobId job);
  // Returns the jobs that this may affect.
  std::vector<JobId> note_owner(const OwnerObject& object);

  // The uids of the controllers of the job's group and pods; and the jobs of these controllers.
  std::set<std::string> owners_of(JobId job) const;
  std::vector<JobId> jobs_of(const std::set<std::string>& owners) const;

  // Both may be true: then is_declined() decides.
  bool is_named(JobId job) const { return is_listed(job, &Words::naming, naming_owners_); }
  // Does a word that names it count? The word on the group itself is about the group's queue.
  bool is_named_by(JobId job, const std::function<bool(const TargetWord&)>& counts) const;
  bool is_declined(JobId job) const { return is_listed(job, &Words::declining, declining_owners_); }

 private:
  struct Sources {
    std::optional<TargetWord> by_group;
    std::map<std::string, TargetWord> by_pods;  // by uid
  };
  struct Words {
    Sources naming;
    Sources declining;
    std::string name_space;
    std::string owner_of_group;
    std::set<std::string> owners_of_pods;
  };
  using Owners = std::map<std::string, TargetWord>;  // by uid

  static const TargetWord* word_for(const Words& words, const std::string& owner,
                                    const Owners& owners);

  bool is_listed(JobId job, Sources Words::*sources, const Owners& owners) const;

  std::map<JobId, Words> jobs_;                           // only jobs with an entry
  std::map<std::string, std::set<JobId>> jobs_of_owner_;  // by its uid
  Owners naming_owners_;
  Owners declining_owners_;
};

}  // namespace berth::mirror
