#pragma once

#include <set>
#include <string>
#include <vector>

#include "document/value.h"
#include "tools/live/api_reader.h"
#include "tools/live/live_job.h"

namespace berth::tools {

// The objects of a namespace, or of all.
struct ClusterView {
  std::vector<document::Value> groups;       // Volcano's, then those of scheduler-plugins
  std::vector<document::Value> kube_groups;  // of Kubernetes' own API
  std::vector<document::Value> composites;   // CompositePodGroups
  std::vector<document::Value> pods;
  std::set<std::string> ours;  // names of Berth's schedulers
};

struct LiveJobs {
  std::vector<LiveJob> jobs;     // by namespace and name
  std::vector<LiveJob> foreign;  // pods of other schedulers, in no group
  Refusal refusal = Refusal::none;
  std::string message;  // of the refusal
};

// Jobs made of objects. Objects that cannot be read are left out, as berthd leaves them out. A pod
// belongs to the group that it names, else to the one that Berth made for an owner of it.
LiveJobs jobs_of(const ClusterView& view);

// Lists PodGroups and pods: three requests, by pages of 500, and one or two more if a pod is in a
// group of Kubernetes' own. Empty: all namespaces. `selector` restricts the jobs to those whose
// PodGroup, or one of whose pods, has these labels: as many requests more.
LiveJobs read_jobs(ApiReader& reader, const std::string& name_space,
                   const std::vector<std::string>& schedulers, const std::string& selector = {});

// Berth's events in the namespace go to the jobs whose group or pods they are about: one request.
// Returns a note if they may not be read.
std::string add_events(ApiReader& reader, const std::string& name_space,
                       std::vector<LiveJob>& jobs);

OwnerReference controller_of(const document::Value& object);

}  // namespace berth::tools
