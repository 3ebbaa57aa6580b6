#include "kube/codecs.h"
#include "kube/fields.h"

namespace berth::kube {

Result<NamespaceObject> decode_namespace(const document::Value& value, std::string_view file) {
  document::Reading reading(value, file);
  const document::Cursor root = reading.root();
  NamespaceObject name_space;
  name_space.name = read_metadata(root, "Namespace", Scope::cluster).name;
  const document::Cursor metadata = root["metadata"];
  name_space.queue = metadata["annotations"]["scheduling.volcano.sh/queue-name"].text();
  if (name_space.queue.empty()) name_space.queue = metadata["labels"]["berth.dev/queue"].text();
  name_space.labels = read_strings(metadata["labels"]);
  if (reading.failed()) return reading.error();
  return name_space;
}

}  // namespace berth::kube
