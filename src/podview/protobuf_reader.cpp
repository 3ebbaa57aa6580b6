#include "podview/protobuf_reader.h"

namespace berth::podview {

bool ProtobufReader::fail(std::string message, const char* at) {
  if (!fault_) fault_ = Error{std::move(message), "byte " + std::to_string(at - whole_.data())};
  return false;
}

bool ProtobufReader::envelope(std::string_view bytes, Envelope& envelope) {
  if (!bytes.starts_with(kMagic)) {
    return fail("expected an object that begins with \"k8s\\0\"", bytes.data());
  }
  return each(bytes.substr(kMagic.size()), "an object", [&](const Field& field) {
    if (field.number == number::kUnknownRaw) {
      envelope.raw = field.content;
      envelope.raw_field = field.whole;
    }
    if (field.number != number::kUnknownType) return true;
    return each(field.content, "a type", [&](const Field& part) {
      if (part.number == number::kTypeKind) envelope.kind = part.content;
      return true;
    });
  });
}

bool ProtobufReader::pod(std::string_view message, SeenPod& pod) {
  pod.bytes = message;
  return each(message, "a Pod", [&](const Field& field) {
    if (field.number == number::kPodMetadata) return metadata(field.content, pod);
    return field.number != number::kPodSpec || spec(field.content, pod);
  });
}

bool ProtobufReader::metadata(std::string_view message, SeenPod& pod) {
  return each(message, "metadata", [&](const Field& field) {
    switch (field.number) {
      case number::kName:
        pod.name = field.content;
        break;
      case number::kNamespace:
        pod.name_space = field.content;
        break;
      case number::kUid:
        pod.uid = field.content;
        break;
      case number::kVersion:
        pod.version = field.content;
        break;
      case number::kDeletionTime:
        pod.is_terminating = true;
        break;
      default:
        break;
    }
    return true;
  });
}

bool ProtobufReader::spec(std::string_view message, SeenPod& pod) {
  return each(message, "a spec", [&](const Field& field) {
    if (field.number == number::kNode) pod.node = field.content;
    if (field.number == number::kScheduler) pod.scheduler = field.content;
    if (field.number == number::kGates) pod.is_gated = true;
    return true;
  });
}

bool ProtobufReader::is_end_of_initial_events(std::string_view pod, bool& is_end) {
  return each(pod, "a Pod", [&](const Field& field) {
    if (field.number != number::kPodMetadata) return true;
    return each(field.content, "metadata", [&](const Field& part) {
      return part.number != number::kAnnotations || annotation(part.content, is_end);
    });
  });
}

bool ProtobufReader::annotation(std::string_view message, bool& is_end) {
  std::string_view key;
  std::string_view value;
  const bool is_read = each(message, "an annotation", [&](const Field& field) {
    if (field.number == number::kKey) key = field.content;
    if (field.number == number::kValue) value = field.content;
    return true;
  });
  is_end = is_end || (key == kEndOfInitialEvents && value == "true");
  return is_read;
}

bool ProtobufReader::status(std::string_view message, bool& is_expired) {
  return each(message, "a Status", [&](const Field& field) {
    const bool is_reason = field.number == number::kStatusReason;
    if (is_reason && (field.content == "Expired" || field.content == "Gone")) is_expired = true;
    if (field.number == number::kStatusCode && field.value == 410) is_expired = true;
    return true;
  });
}

}  // namespace berth::podview
