#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>

#include "berth/base/strong_id.h"
#include "berth/model/owner.h"

namespace berth::mirror {

// How near the pods of jobs are to be, as pods and their controllers say (TOPO-12 of
// docs/design/topology.md). Pods of one template say the same, so that a job has few different
// wishes. Session thread only.
class TopologyWishes {
 public:
  // The task is of this job, and its pod says this. No job, or a wish for nothing: it says nothing.
  void note(TaskId task, JobId job, const TopologyWish& wish);
  // All that the job's pods say.
  TopologyWish of(JobId job) const;
  // Is the rule among what the task's pod says?
  bool says(TaskId task, const NearRule& rule) const;

  // Return the uids of the owners for which of_owner() may be another now.
  std::set<std::string> note_owner(const OwnerObject& object);
  std::set<std::string> forget_owner(const std::string& uid);
  bool do_owners_say() const { return owners_with_wish_ > 0; }
  // All that the owner says, and the objects above it. An owner of another namespace says nothing.
  TopologyWish of_owner(const std::string& uid, const std::string& name_space) const;

 private:
  using Counts = std::map<TopologyWish, std::size_t>;  // pods
  struct Noted {
    JobId job;
    Counts::iterator wish;
  };
  struct Owner {
    std::string name_space;
    std::string controller;  // its uid; empty: none
    TopologyWish wish;
    bool operator==(const Owner&) const = default;
  };
  void forget(TaskId task);
  void set_controller(const std::string& uid, const std::string& from, const std::string& to);
  std::set<std::string> with_those_below(const std::string& uid) const;

  std::map<TaskId, Noted> by_task_;
  std::map<JobId, Counts> by_job_;
  std::map<std::string, Owner> owners_;                 // by uid; those with a wish or a controller
  std::map<std::string, std::set<std::string>> below_;  // by the uid of a controller: of owners_
  std::size_t owners_with_wish_ = 0;
};

}  // namespace berth::mirror
