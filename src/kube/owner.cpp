#include "kube/codecs.h"
#include "kube/fields.h"

namespace berth::kube {

Result<OwnerObject> decode_owner(const conf::Value& value, std::string_view file) {
  conf::Reading reading(value, file);
  const conf::Cursor metadata = reading.root()["metadata"];
  OwnerObject owner;
  owner.uid = metadata.required_text("uid");
  owner.names_target = metadata["annotations"][kTargetAnnotation].text() == "true";
  if (reading.failed()) return reading.error();
  return owner;
}

}  // namespace berth::kube
