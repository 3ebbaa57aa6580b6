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
  Result<PodObject> pod = kube::decode_pod(*value, "Pod");
  if (!pod) return pod.error();
  return std::move(pod->request);
}

}  // namespace berth::extender
