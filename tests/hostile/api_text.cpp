#include "hostile/api_text.h"

namespace berth::hostile {

namespace {

std::string joined(std::size_t count, const std::function<std::string(std::size_t)>& item) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) all += ',';
    all += item(i);
  }
  return all;
}

}  // namespace

std::string list(std::size_t count, const std::function<std::string(std::size_t)>& item) {
  return "[" + joined(count, item) + "]";
}

std::string map(std::size_t count, const std::function<std::string(std::size_t)>& entry) {
  return "{" + joined(count, entry) + "}";
}

std::string object(const std::string& kind, const std::string& api_version,
                   const Metadata& metadata, const std::string& rest) {
  return "{" + text("kind", kind) + "," + text("apiVersion", api_version) + R"(,"metadata":{)" +
         text("name", metadata.name) + "," + text("namespace", metadata.name_space) + "," +
         text("uid", kind + "-" + metadata.name_space + "-" + metadata.name) +
         R"(,"creationTimestamp":"2026-01-01T00:00:00Z",)" + member("labels", metadata.labels) +
         "," + member("annotations", metadata.annotations) + metadata.more + "}," + rest + "}";
}

std::string pod(const Pod& pod) {
  std::string containers = pod.containers;
  if (containers.empty()) {
    containers =
        R"([{"name":"c","image":"app:1","resources":{"requests":{)" + text("cpu", pod.cpu) + "}}}]";
  }
  std::string spec =
      text("schedulerName", pod.scheduler) + R"(,"priority":0,)" + member("containers", containers);
  if (!pod.node.empty()) spec += "," + text("nodeName", pod.node);
  if (!pod.spec.empty()) spec += "," + pod.spec;
  const std::string phase = pod.node.empty() ? "Pending" : "Running";
  return object("Pod", "v1", pod.metadata,
                member("spec", "{" + spec + "}") + R"(,"status":{)" + text("phase", phase) + "}");
}

std::string group(const Metadata& metadata, const std::string& spec) {
  return object("PodGroup", "scheduling.volcano.sh/v1beta1", metadata,
                member("spec", "{" + spec + "}"));
}

}  // namespace berth::hostile
