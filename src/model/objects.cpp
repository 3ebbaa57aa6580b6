#include "berth/model/objects.h"

#include "berth/base/check.h"
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
  switch (phase) {
    case GroupPhase::pending:
      return "Pending";
    case GroupPhase::inqueue:
      return "Inqueue";
    case GroupPhase::running:
      return "Running";
    case GroupPhase::unknown:
      return "Unknown";
    case GroupPhase::completed:
      return "Completed";
  }
  BERTH_CHECK(false);
}

const char* to_string(QueueState state) {
  switch (state) {
    case QueueState::open:
      return "Open";
    case QueueState::closed:
      return "Closed";
    case QueueState::closing:
      return "Closing";
  }
  BERTH_CHECK(false);
}

const char* to_string(PodPhase phase) {
  switch (phase) {
    case PodPhase::pending:
      return "Pending";
    case PodPhase::running:
      return "Running";
    case PodPhase::succeeded:
      return "Succeeded";
    case PodPhase::failed:
      return "Failed";
    case PodPhase::unknown:
      return "Unknown";
  }
  BERTH_CHECK(false);
}

}  // namespace berth
