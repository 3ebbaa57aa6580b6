#pragma once

#include <string>

#include "berth/model/objects.h"

namespace berth::ports {

struct GroupStatus {
  std::string name_space;
  std::string name;
  GroupPhase phase = GroupPhase::pending;
  std::string reason;   // code of why it waits; empty: it does not
  std::string message;  // the same in words
};

// What Berth writes besides bindings. Any thread; returns at once; callers write only on change.
class StatusSink {
 public:
  virtual ~StatusSink() = default;
  // status.nominatedNodeName: reserves the room in kube-scheduler and wakes the pod there.
  // An empty node clears it.
  virtual void nominate(const std::string& pod_uid, const std::string& node) = 0;
  virtual void write(const GroupStatus& status) = 0;
};

}  // namespace berth::ports
