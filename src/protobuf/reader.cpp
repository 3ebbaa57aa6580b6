#include "protobuf/reader.h"

namespace berth::protobuf {

// A part that is missing is nowhere.
bool Reader::fail(std::string message, const char* at) {
  if (fault_) return false;
  fault_ = Error{std::move(message), ""};
  if (at != nullptr) fault_->where = "byte " + std::to_string(at - whole_.data());
  return false;
}

bool Reader::event(std::string_view message, EventParts& event) {
  return each(message, "a WatchEvent", [&](const Field& field) {
    if (field.number == number::kEventType) event.type = field.content;
    if (field.number != number::kEventObject) return true;
    return each(field.content, "an object", [&](const Field& part) {
      if (part.number == number::kExtensionRaw) event.object = part.content;
      return true;
    });
  });
}

bool Reader::list_head(std::string_view message, ListHead& head) {
  return each(message, "metadata of a list", [&](const Field& field) {
    if (field.number == number::kListVersion) head.version = field.content;
    if (field.number == number::kListContinue) head.continuation = field.content;
    return true;
  });
}

bool Reader::envelope(std::string_view bytes, Envelope& envelope) {
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

bool Reader::entry(std::string_view message, std::string_view& key, std::string_view& value) {
  return each(message, "an entry of a map", [&](const Field& field) {
    if (field.number == number::kKey) key = field.content;
    if (field.number == number::kValue) value = field.content;
    return true;
  });
}

}  // namespace berth::protobuf
