#include <limits>

#include "kube/codecs.h"
#include "kube/fields.h"

namespace berth::kube {

namespace {

QueueState state_of(std::string_view text) {
  if (text.empty() || text == "Open") return QueueState::open;
  return text == "Closing" ? QueueState::closing : QueueState::closed;
}

}  // namespace

Result<QueueObject> decode_queue(const conf::Value& value, std::string_view file) {
  conf::Reading reading(value, file);
  const conf::Cursor root = reading.root();
  Metadata metadata = read_metadata(root, "Queue", Scope::cluster);
  const conf::Cursor spec = root["spec"];
  QueueObject queue;
  queue.name = std::move(metadata.name);
  queue.uid = std::move(metadata.uid);
  queue.created = metadata.created;
  queue.weight = static_cast<std::int32_t>(spec["weight"].integer(1, 1, 65535));
  queue.priority = static_cast<std::int32_t>(
      spec["priority"].integer(0, 0, std::numeric_limits<std::int32_t>::max()));
  queue.reclaimable = spec["reclaimable"].boolean(true);
  queue.parent = spec["parent"].text();
  queue.state = state_of(root["status"]["state"].text());
  queue.capability = read_amounts(spec["capability"], kLimitMax);
  queue.guarantee = read_amounts(spec["guarantee"]["resource"], kLimitMax);
  queue.deserved = read_amounts(spec["deserved"], kLimitMax);
  if (reading.failed()) return reading.error();
  return queue;
}

}  // namespace berth::kube
