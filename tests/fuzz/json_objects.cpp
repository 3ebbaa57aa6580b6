// Pages and lines of a watch in JSON, read for berthd, beside the strict reader of files.
#include "document/readers.h"
#include "fuzz/fuzz.h"
#include "fuzz/object_type.h"
#include "kube/codecs.h"
#include "kubeapi/object_reader.h"

namespace berth::fuzz {
namespace {

using document::Value;

void decode(const Value& object) {
  const kube::TypeName type = type_of(object);
  kube::Complaint complaint;
  if (const auto owner = kube::decode_owner(object, "f", type); !owner) {
    expect_readable(owner.error(), "");
  }
  if (!kube::is_known(type)) return;
  const auto event = kube::decode_live(type, object, "f", complaint);
  if (!event) expect_readable(event.error(), "");
  if (complaint) expect_readable(*complaint, "");
}

// Both readers take the same texts, and give the same values. Neither looks into managedFields.
void compare(const std::string& text, const Value& strict) {
  static const auto reader = kubeapi::json_reader(nullptr);
  kubeapi::WatchEvent event;
  const Status status = reader->read_event(R"({"type":"ADDED","object":)" + text + "}", event);
  BERTH_CHECK(status && document::same_content(event.object, strict));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(view_of(bytes, size));
  for (const kubeapi::KeptKeys* keys :
       {&kubeapi::keys_of_others(), &kubeapi::keys_of_owners(), &kubeapi::keys_of_volumes()}) {
    const auto reader = kubeapi::json_reader(keys);
    std::string page = text;
    const auto list = reader->read_page(page, [](const Value& item) { decode(item); });
    if (!list) expect_readable(list.error(), text);
    kubeapi::WatchEvent event;
    const Status status = reader->read_event(text, event);
    if (status) decode(event.object);
    if (!status) expect_readable(status.error(), text);
  }
  const auto strict = document::parse_json(text, "f");
  const bool is_comparable = text.find("anaged") == text.npos && !text.starts_with("\xEF\xBB\xBF");
  if (strict && strict->kind != document::Kind::null && is_comparable) compare(text, *strict);
  return 0;
}

}  // namespace berth::fuzz
