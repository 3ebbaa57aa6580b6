#include "kube/codecs.h"
#include "kube/fields.h"
#include "kube/owner_counts.h"
#include "kube/topology_wish.h"

namespace berth::kube {

namespace {

void add_queues_of(const document::Cursor& object, OwnerObject& owner) {
  QueueWish wish = read_queue_wish(object);
  for (std::string* queue : {&wish.queue, &wish.local_queue}) {
    if (!queue->empty()) owner.queues.push_back(std::move(*queue));
  }
}

}  // namespace

// TIME-7. An MPIJob's operator ends its launcher, and may leave its workers.
bool may_have_deadline(const OwnerReference& type) {
  if (type.group() == "batch") return type.kind == "Job";
  return type.group() == "kubeflow.org" && type.kind != "MPIJob";
}

Result<OwnerObject> decode_owner(const document::Value& value, std::string_view file,
                                 const TypeName& type) {
  document::Reading reading(value, file);
  const document::Cursor root = reading.root();
  const document::Cursor metadata = root["metadata"];
  OwnerObject owner;
  owner.uid = metadata.required_text("uid");
  owner.name_space = metadata["namespace"].text("default");
  owner.self = {root["apiVersion"].text(type.api_version), root["kind"].text(type.kind),
                metadata["name"].text(), owner.uid};
  const std::string word = metadata["annotations"][kTargetAnnotation].text();
  owner.names_target = word == "true";
  owner.declines_target = word == "false";
  owner.controller = read_controller(root);
  owner.gang = read_gang_wish(root);
  owner.queue = read_queue_wish(root);
  owner.topology = read_owner_wish(root);
  owner.created = metadata["creationTimestamp"].time();
  add_queues_of(root, owner);
  const document::Cursor of_pods = root["spec"]["template"];
  const std::size_t own = owner.queues.size();
  if (of_pods.is_present()) add_queues_of(of_pods, owner);
  // MAY-5, as the policy: what stands in the template is about pods, and its own queue is none of
  // theirs.
  const bool is_of_pods = of_pods["metadata"]["annotations"][kTargetAnnotation].text() == "true";
  if (owner.queues.size() == own && (is_of_pods || own == 0)) owner.queues.emplace_back();
  if (reading.failed()) return reading.error();
  // Of these, a part that cannot be read is not known.
  document::Reading of_times(value, file);
  if (may_have_deadline(owner.self)) {
    const auto deadline = read_job_deadline(of_times.root());
    if (!of_times.failed()) owner.deadline = deadline;
  }
  document::Reading of_spec(value, file);
  OwnerObject counted = owner;
  read_counts(of_spec.root(), counted);
  return of_spec.failed() ? owner : counted;
}

}  // namespace berth::kube
