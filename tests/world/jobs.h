#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/base/clock.h"

namespace berth::world {

// The maker of the pods of a job, and of its PodGroup.
enum class Maker : std::uint8_t {
  user,      // a user, and a controller that keeps the pods
  volcano,   // Volcano's Job: its pods follow the admission of the group, and begin anew together
  kubeflow,  // training operator: group and pods in any order; it takes edits of the group back
  ray,       // KubeRay: a head, then workers, which begin anew with the head
  owner,     // a Job or JobSet without a group: Berth makes one, if an annotation asks for a gang
};

// A user's job, as its controller keeps it.
struct Job {
  std::string name;
  Maker maker = Maker::user;
  std::string group = {};    // full name of its PodGroup; empty: it has none, or Berth makes it
  std::string owner = {};    // uid of its Job; empty: it has none
  std::string set = {};      // uid of the JobSet above that; empty: there is none
  std::int32_t size = 1;     // pods
  std::int32_t minimum = 1;  // 0: no gang
  std::int64_t cpu = 1000;   // milli-cpu a pod
  std::int32_t priority = 0;
  Duration run_time{};
  bool keeps_names = false;  // as a StatefulSet; else each pod has another name
  bool is_ours = true;       // else of kube-scheduler's own profile
  bool is_gated = false;     // until it is planned
  std::string queue = {};
  TimePoint created = {};
  bool is_over = false;           // deleted, or all its pods have succeeded
  bool has_worked = false;        // its minimum has run at once
  bool begins_anew = false;       // when its last pod is gone
  int beginnings = 0;             // besides the first
  std::vector<std::string> pods;  // uid by index; empty: none now
  std::vector<bool> has_succeeded;

  std::string budget() const { return "default/" + name; }  // if it has one
};

}  // namespace berth::world
