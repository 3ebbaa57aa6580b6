#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "berth/model/objects.h"

namespace berth::mirror {

// Jobs that users name as targets, or exclude from being targets: on the group, on a pod of it, or
// on the controller of either.
class TargetNames {
 public:
  // A pod's annotation for its job.
  void note_pod(JobId job, const PodObject& object);
  void forget_pod(JobId job, const std::string& uid);
  void note_group(JobId job, const PodGroupObject& object);
  void forget_job(JobId job) { jobs_.erase(job); }
  // Returns the jobs that this may affect.
  std::vector<JobId> note_owner(const OwnerObject& object);

  // Both may be true: then is_declined() decides.
  bool is_named(JobId job) const { return is_listed(job, &Words::naming, naming_owners_); }
  bool is_declined(JobId job) const { return is_listed(job, &Words::declining, declining_owners_); }

 private:
  struct Sources {
    bool by_group = false;
    std::set<std::string> by_pods;  // uids
  };
  struct Words {
    Sources naming;
    Sources declining;
    std::string owner_of_group;
    std::set<std::string> owners_of_pods;
  };
  using Owners = std::set<std::string>;  // uids

  bool is_listed(JobId job, Sources Words::*sources, const Owners& owners) const;

  std::map<JobId, Words> jobs_;  // only jobs with an entry
  Owners naming_owners_;
  Owners declining_owners_;
};

}  // namespace berth::mirror
