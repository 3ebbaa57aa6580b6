// Lists, events and statuses in protobuf, read to values, and decoded as berthd does.
#include "fuzz/fuzz.h"
#include "kube/codecs.h"
#include "kubeapi/object_reader.h"
#include "protobuf/objects.h"

namespace berth::fuzz {
namespace {

using document::Value;

struct Extent {
  std::size_t values = 0;
  std::size_t bytes = 0;
};

void measure(const Value& value, Extent& extent) {
  ++extent.values;
  extent.bytes += value.text.size();
  BERTH_CHECK(is_utf8(value.text));
  for (const Value& item : value.items) measure(item, extent);
  for (const document::Member& member : value.members) {
    BERTH_CHECK(is_utf8(member.key));
    measure(member.value, extent);
  }
}

void expect_sound(const Value& object, const kube::TypeName& type, std::size_t size) {
  Extent extent;
  measure(object, extent);
  BERTH_CHECK(extent.values <= size + 1 && extent.bytes <= 20 * size);
  kube::Complaint complaint;
  const auto event = kube::decode_live(type, object, "f", complaint);
  if (!event) expect_readable(event.error(), "");
  if (complaint) expect_readable(*complaint, "");
}

void read(kubeapi::ObjectReader& reader, std::string_view input, const kube::TypeName& type) {
  std::string page(input);
  const auto list =
      reader.read_page(page, [&](const Value& item) { expect_sound(item, type, input.size()); });
  if (!list) expect_readable(list.error(), input);
  kubeapi::WatchEvent event;
  const std::string frame = std::string(4, '\0') + std::string(input);
  const Status status = reader.read_event(frame, event);
  if (!status) return expect_readable(status.error(), input);
  expect_sound(event.object, type, input.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view input = view_of(bytes, size);
  static const auto pods = kubeapi::protobuf_reader("Pod");
  static const auto nodes = kubeapi::protobuf_reader("Node");
  read(*pods, input, {"Pod", "v1"});
  read(*nodes, input, {"Node", "v1"});
  BERTH_CHECK(protobuf::message_of_status(input).size() <= 3 * size);
  return 0;
}

}  // namespace berth::fuzz
