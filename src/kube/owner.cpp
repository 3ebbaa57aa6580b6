#include "kube/codecs.h"
#include "kube/fields.h"

namespace berth::kube {

Result<OwnerObject> decode_owner(const document::Value& value, std::string_view file) {
  document::Reading reading(value, file);
  const document::Cursor metadata = reading.root()["metadata"];
  OwnerObject owner;
  owner.uid = metadata.required_text("uid");
  const std::string word = metadata["annotations"][kTargetAnnotation].text();
  owner.names_target = word == "true";
  owner.declines_target = word == "false";
  if (reading.failed()) return reading.error();
  return owner;
}

}  // namespace berth::kube
