#include <algorithm>

#include "berth/model/queue_nodes.h"
#include "kube/codecs.h"
#include "kube/fields.h"

namespace berth::kube {

namespace {

constexpr std::int64_t kPodsDefault = 110;  // the kubelet's own default

// The label states the lock. Our taint without the label, or with another value, is no lock, but
// must be known so that it is removed. Other taints with that key are ordinary taints.
void read_lock(const document::Cursor& root, NodeObject& node) {
  if (auto label = node.labels.extract(kLockedForLabel)) node.locked_for = label.mapped();
  node.locked_since = read_time_annotation(root, kLockedSinceAnnotation);
  std::erase_if(node.taints, [&node](const Taint& taint) {
    if (taint.key != kLockedForLabel || !is_for_job(taint.value)) return false;
    if (taint.value == node.locked_for || !is_for_job(node.locked_for)) node.has_lock_taint = true;
    return true;
  });
}

// With the key for queues, every taint is ours.
void read_queue_lock(const document::Cursor& root, NodeObject& node) {
  if (auto label = node.labels.extract(kLockedForQueueLabel)) {
    node.locked_for_queue = label.mapped();
  }
  node.locked_for_queue_since = read_time_annotation(root, kLockedForQueueSinceAnnotation);
  std::erase_if(node.taints, [&node](const Taint& taint) {
    if (taint.key != kLockedForQueueLabel) return false;
    const bool is_its_own = taint.value == node.locked_for_queue;
    if (is_its_own || node.locked_for_queue.empty()) node.has_queue_lock_taint = true;
    return true;
  });
}

// A request beyond all bounds counts as kAmountMax (API-25), and must fit nowhere.
void bound(NamedAmounts& allocatable) {
  for (auto& [name, amount] : allocatable) amount = std::min(amount, kAmountMax - 1);
}

// Those by which pods may name them. Of a name that two have, the first counts.
NamedImages read_images(const document::Cursor& from) {
  NamedImages images;
  for (const document::Cursor& image : from.items()) {
    const std::int64_t size = image["sizeBytes"].integer(0, 0, kAmountMax);
    for (std::string& name : read_texts(image["names"])) images.emplace_back(std::move(name), size);
  }
  return images;
}

}  // namespace

Result<NodeObject> decode_node(const document::Value& value, std::string_view file,
                               Complaint* complaint) {
  document::Reading reading(value, file, strictness(complaint));
  const document::Cursor root = reading.root();
  const Metadata metadata = read_metadata(root, "Node", Scope::cluster);
  if (reading.failed()) return reading.error();
  NodeObject node;
  node.name = metadata.name;
  node.uid = metadata.uid;
  node.created = metadata.created;
  node.labels = read_strings(root["metadata"]["labels"]);
  node.unschedulable = root["spec"]["unschedulable"].boolean(false);
  for (const document::Cursor& from : root["spec"]["taints"].items()) {
    node.taints.push_back({from.required_text("key"), from["value"].text(),
                           read_taint_effect(from["effect"]).value_or(TaintEffect::no_schedule)});
  }
  read_lock(root, node);
  read_queue_lock(root, node);
  const document::Cursor status = root["status"];
  node.allocatable =
      read_amounts(status[status["allocatable"].is_present() ? "allocatable" : "capacity"]);
  node.allocatable.emplace("pods", kPodsDefault);
  bound(node.allocatable);
  node.images = read_images(status["images"]);
  if (is_refused(reading, complaint)) return reading.error();
  if (reading.failed()) node.unschedulable = true;  // API-25
  return node;
}

}  // namespace berth::kube
