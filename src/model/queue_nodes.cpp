#include "berth/model/queue_nodes.h"

namespace berth {

namespace {
constexpr std::size_t kLabelValueMost = 63;  // characters, by Kubernetes
}

std::string queue_lock_value(const std::string& name, const std::string& uid) {
  return name.size() <= kLabelValueMost ? name : "uid." + uid;
}

}  // namespace berth
