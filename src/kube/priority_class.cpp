#include <limits>

#include "kube/codecs.h"
#include "kube/fields.h"

namespace berth::kube {

Result<PriorityClassObject> decode_priority_class(const document::Value& value,
                                                  std::string_view file) {
  document::Reading reading(value, file);
  const document::Cursor root = reading.root();
  PriorityClassObject priority_class;
  priority_class.name = read_metadata(root, "PriorityClass", Scope::cluster).name;
  priority_class.value = static_cast<std::int32_t>(root["value"].integer(
      0, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
  priority_class.global_default = root["globalDefault"].boolean(false);
  priority_class.never_preempts = root["preemptionPolicy"].text() == "Never";
  if (reading.failed()) return reading.error();
  return priority_class;
}

Result<DeviceClassObject> decode_device_class(const document::Value& value, std::string_view file) {
  document::Reading reading(value, file);
  const document::Cursor root = reading.root();
  DeviceClassObject object;
  object.name = read_metadata(root, "DeviceClass", Scope::cluster).name;
  object.extended_resource = read_name(root["spec"]["extendedResourceName"]);
  if (reading.failed()) return reading.error();
  return object;
}

}  // namespace berth::kube
