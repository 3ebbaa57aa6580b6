#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "berth/base/strong_id.h"
#include "berth/model/owner.h"

namespace berth::mirror {

// When the controllers of pods were made, as far as their kinds are watched.
// kube-controller-manager makes objects of templates, and the policy reserve.berth.dev checks a
// template only when it is written (MAY-9 of docs/design/permissions.md). The session thread only.
class ControllerAges {
 public:
  // Return the jobs whose last answer may be another now.
  std::vector<JobId> note(const OwnerObject& object);
  std::vector<JobId> forget(const std::string& uid);
  void forget_job(JobId job);

  // The creation of the oldest object of which kube-controller-manager may have made one with this
  // controller in this namespace; none: one of them is not known. TimePoint::max(): it made it of
  // nothing, because the controller is not of its kinds.
  std::optional<TimePoint> oldest(const std::string& name_space, const OwnerReference& controller,
                                  JobId asking);

 private:
  struct Known {
    std::string name_space;
    TimePoint created;
    OwnerReference controller;
    bool operator==(const Known&) const = default;
  };

  std::vector<JobId> asking_about(const std::string& uid) const;

  std::map<std::string, Known> known_;             // by uid
  std::map<std::string, std::set<JobId>> asking_;  // by uid, known or not
  std::map<JobId, std::set<std::string>> asked_;   // the same, by job
};

}  // namespace berth::mirror
