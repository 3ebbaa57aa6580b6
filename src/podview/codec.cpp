#include "podview/codec.h"

namespace berth::podview {

std::string_view name_of(EventType type) {
  if (type == EventType::added) return "ADDED";
  return type == EventType::modified ? "MODIFIED" : "DELETED";
}

EventType event_type_of(std::string_view name) {
  if (name == "ADDED") return EventType::added;
  if (name == "MODIFIED") return EventType::modified;
  if (name == "DELETED") return EventType::deleted;
  if (name == "BOOKMARK") return EventType::bookmark;
  return name == "ERROR" ? EventType::error : EventType::other;
}

}  // namespace berth::podview
