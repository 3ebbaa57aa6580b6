#include "embedded/pod_wire.h"

#include <algorithm>
#include <utility>

#include "podview/codec.h"
#include "podview/pod_reader.h"
#include "podview/pods.pb.h"

namespace berth::embedded {
namespace {

namespace number = podview::number;
namespace wire = podview::wire;
using protobuf::append_field;

constexpr std::uint32_t kNominated = 11;

std::string text(std::uint32_t field, std::string_view content) {
  std::string out;
  if (!content.empty()) append_field(out, field, content);
  return out;
}

std::string metadata_of(std::uint64_t version, const PodObject& pod) {
  std::string out = text(number::kName, pod.name) + text(number::kNamespace, pod.name_space) +
                    text(number::kUid, pod.uid) + text(number::kVersion, std::to_string(version));
  if (pod.terminating) append_field(out, number::kDeletionTime, {});
  return out;
}

std::string bytes_of(std::uint64_t version, const PodObject& pod) {
  std::string spec =
      text(number::kNode, pod.node_name) + text(number::kScheduler, pod.scheduler_name);
  for (const std::string& gate : pod.gates) append_field(spec, number::kGates, text(1, gate));
  const std::string status =
      text(number::kPhase, to_string(pod.phase)) + text(kNominated, pod.nominated_node);
  return text(number::kPodMetadata, metadata_of(version, pod)) + text(number::kPodSpec, spec) +
         text(number::kPodStatus, status);
}

std::string framed(std::string_view type, std::string object) {
  std::string out;
  podview::append_frame(type, std::move(object), out);
  return out;
}

// The view puts a node into each term of a pod.
std::string node_in(const wire::Affinity& affinity) {
  for (const wire::NodeSelectorTerm& term : affinity.node_affinity().required().terms()) {
    for (const wire::NodeSelectorRequirement& each : term.match_fields()) {
      if (each.key() == podview::kNameField && each.values_size() == 1) return each.values(0);
    }
  }
  return {};
}

bool has_marker(const wire::PodSpec& spec) {
  const auto& containers = spec.init_containers();
  return std::any_of(containers.begin(), containers.end(), [](const wire::Container& each) {
    return each.resources().requests().contains(std::string(podview::kMarker));
  });
}

Result<ShownPod> shown_pod(const podview::SeenPod& seen) {
  wire::Pod parts;
  if (!parts.ParseFromArray(seen.bytes.data(), static_cast<int>(seen.bytes.size()))) {
    return Error{"malformed protobuf, expected a pod", std::string(seen.name)};
  }
  return ShownPod{std::string(seen.name_space),
                  std::string(seen.name),
                  std::string(seen.uid),
                  std::string(seen.version),
                  std::string(seen.node),
                  std::string(seen.scheduler),
                  node_in(parts.spec().affinity()),
                  parts.status().nominated_node_name(),
                  has_marker(parts.spec())};
}

}  // namespace

std::string pod_event(const std::string& type, std::uint64_t version, const PodObject& pod) {
  return framed(type, podview::enveloped("Pod", bytes_of(version, pod)));
}

std::string pods_bookmark(std::uint64_t version) {
  const std::string end =
      text(number::kKey, podview::kEndOfInitialEvents) + text(number::kValue, "true");
  const std::string metadata =
      text(number::kVersion, std::to_string(version)) + text(number::kAnnotations, end);
  return framed("BOOKMARK", podview::enveloped("Pod", text(number::kPodMetadata, metadata)));
}

std::string pod_list(std::uint64_t version, const std::vector<ApiServer::Change>& pods,
                     const std::string& next) {
  std::string list =
      text(number::kListMetadata,
           text(number::kListVersion, std::to_string(version)) + text(number::kListContinue, next));
  for (const ApiServer::Change& each : pods) {
    append_field(list, number::kListItems, bytes_of(each.version, each.pod()));
  }
  return podview::enveloped("PodList", std::move(list));
}

Result<ShownEvent> read_shown_event(std::string_view frame) {
  podview::SeenEvent seen;
  if (const Status read = podview::read_event(frame, seen); !read) return read.error();
  if (seen.type == podview::EventType::error) return ShownEvent{"ERROR", {}};
  ShownEvent event;
  event.pod.version = seen.pod.version;
  if (seen.type == podview::EventType::bookmark) {
    event.type = "BOOKMARK";
    return event;
  }
  auto pod = shown_pod(seen.pod);
  if (!pod) return pod.error();
  return ShownEvent{std::string(name_of(seen.type)), std::move(*pod)};
}

Result<ShownList> read_shown_list(std::string_view body) {
  ShownList list;
  const auto parts = podview::read_list(body, [&](const podview::SeenPod& seen) -> Result<bool> {
    auto pod = shown_pod(seen);
    if (!pod) return pod.error();
    list.pods.push_back(std::move(*pod));
    return true;
  });
  if (!parts) return parts.error();
  list.version = parts->version;
  return list;
}

}  // namespace berth::embedded
