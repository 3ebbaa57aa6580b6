// An object of any kind, decoded as of a file and as of the API server.
#include "berth/model/quantity.h"
#include "document/readers.h"
#include "embedded/pod_json.h"
#include "fuzz/fuzz.h"
#include "fuzz/object_type.h"
#include "kube/codecs.h"

namespace berth::fuzz {
namespace {

using document::Value;

void expect_bounded(const NodeObject& node) {
  for (const auto& [resource, amount] : node.allocatable) {
    BERTH_CHECK(amount >= 0 && amount <= kAmountMax);
  }
}

// A pod that is written and read again is written the same.
void expect_written_as_read(const PodObject& pod) {
  for (const auto& [resource, amount] : pod.request) BERTH_CHECK(amount >= 0);
  const std::string written = embedded::pod_json(pod);
  const auto value = document::parse_json(written, "f");
  BERTH_CHECK(value);
  const auto again = kube::decode_pod(*value, "f");
  BERTH_CHECK(again && embedded::pod_json(*again) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(view_of(bytes, size));
  const auto object = document::parse_json(text, "f");
  if (!object) return 0;
  const kube::TypeName type = type_of(*object);
  const auto owner = kube::decode_owner(*object, "f", type);
  if (!owner) expect_readable(owner.error(), text);
  if (!kube::is_known(type)) return 0;
  const auto strict = kube::decode(type, *object, "f");
  kube::Complaint complaint;
  const auto live = kube::decode_live(type, *object, "f", complaint);
  BERTH_CHECK(live || !strict);
  if (!strict) expect_readable(strict.error(), text);
  if (!live) expect_readable(live.error(), text);
  if (complaint) expect_readable(*complaint, text);
  if (live && std::holds_alternative<NodeObject>(*live)) {
    expect_bounded(std::get<NodeObject>(*live));
  }
  if (strict && std::holds_alternative<PodObject>(*strict)) {
    expect_written_as_read(std::get<PodObject>(*strict));
  }
  return 0;
}

}  // namespace berth::fuzz
