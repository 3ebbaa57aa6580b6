#include "berth/model/objects.h"

#include "berth/base/check.h"
#include "berth/base/enum_text.h"
#include "berth/base/look_up.h"
#include "berth/model/queue_nodes.h"

namespace berth {

std::pair<std::string, std::string> split_name(const std::string& full_name) {
  const std::size_t slash = full_name.find('/');
  return {full_name.substr(0, slash), full_name.substr(slash + 1)};
}

bool LockTolerations::cover(std::string_view locked_for) const {
  const bool all_such = locked_for.starts_with(kLockedForQueue) ? all_for_queues : all;
  return all_such || is_any_of(locked_for, some);
}

const char* to_string(GroupPhase phase) {
  BERTH_CHECK(phase <= GroupPhase::completed);
  return enum_text<GroupPhase::completed>(phase, "", "Pending", "Inqueue", "Running", "Unknown",
                                          "Completed");
}

const char* to_string(QueueState state) {
  BERTH_CHECK(state <= QueueState::closing);
  return enum_text<QueueState::closing>(state, "", "Open", "Closed", "Closing");
}

const char* to_string(PodPhase phase) {
  BERTH_CHECK(phase <= PodPhase::unknown);
  return enum_text<PodPhase::unknown>(phase, "", "Pending", "Running", "Succeeded", "Failed",
                                      "Unknown");
}

}  // namespace berth
