#include "kubeapi/kept_keys.h"

#include <algorithm>

#include "berth/base/text.h"

// API-9: keys that are not named here are skipped during parsing and cost no memory. A decoder in
// src/kube that reads a new key must name it here, too; tests/kubeapi/object_reader_test.cpp
// compares both. A Job of 1.5 MB of empty arguments takes 5 MB to read by them, and 56 MB whole.

namespace berth::kubeapi {

KeptKeys::KeptKeys(std::string_view table) {
  while (!(table = trimmed(table)).empty()) {
    std::string_view word = table.substr(0, table.find_first_of(" \n"));
    table.remove_prefix(word.size());
    if (!word.ends_with(':')) {
      rows.back().keys.push_back(word);
      continue;
    }
    word.remove_suffix(1);
    const bool are_kept = !word.starts_with('!');
    rows.push_back({word.substr(are_kept ? 0 : 1), {}, are_kept});
  }
}

bool KeptKeys::Row::keeps(std::string_view key) const {
  return (std::find(keys.begin(), keys.end(), key) != keys.end()) == are_kept;
}

const KeptKeys& keys_of_owners() {
  static const KeptKeys kKeys(R"(
    : apiVersion kind metadata spec status
    metadata: name namespace uid creationTimestamp resourceVersion annotations labels
      ownerReferences
    annotations: berth.dev/target berth.dev/gang k8s.io/initial-events-end
      scheduling.volcano.sh/group-min-member scheduling.volcano.sh/queue-name
      volcano.sh/queue-name leaderworkerset.sigs.k8s.io/exclusive-topology
      berth.dev/topology-required berth.dev/topology-preferred kai.scheduler/topology
      kai.scheduler/topology-required-placement kai.scheduler/topology-preferred-placement
    labels: scheduling.volcano.sh/queue-name volcano.sh/queue-name kueue.x-k8s.io/queue-name
    ownerReferences: apiVersion kind name uid controller
    spec: template parallelism completions completionMode replicas podManagementPolicy
      replicatedJobs startupPolicy leaderWorkerTemplate launcherCreationPolicy
      pytorchReplicaSpecs tfReplicaSpecs xgbReplicaSpecs paddleReplicaSpecs jaxReplicaSpecs
      mpiReplicaSpecs enableInTreeAutoscaling workerGroupSpecs activeDeadlineSeconds runPolicy
    runPolicy: activeDeadlineSeconds
    status: startTime
    replicatedJobs: replicas template dependsOn
    template: spec metadata
    startupPolicy: startupPolicyOrder
    leaderWorkerTemplate: size
    Master: replicas
    Worker: replicas
    Launcher: replicas
    Chief: replicas
    PS: replicas
    Evaluator: replicas
    workerGroupSpecs: replicas minReplicas maxReplicas numOfHosts suspend)");
  return kKeys;
}

const KeptKeys& keys_of_claims() {
  static const KeptKeys kKeys(R"(
    : apiVersion kind metadata spec status
    metadata: name namespace uid deletionTimestamp annotations ownerReferences resourceVersion
    annotations: pv.kubernetes.io/bind-completed volume.kubernetes.io/selected-node
      volume.beta.kubernetes.io/storage-class k8s.io/initial-events-end
    ownerReferences: apiVersion kind name uid controller
    spec: storageClassName resources accessModes volumeMode volumeAttributesClassName selector
      volumeName
    resources: requests
    requests: storage
    status: phase)");
  return kKeys;
}

const KeptKeys& keys_of_volumes() {
  static const KeptKeys kKeys(R"(
    : apiVersion kind metadata spec status
    metadata: name uid deletionTimestamp labels annotations resourceVersion
    annotations: pv.kubernetes.io/bind-completed volume.kubernetes.io/selected-node
      volume.beta.kubernetes.io/storage-class k8s.io/initial-events-end
    spec: storageClassName capacity accessModes volumeMode volumeAttributesClassName nodeAffinity
      claimRef csi awsElasticBlockStore gcePersistentDisk azureDisk cinder portworxVolume
    claimRef: namespace name uid
    csi: driver volumeHandle
    awsElasticBlockStore:
    gcePersistentDisk:
    azureDisk:
    cinder:
    portworxVolume:
    status: phase)");
  return kKeys;
}

const KeptKeys& keys_of_storage() {
  static const KeptKeys kKeys(R"(
    metadata: name namespace uid annotations resourceVersion
    annotations: k8s.io/initial-events-end
    status:)");
  return kKeys;
}

const KeptKeys& keys_of_selecting() {
  static const KeptKeys kKeys(R"(
    : apiVersion kind metadata spec
    metadata: name namespace uid annotations resourceVersion
    annotations: k8s.io/initial-events-end
    spec: selector)");
  return kKeys;
}

const KeptKeys& keys_of_specs() {
  static const KeptKeys kKeys(R"(
    : apiVersion kind metadata spec
    metadata: name uid creationTimestamp annotations resourceVersion
    annotations: k8s.io/initial-events-end)");
  return kKeys;
}

const KeptKeys& keys_of_others() {
  static const KeptKeys kKeys(R"(
    metadata: name namespace uid creationTimestamp deletionTimestamp labels annotations
      ownerReferences resourceVersion
    !annotations: kubectl.kubernetes.io/last-applied-configuration
    ownerReferences: apiVersion kind name uid controller)");
  return kKeys;
}

}  // namespace berth::kubeapi
