#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "berth/model/objects.h"

namespace berth::mirror {

// Which jobs users have named as targets: on the group, on a pod of it, or on who made either.
class TargetNames {
 public:
  // What a pod says of its job, now and from now on.
  void note_pod(JobId job, const PodObject& object);
  void forget_pod(JobId job, const std::string& uid);
  void note_group(JobId job, const PodGroupObject& object);
  void forget_job(JobId job) { jobs_.erase(job); }
  // The jobs for which this may make a difference.
  std::vector<JobId> note_owner(const std::string& uid, bool names_target);

  bool is_named(JobId job) const;

 private:
  struct Said {
    bool by_group = false;
    std::set<std::string> by_pods;  // uids
    std::string owner_of_group;
    std::set<std::string> owners_of_pods;
  };

  std::map<JobId, Said> jobs_;  // of whom there is something to know
  std::set<std::string> naming_owners_;
};

}  // namespace berth::mirror
