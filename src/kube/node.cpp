#include <array>

#include "berth/base/text.h"
#include "kube/codecs.h"
#include "kube/fields.h"

namespace berth::kube {

namespace {

constexpr std::int64_t kPodsDefault = 110;  // the kubelet's own default

const std::array<std::string, 3> kEffects{"NoExecute", "NoSchedule", "PreferNoSchedule"};

TaintEffect read_effect(const conf::Cursor& at) {
  const std::string text = at.text();
  if (text == kEffects[0]) return TaintEffect::no_execute;
  if (text == kEffects[1]) return TaintEffect::no_schedule;
  if (text == kEffects[2]) return TaintEffect::prefer_no_schedule;
  at.complain("\"" + text + "\" is no effect of a taint" + suggestion(text, kEffects));
  return TaintEffect::no_schedule;
}

}  // namespace

Result<NodeObject> decode_node(const conf::Value& value, std::string_view file) {
  conf::Reading reading(value, file);
  const conf::Cursor root = reading.root();
  const Metadata metadata = read_metadata(root, "Node", Scope::cluster);
  NodeObject node;
  node.name = metadata.name;
  node.uid = metadata.uid;
  node.created = metadata.created;
  node.labels = read_strings(root["metadata"]["labels"]);
  node.unschedulable = root["spec"]["unschedulable"].boolean(false);
  for (const conf::Cursor& from : root["spec"]["taints"].items()) {
    node.taints.push_back(
        {from.required_text("key"), from["value"].text(), read_effect(from["effect"])});
  }
  const conf::Cursor status = root["status"];
  node.allocatable =
      read_amounts(status[status["allocatable"].is_present() ? "allocatable" : "capacity"]);
  node.allocatable.emplace("pods", kPodsDefault);
  if (reading.failed()) return reading.error();
  return node;
}

}  // namespace berth::kube
