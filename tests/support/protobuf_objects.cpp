#include "support/protobuf_objects.h"

#include <google/protobuf/descriptor.h>

#include <cstdlib>
#include <stdexcept>

#include "berth/base/text.h"
#include "document/readers.h"
#include "protobuf/reader.h"

namespace berth::support {

namespace {

namespace pb = google::protobuf;
namespace number = protobuf::number;
using document::Value;
using protobuf::append_field;

const pb::Descriptor& type_of(std::string_view kind) {
  const auto* type = pb::DescriptorPool::generated_pool()->FindMessageTypeByName(
      "berth.protobuf.k8s." + std::string(kind));
  if (type == nullptr) throw std::logic_error("no such kind: " + std::string(kind));
  return *type;
}

void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void append_number(std::string& out, std::uint32_t number, std::uint64_t value) {
  append_varint(out, number << 3);
  append_varint(out, value);
}

std::uint32_t number_of(const pb::FieldDescriptor& field) {
  return static_cast<std::uint32_t>(field.number());
}

std::string encoded(const pb::Descriptor& type, const Value& from);

std::string message_of(const pb::Descriptor& type, const Value& from) {
  std::string out;
  if (type.name() == "Quantity") {
    append_field(out, 1, from.text);
    return out;
  }
  if (type.name() != "Time") return encoded(type, from);
  const auto time = parse_time(from.text);
  if (!time) return out;
  const auto since = std::chrono::floor<std::chrono::seconds>(time->time_since_epoch());
  append_number(out, 1, static_cast<std::uint64_t>(since.count()));
  return out;
}

void append(std::string& out, const pb::FieldDescriptor& field, const Value& from) {
  if (from.kind == document::Kind::null) return;
  switch (field.type()) {
    case pb::FieldDescriptor::TYPE_STRING:
      return append_field(out, number_of(field), from.text);
    case pb::FieldDescriptor::TYPE_BOOL:
      return append_number(out, number_of(field), from.truth ? 1 : 0);
    case pb::FieldDescriptor::TYPE_INT32:
    case pb::FieldDescriptor::TYPE_INT64:
      return append_number(out, number_of(field),
                           static_cast<std::uint64_t>(std::atoll(from.text.c_str())));
    default:
      return append_field(out, number_of(field), message_of(*field.message_type(), from));
  }
}

void append_map(std::string& out, const pb::FieldDescriptor& field, const Value& from) {
  for (const document::Member& member : from.members) {
    std::string entry;
    append_field(entry, number::kKey, member.key);
    append(entry, *field.message_type()->FindFieldByNumber(number::kValue), member.value);
    append_field(out, number_of(field), entry);
  }
}

// Byte by byte: a library that was built without the thread sanitizer cannot handle the maps of
// classes that were built with it.
std::string encoded(const pb::Descriptor& type, const Value& from) {
  std::string out;
  for (const document::Member& member : from.members) {
    const pb::FieldDescriptor* const field = type.FindFieldByName(member.key);
    const pb::FieldDescriptor* const inlined = type.FindFieldByName("volumeSource");
    if (field == nullptr && inlined != nullptr) {
      Value alone;
      alone.kind = document::Kind::map;
      alone.members.push_back(member);
      append(out, *inlined, alone);
    }
    if (field == nullptr) continue;
    if (field->is_map()) {
      append_map(out, *field, member.value);
    } else if (field->is_repeated()) {
      for (const Value& item : member.value.items) append(out, *field, item);
    } else {
      append(out, *field, member.value);
    }
  }
  return out;
}

std::string enveloped(std::string_view kind, std::string_view message) {
  std::string type;
  append_field(type, 1, "v1");
  append_field(type, number::kTypeKind, kind);
  std::string out(protobuf::kMagic);
  append_field(out, number::kUnknownType, type);
  append_field(out, number::kUnknownRaw, message);
  append_field(out, 3, "");
  append_field(out, 4, "");
  return out;
}

Value parsed(std::string_view json) {
  auto value = document::parse_json(std::string(json), "test");
  if (!value) throw std::logic_error(value.error().to_string());
  return std::move(*value);
}

std::string text_at(const Value& object, std::string_view key) {
  const Value* found = object.find(key);
  return found == nullptr ? "" : found->text;
}

}  // namespace

std::string protobuf_message(const Value& object, std::string_view kind) {
  return encoded(type_of(kind), object);
}

std::string protobuf_object(std::string_view json, std::string_view kind) {
  return enveloped(kind, protobuf_message(parsed(json), kind));
}

std::string protobuf_list(std::string_view json, std::string_view kind) {
  const Value list = parsed(json);
  std::string head;
  if (const Value* metadata = list.find("metadata"); metadata != nullptr) {
    append_field(head, number::kListVersion, text_at(*metadata, "resourceVersion"));
    append_field(head, number::kListContinue, text_at(*metadata, "continue"));
  }
  std::string message;
  append_field(message, number::kListMetadata, head);
  if (const Value* items = list.find("items"); items != nullptr) {
    for (const Value& item : items->items) {
      append_field(message, number::kListItems, protobuf_message(item, kind));
    }
  }
  return enveloped(std::string(kind) + "List", message);
}

std::string protobuf_frame(std::string_view json, std::string_view kind) {
  const Value event = parsed(json);
  const std::string type = text_at(event, "type");
  const std::string object_kind = type == "ERROR" ? "Status" : std::string(kind);
  std::string extension;
  append_field(extension, number::kExtensionRaw,
               enveloped(object_kind, protobuf_message(*event.find("object"), object_kind)));
  std::string message;
  append_field(message, number::kEventType, type);
  append_field(message, number::kEventObject, extension);
  std::string frame;
  for (const int shift : {24, 16, 8, 0}) frame += static_cast<char>(message.size() >> shift & 0xff);
  return frame + message;
}

}  // namespace berth::support
