#include "simulation/fits.h"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "berth/model/amount_text.h"
#include "engine/fit/fits_on.h"
#include "mirror/memory_cluster.h"
#include "simulation/names.h"
#include "simulation/simulation.h"
#include "simulation/trial.h"

namespace berth::simulation {

namespace {

bool waits(const PodObject& pod) {
  return pod.node_name.empty() && !pod.terminating && !pod.has_ended();
}

Status require_waiting(const std::string& name, const std::vector<ClusterEvent>& objects) {
  std::vector<std::string> names;
  for (const ClusterEvent& object : objects) {
    const auto* const pod = std::get_if<PodObject>(&object);
    if (pod == nullptr) continue;
    if (pod->full_name() != name) {
      names.push_back(pod->full_name());
      continue;
    }
    if (waits(*pod)) return Done{};
    std::string state = "is on node \"" + pod->node_name + "\" already";
    if (pod->terminating) state = "is being deleted";
    if (pod->has_ended()) state = "has ended";
    return Error{"pod \"" + name + "\" " + state + ", expected one that waits", "fits"};
  }
  return Error{unknown_name("pod", name, std::move(names)), "fits"};
}

// Nobody runs or ends here. The mirror leaves out pods of other schedulers that wait, but the
// filters ask them all alike.
mirror::MemoryCluster cluster_of(FitsRequest& request) {
  mirror::MemoryCluster cluster(mirror_options(request.config));
  const TimePoint now = start_of(request.objects);
  std::vector<PodObject*> pods;
  for (ClusterEvent& object : request.objects) {
    if (auto* const pod = std::get_if<PodObject>(&object)) {
      pods.push_back(pod);
    } else {
      cluster.apply(object);
    }
  }
  std::sort(pods.begin(), pods.end(),
            [](const PodObject* left, const PodObject* right) { return left->uid < right->uid; });
  for (PodObject* const pod : pods) {
    if (waits(*pod)) pod->scheduler_name = request.config.scheduler_names.front();
    cluster.apply(*pod);
  }
  cluster.mirror().settle(now);
  return cluster;
}

std::string text_of_lock(const Cluster& cluster, NodeId node, JobId job) {
  if (!cluster.is_locked_out(node, job)) return "";
  const JobId target = cluster.locks().target_in_the_way(node, job);
  if (target.is_valid()) return sentence(Reason::node_locked, 0, 0, cluster.job(target).name);
  return sentence(Reason::node_of_queue, 0, 0, cluster.queue(cluster.locks().queue(node)).name);
}

std::string message_of(const engine::Verdict& verdict) {
  const std::string text = sentence(verdict.reason, verdict.have, verdict.need, verdict.what);
  if (verdict.reason != Reason::insufficient_resource) return text;
  return text + " (" + readable_amount(verdict.what, verdict.need, Rounding::up) + " needed, " +
         readable_amount(verdict.what, verdict.have, Rounding::down) + " idle)";
}

// Counts nodes by reason.
class Refusals {
 public:
  void add(const engine::Verdict& verdict) {
    NodeRefusals& refusals = counts_[{verdict.reason, std::string(verdict.what)}];
    refusals.reason = verdict.reason;
    refusals.what = verdict.what;
    ++refusals.nodes;
    refusals.have = std::max(refusals.have, verdict.have);
    refusals.need = verdict.need;
  }
  std::vector<NodeRefusals> most_first() const {
    std::vector<NodeRefusals> all;
    for (const auto& [key, refusals] : counts_) all.push_back(refusals);
    std::stable_sort(all.begin(), all.end(), [](const NodeRefusals& left, const auto& right) {
      return left.nodes > right.nodes;
    });
    return all;
  }

 private:
  std::map<std::pair<Reason, std::string>, NodeRefusals> counts_;
};

PodFits fits_of(const Task& task, const Cluster& cluster) {
  const Shape& shape = cluster.shape(task.shape);
  PodFits fits;
  fits.pod = task.name;
  fits.hint = shape.unmodelled();
  Refusals refusals;
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    NodeFit& row = fits.nodes.emplace_back();
    row.node = cluster.node(NodeId(n)).name;
    row.lock = text_of_lock(cluster, NodeId(n), task.job);
    const engine::Verdict verdict = engine::fits_on(cluster, shape, NodeId(n));
    if (verdict) continue;
    row.reason = code(verdict.reason);
    row.message = message_of(verdict);
    row.in_the_way = engine::named_in_the_way(
        cluster, engine::pods_in_the_way(cluster, shape, NodeId(n), verdict), name_space_of(task));
    refusals.add(verdict);
    if (about(verdict.reason) != ReasonAbout::job) continue;
    fits.refused = row.reason;
    fits.refused_message = row.message;
  }
  fits.refusals = refusals.most_first();
  return fits;
}

}  // namespace

std::size_t PodFits::fit_count() const {
  return static_cast<std::size_t>(
      std::count_if(nodes.begin(), nodes.end(), [](const NodeFit& each) { return each.fits(); }));
}

Result<std::vector<PodFits>> which_nodes_fit(FitsRequest request) {
  if (const Status distinct = require_distinct_uids(request.objects); !distinct) {
    return distinct.error();
  }
  if (!request.pod.empty()) {
    const Status known = require_waiting(request.pod, request.objects);
    if (!known) return known.error();
  }
  const mirror::MemoryCluster memory = cluster_of(request);
  const Cluster& cluster = memory.cluster();
  std::vector<PodFits> all;
  for (std::size_t t = 0; t < cluster.task_slots(); ++t) {
    const Task& task = cluster.task(TaskId(t));
    const bool is_asked = request.pod.empty() || task.name == request.pod;
    if (is_asked && task.status == TaskStatus::pending && !task.uid.empty()) {
      all.push_back(fits_of(task, cluster));
    }
  }
  std::sort(all.begin(), all.end(),
            [](const PodFits& left, const PodFits& right) { return left.pod < right.pod; });
  return all;
}

}  // namespace berth::simulation
