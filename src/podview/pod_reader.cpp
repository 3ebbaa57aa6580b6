#include "podview/pod_reader.h"

namespace berth::podview {

bool PodReader::pod(std::string_view message, SeenPod& pod) {
  pod.bytes = message;
  return each(message, "a Pod", [&](const Field& field) {
    if (field.number == number::kPodMetadata) return metadata(field.content, pod);
    if (field.number == number::kPodSpec) return spec(field.content, pod);
    return field.number != number::kPodStatus || phase(field.content, pod);
  });
}

bool PodReader::metadata(std::string_view message, SeenPod& pod) {
  return each(message, "metadata", [&](const Field& field) {
    if (field.number == number::kName) pod.name = field.content;
    if (field.number == number::kNamespace) pod.name_space = field.content;
    if (field.number == number::kUid) pod.uid = field.content;
    if (field.number == number::kVersion) pod.version = field.content;
    if (field.number == number::kDeletionTime) pod.is_terminating = true;
    return true;
  });
}

bool PodReader::spec(std::string_view message, SeenPod& pod) {
  return each(message, "a spec", [&](const Field& field) {
    if (field.number == number::kNode) pod.node = field.content;
    if (field.number == number::kScheduler) pod.scheduler = field.content;
    if (field.number == number::kGates) pod.is_gated = true;
    return true;
  });
}

bool PodReader::phase(std::string_view message, SeenPod& pod) {
  return each(message, "a status", [&](const Field& field) {
    if (field.number == number::kPhase) {
      pod.is_ended = field.content == "Succeeded" || field.content == "Failed";
    }
    return true;
  });
}

bool PodReader::is_end_of_initial_events(std::string_view pod, bool& is_end) {
  return each(pod, "a Pod", [&](const Field& field) {
    if (field.number != number::kPodMetadata) return true;
    return each(field.content, "metadata", [&](const Field& part) {
      return part.number != number::kAnnotations || annotation(part.content, is_end);
    });
  });
}

bool PodReader::annotation(std::string_view message, bool& is_end) {
  std::string_view key;
  std::string_view value;
  const bool is_read = entry(message, key, value);
  is_end = is_end || (key == kEndOfInitialEvents && value == "true");
  return is_read;
}

bool PodReader::status(std::string_view message, bool& is_expired) {
  return each(message, "a Status", [&](const Field& field) {
    const bool is_reason = field.number == number::kStatusReason;
    if (is_reason && (field.content == "Expired" || field.content == "Gone")) is_expired = true;
    if (field.number == number::kStatusCode && field.value == 410) is_expired = true;
    return true;
  });
}

}  // namespace berth::podview
