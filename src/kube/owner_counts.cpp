#include "kube/owner_counts.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "kube/fields.h"

namespace berth::kube {

namespace {

using document::Cursor;

std::int64_t count_in(const Cursor& at, std::int64_t fallback = 1) {
  return at.integer(fallback, 0, kCountMax);
}

std::int32_t bounded(std::int64_t count) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(count, 0, kCountMax));
}

// OWNED-5. Of a Job's spec: Kubernetes starts no more pods than completions are missing.
std::int64_t pods_of_job(const Cursor& spec) {
  const std::int64_t parallelism = count_in(spec["parallelism"]);
  return std::min(parallelism, count_in(spec["completions"], parallelism));
}

void read_job(const Cursor& spec, OwnerObject& owner) {
  owner.at_once = bounded(pods_of_job(spec));
  owner.is_indexed = spec["completionMode"].text() == "Indexed";
}

void read_stateful_set(const Cursor& spec, OwnerObject& owner) {
  owner.at_once = bounded(count_in(spec["replicas"]));
  const std::string policy = spec["podManagementPolicy"].text("OrderedReady");
  if (policy == "Parallel") return;
  owner.at_first = 1;
  owner.in_turn = "podManagementPolicy: " + policy;
}

void read_job_set(const Cursor& spec, OwnerObject& owner) {
  const bool is_in_order = spec["startupPolicy"]["startupPolicyOrder"].text() == "InOrder";
  std::int64_t total = 0;
  std::int64_t first = 0;
  bool is_first = true;
  for (const Cursor& replicated : spec["replicatedJobs"].items()) {
    const std::int64_t pods =
        count_in(replicated["replicas"]) * pods_of_job(replicated["template"]["spec"]);
    const bool waits = !replicated["dependsOn"].items().empty();
    total = std::min(kCountMax, total + std::min(kCountMax, pods));
    if (is_in_order ? is_first : !waits)
      first = std::min(kCountMax, first + std::min(kCountMax, pods));
    if (waits) owner.in_turn = "dependsOn";
    is_first = false;
  }
  if (is_in_order) owner.in_turn = "startupPolicyOrder: InOrder";
  owner.at_once = bounded(total);
  if (!owner.in_turn.empty()) owner.at_first = bounded(first);
}

// Of each of its groups.
void read_leader_worker_set(const Cursor& object, OwnerObject& owner) {
  constexpr const char* kExclusive = "leaderworkerset.sigs.k8s.io/exclusive-topology";
  const Cursor spec = object["spec"];
  owner.at_once = bounded(count_in(spec["leaderWorkerTemplate"]["size"]));
  if (spec["startupPolicy"].text() == "LeaderReady") {
    owner.in_turn = "startupPolicy: LeaderReady";
  } else if (object["metadata"]["annotations"][kExclusive].is_present()) {
    owner.in_turn = std::string("annotation ") + kExclusive;
  }
  if (!owner.in_turn.empty()) owner.at_first = 1;
}

std::int64_t replicas_of(const Cursor& specs) {
  std::int64_t total = 0;
  for (const auto& [role, replica] : specs.entries()) {
    total = std::min(kCountMax, total + count_in(replica["replicas"]));
  }
  return total;
}

// With WaitForWorkersReady, the launcher is made when all workers run: it is surplus.
void read_mpi_job(const Cursor& spec, OwnerObject& owner) {
  std::int64_t pods = replicas_of(spec["mpiReplicaSpecs"]);
  const bool waits = spec["launcherCreationPolicy"].text() == "WaitForWorkersReady";
  const Cursor launcher = spec["mpiReplicaSpecs"]["Launcher"];
  if (waits && launcher.is_present()) pods -= count_in(launcher["replicas"]);
  owner.at_once = bounded(pods);
}

// With the autoscaler, what Ray starts with.
void read_ray_cluster(const Cursor& spec, OwnerObject& owner) {
  const bool is_scaled = spec["enableInTreeAutoscaling"].boolean(false);
  std::int64_t pods = 1;  // the head
  for (const Cursor& group : spec["workerGroupSpecs"].items()) {
    if (group["suspend"].boolean(false)) continue;
    const std::int64_t least = count_in(group["minReplicas"], 0);
    std::int64_t replicas = is_scaled ? least : std::max(least, count_in(group["replicas"], 0));
    if (!is_scaled) replicas = std::min(replicas, count_in(group["maxReplicas"], kCountMax));
    const std::int64_t hosts = std::max<std::int64_t>(1, count_in(group["numOfHosts"]));
    pods = std::min(kCountMax, pods + std::min(kCountMax, replicas * hosts));
  }
  owner.at_once = bounded(pods);
}

void read_kubeflow(const Cursor& spec, OwnerObject& owner) {
  if (owner.self.kind == "MPIJob") return read_mpi_job(spec, owner);
  const std::string_view field = replica_specs_of(owner.self.kind);
  if (!field.empty()) owner.at_once = bounded(replicas_of(spec[field]));
}

}  // namespace

std::string_view replica_specs_of(std::string_view kind) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kReplicaSpecs{
      {{"PyTorchJob", "pytorchReplicaSpecs"},
       {"TFJob", "tfReplicaSpecs"},
       {"XGBoostJob", "xgbReplicaSpecs"},
       {"PaddleJob", "paddleReplicaSpecs"},
       {"JAXJob", "jaxReplicaSpecs"},
       {"MPIJob", "mpiReplicaSpecs"}}};
  const auto found = std::find_if(kReplicaSpecs.begin(), kReplicaSpecs.end(),
                                  [&](const auto& row) { return row.first == kind; });
  return found == kReplicaSpecs.end() ? std::string_view() : found->second;
}

void read_counts(const Cursor& object, OwnerObject& owner) {
  const Cursor spec = object["spec"];
  const std::string_view group = owner.self.group();
  const std::string& kind = owner.self.kind;
  if (group == "batch" && kind == "Job") return read_job(spec, owner);
  if (group == "apps" && kind == "StatefulSet") return read_stateful_set(spec, owner);
  if (group == "jobset.x-k8s.io" && kind == "JobSet") return read_job_set(spec, owner);
  if (group == "leaderworkerset.x-k8s.io") return read_leader_worker_set(object, owner);
  if (group == "kubeflow.org") return read_kubeflow(spec, owner);
  if (group == "ray.io" && kind == "RayCluster") return read_ray_cluster(spec, owner);
}

}  // namespace berth::kube
