#include "berth/base/check.h"
#include "kubeapi/object_reader.h"
#include "protobuf/frames.h"
#include "protobuf/objects.h"

namespace berth::kubeapi {

namespace {

namespace number = protobuf::number;
using protobuf::Field;

class ProtobufReader final : public ObjectReader {
 public:
  explicit ProtobufReader(const protobuf::Shape& shape) : shape_(shape) {}

  Result<ListMetadata> read_page(
      std::string& page, const std::function<void(const document::Value&)>& on_item) override {
    protobuf::Reader reader(page);
    protobuf::Envelope envelope;
    protobuf::ListHead head;
    if (!reader.envelope(page, envelope)) return reader.fault();
    const bool is_read = reader.each(envelope.raw, "a list", [&](const Field& field) {
      if (field.number == number::kListMetadata) return reader.list_head(field.content, head);
      if (field.number != number::kListItems) return true;
      document::Value item;
      if (!read_object(reader, field.content, shape_, item)) return false;
      on_item(item);
      return true;
    });
    if (!is_read) return reader.fault();
    return ListMetadata{std::string(head.version), std::string(head.continuation)};
  }

  Status read_event(std::string_view frame, WatchEvent& event) override {
    protobuf::Reader reader(frame);
    protobuf::EventParts parts;
    protobuf::Envelope envelope;
    event.object = document::Value();
    bool is_read =
        reader.event(protobuf::content_of(frame), parts) && reader.envelope(parts.object, envelope);
    event.type = parts.type;
    if (is_read) is_read = read_object(reader, envelope.raw, shape_of(envelope), event.object);
    return is_read ? Status(Done{}) : reader.fault();
  }

 private:
  const protobuf::Shape& shape_of(const protobuf::Envelope& envelope) const {
    static const protobuf::Shape& kStatus = *protobuf::find_shape("Status");
    return envelope.kind == "Status" ? kStatus : shape_;
  }

  const protobuf::Shape& shape_;
};

}  // namespace

std::unique_ptr<ObjectReader> protobuf_reader(std::string_view kind) {
  const protobuf::Shape* const shape = protobuf::find_shape(kind);
  BERTH_CHECK(shape != nullptr);
  return std::make_unique<ProtobufReader>(*shape);
}

}  // namespace berth::kubeapi
