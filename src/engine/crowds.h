#pragma once

#include <map>
#include <string>

#include "berth/model/cluster.h"

namespace berth::engine {

// BOUND-4. The jobs that a session does not look at, because jobs of their namespace that come
// first, by priority and then by age, have as many kinds of waiting pods as one namespace may have.
// Pods of one kind have one base shape: what they have of relations, images and labels does not
// matter.
class Crowds {
 public:
  explicit Crowds(const Cluster& cluster);
  // Says how its namespace is beyond the bound; empty: the session looks at the job.
  const std::string& of(JobId job) const;

 private:
  void look_at(const Cluster& cluster, const std::vector<JobId>& jobs);

  std::map<JobId, std::string> found_;
};

}  // namespace berth::engine
