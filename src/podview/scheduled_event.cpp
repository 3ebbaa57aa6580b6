#include "podview/scheduled_event.h"

#include "protobuf/reader.h"

namespace berth::podview {

namespace {

using protobuf::Field;

// Of k8s.io/api/events/v1.Event, and of core/v1.ObjectReference.
namespace event_number {
constexpr std::uint32_t kReason = 7, kRegarding = 8, kKind = 1, kUid = 4;
}  // namespace event_number

}  // namespace

std::optional<std::string> pod_of_scheduled_event(std::string_view body) {
  protobuf::Reader reader(body);
  protobuf::Envelope envelope;
  if (!reader.envelope(body, envelope) || envelope.kind != "Event") return std::nullopt;
  std::string_view reason, kind, uid;
  const bool is_read = reader.each(envelope.raw, "an Event", [&](const Field& field) {
    if (field.number == event_number::kReason) reason = field.content;
    if (field.number != event_number::kRegarding) return true;
    return reader.each(field.content, "a reference", [&](const Field& part) {
      if (part.number == event_number::kKind) kind = part.content;
      if (part.number == event_number::kUid) uid = part.content;
      return true;
    });
  });
  if (!is_read || reason != "Scheduled" || kind != "Pod") return std::nullopt;
  return std::string(uid);
}

}  // namespace berth::podview
