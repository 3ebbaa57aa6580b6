#include <algorithm>

#include "kube/codecs.h"
#include "kube/fields.h"
#include "kube/label_selector.h"

// The objects that select pods. One whose selector cannot be read selects none, as kube-scheduler
// has it.

namespace berth::kube {

namespace {

// A map of labels. Absent or empty: no pod.
PodSelector read_label_map(const document::Cursor& from) {
  PodSelector pods;
  for (const auto& [key, value] : from.entries()) {
    pods.all.push_back({std::string(key), Operator::in, {value.text()}});
  }
  pods.matches_nothing = pods.all.empty();
  return pods;
}

PodSelector read_selector(const document::Cursor& from) {
  return {read_label_selector(from), !from.is_present()};
}

template <class ReadPods>
Result<SelectingObject> decode_one(const document::Value& value, std::string_view file,
                                   SelectingKind kind, ReadPods read_pods) {
  document::Reading reading(value, file, document::Strictness::lenient);
  const document::Cursor root = reading.root();
  Metadata metadata = read_metadata(root, to_string(kind), Scope::namespaced);
  if (reading.failed()) return reading.error();
  SelectingObject object{kind, std::move(metadata.name_space), std::move(metadata.name), {}};
  object.pods = read_pods(root["spec"]["selector"]);
  std::sort(object.pods.all.begin(), object.pods.all.end());
  if (reading.failed()) object.pods = {{}, true};
  return object;
}

}  // namespace

Result<SelectingObject> decode_service(const document::Value& value, std::string_view file) {
  return decode_one(value, file, SelectingKind::service, read_label_map);
}

Result<SelectingObject> decode_replication_controller(const document::Value& value,
                                                      std::string_view file) {
  return decode_one(value, file, SelectingKind::replication_controller, read_label_map);
}

Result<SelectingObject> decode_replica_set(const document::Value& value, std::string_view file) {
  return decode_one(value, file, SelectingKind::replica_set, read_selector);
}

Result<SelectingObject> decode_stateful_set(const document::Value& value, std::string_view file) {
  return decode_one(value, file, SelectingKind::stateful_set, read_selector);
}

}  // namespace berth::kube
