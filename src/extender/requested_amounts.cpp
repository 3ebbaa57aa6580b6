#include <string>
#include <utility>

#include "document/readers.h"
#include "extender/handlers.h"
#include "kube/codecs.h"

namespace berth::extender {

Result<NamedAmounts> request_of(std::string_view pod_json) {
  std::string text;
  text.reserve(pod_json.size() + document::kJsonPadding);
  text = pod_json;
  const Result<document::Value> value = document::parse_json(std::move(text), "Pod");
  if (!value) return value.error();
  kube::Complaint complaint;
  Result<PodObject> pod = kube::decode_pod(*value, "Pod", &complaint);
  if (!pod) return pod.error();
  if (!pod->constraints.fault.empty()) return *complaint;  // its request may be the fault
  return std::move(pod->request);
}

}  // namespace berth::extender
