#include "berth/model/queue_nodes.h"

#include <algorithm>

namespace berth {

namespace {
constexpr std::size_t kLabelValueMost = 63;  // characters, by Kubernetes
}

std::string queue_lock_value(const std::string& name, const std::string& uid) {
  return name.size() <= kLabelValueMost ? name : "uid." + uid;
}

bool QueueReservation::is_met() const {
  return choice.lacks.empty() &&
         std::all_of(amounts.begin(), amounts.end(),
                     [](const Amount& each) { return each.missing() == 0; });
}

}  // namespace berth
