#pragma once

#include <string>
#include <vector>

#include "tools/live/api_reader.h"
#include "tools/live/live_job.h"
#include "tools/live/live_jobs.h"

namespace berth::tools {

// A job as a user writes it: "train", "job/train", "pytorchjob/train", "pod/train-0".
struct JobName {
  std::string kind;  // lower case, singular, without its group; empty: any
  std::string name;
};
JobName read_job_name(const std::string& text);

// "batch/v1" and "Job" -> jobs.batch. Kinds of Kubernetes and of operators add an "s".
Resource resource_of(const OwnerReference& owner);

struct FoundJobs {
  std::vector<LiveJob> jobs;
  std::string through;  // "PodGroup train", "Job train", "pod train-0"
  std::vector<std::string> notes;
};

// The jobs of that name among `all`: the PodGroup, else the jobs of the owner, else the job of the
// pod. Of kinds that agree; none: empty.
FoundJobs find_jobs(const LiveJobs& all, const JobName& wanted);

// The same for an owner of owners, such as a JobSet or a RayJob: asks the API server for the owners
// of all jobs' owners, 40 at most, three levels up.
FoundJobs find_through_owners(ApiReader& reader, const LiveJobs& all, const JobName& wanted,
                              const std::string& name_space);

}  // namespace berth::tools
