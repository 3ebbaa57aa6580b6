#include <limits>

#include "kube/codecs.h"
#include "kube/fields.h"

namespace berth::kube {

namespace {

QueueState state_of(std::string_view text) {
  if (text.empty() || text == "Open") return QueueState::open;
  return text == "Closing" ? QueueState::closing : QueueState::closed;
}

// S1, S3.
void read_guarantee(const conf::Cursor& guarantee, QueueObject& queue) {
  queue.guarantee = read_amounts(guarantee["resource"], kLimitMax);
  const std::string policy = guarantee["policy"].text();
  if (!policy.empty() && policy != "Best-Effort" && policy != "Guaranteed") {
    guarantee["policy"].complain("\"" + policy +
                                 "\" is no policy, expected Best-Effort or Guaranteed");
  }
  queue.guarantees_hard = policy == "Guaranteed";
  const conf::Cursor percentage = guarantee["percentage"];
  queue.guarantee_share_of = read_texts(percentage["dimensions"]);
  const std::string value = percentage["value"].scalar("0");
  const Result<std::int64_t> share = parse_quantity(value, Scale::milli, 1000);
  if (!share) percentage["value"].complain("\"" + value + "\" is no decimal from 0 to 1");
  if (share) queue.guarantee_share = static_cast<std::int32_t>(*share);
}

void read_spec(const conf::Cursor& root, QueueObject& queue) {
  const conf::Cursor spec = root["spec"];
  queue.weight = static_cast<std::int32_t>(spec["weight"].integer(1, 1, 65535));
  queue.priority = static_cast<std::int32_t>(
      spec["priority"].integer(0, 0, std::numeric_limits<std::int32_t>::max()));
  queue.reclaimable = spec["reclaimable"].boolean(true);
  queue.parent = spec["parent"].text();
  queue.state = state_of(root["status"]["state"].text());
  queue.capability = read_amounts(spec["capability"], kLimitMax);
  read_guarantee(spec["guarantee"], queue);
  queue.deserved = read_amounts(spec["deserved"], kLimitMax);
}

WrittenCondition condition_of(const conf::Cursor& condition) {
  return {condition["status"].text() == "True", condition["reason"].text(),
          condition["message"].text(), condition["lastTransitionTime"].time()};
}

WrittenQueueStatus read_status(const conf::Cursor& status) {
  const auto count = [&](const char* name) {
    return static_cast<std::int32_t>(
        status[name].integer(0, 0, std::numeric_limits<std::int32_t>::max()));
  };
  const auto amounts = [&](const char* name) { return read_amounts(status[name], kLimitMax); };
  WrittenQueueStatus written;
  written.has_state = status["state"].is_present();
  written.pending = count("pending");
  written.inqueue = count("inqueue");
  written.running = count("running");
  written.unknown = count("unknown");
  written.completed = count("completed");
  written.allocated = amounts("allocated");
  written.deserved = amounts("deserved");
  written.guarantee = amounts("guarantee");
  written.real_capability = amounts("realCapability");
  for (const conf::Cursor& condition : status["conditions"].items()) {
    const std::string type = condition["type"].text();
    if (type == "Ready") written.ready = condition_of(condition);
    if (type == "GuaranteeScaled") written.scaled = condition_of(condition);
  }
  return written;
}

}  // namespace

Result<QueueObject> decode_queue(const conf::Value& value, std::string_view file) {
  Result<QueueObject> queue = decode_queue_with_fault(value, file);
  if (queue && !queue->fault.empty()) {
    conf::Reading reading(value, file);
    QueueObject again;
    read_spec(reading.root(), again);
    return reading.error();
  }
  return queue;
}

Result<QueueObject> decode_queue_with_fault(const conf::Value& value, std::string_view file) {
  conf::Reading reading(value, file);
  const conf::Cursor root = reading.root();
  Metadata metadata = read_metadata(root, "Queue", Scope::cluster);
  QueueObject queue;
  queue.name = std::move(metadata.name);
  queue.uid = std::move(metadata.uid);
  queue.created = metadata.created;
  if (reading.failed()) return reading.error();
  read_spec(root, queue);
  if (reading.failed()) queue.fault = reading.error().message;
  // What we cannot read of a status is no fault of its queue: it is written anew.
  conf::Reading status(value, file);
  queue.written = read_status(status.root()["status"]);
  if (status.failed()) queue.written = {};
  return queue;
}

}  // namespace berth::kube
