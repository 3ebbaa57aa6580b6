#include <utility>

#include "mirror/mirror.h"

// Which queues are for which namespaces (docs/design/permissions.md).

namespace berth::mirror {

void Mirror::note_labels_of(const std::string& name, const NamespaceLabelsOf& labels) {
  if (!cluster_.set_namespace_labels(name, labels)) return;
  for (std::size_t j = 0; j < cluster_.job_slots(); ++j) {
    const Job& job = cluster_.job(JobId(j));
    if (job.exists && job.name.starts_with(name + "/")) mark_dirty(JobId(j));
  }
}

bool Mirror::serves(QueueId queue, const std::string& name_space) const {
  static const std::map<std::string, std::string> kNone;
  const NamespaceSelector& selector = cluster_.queue(queue).namespaces;
  if (selector.selects_all()) return true;
  const NamespaceLabels& known = cluster_.relations().namespaces();
  const auto labels = known.find(name_space);
  return selector.selects(name_space, labels == known.end() ? kNone : labels->second);
}

// MAY-1. The first queue that does not serve the job's namespace: its own, those above it, the
// root.
QueueId Mirror::barring_queue(const Job& job) const {
  if (!job.queue.is_valid()) return {};
  const std::string name_space = job.name.substr(0, job.name.find('/'));
  for (QueueId at = job.queue; at.is_valid(); at = cluster_.queue(at).above) {
    if (!serves(at, name_space)) return at;
  }
  const auto root = queues_.find(std::string(kRootQueue));
  return root == queues_.end() || serves(root->second, name_space) ? QueueId() : root->second;
}

void Mirror::settle_barred(JobId id) {
  const QueueId barred_by = barring_queue(cluster_.job(id));
  if (cluster_.job(id).barred_by != barred_by) cluster_.mutable_job(id).barred_by = barred_by;
}

}  // namespace berth::mirror
