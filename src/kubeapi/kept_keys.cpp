#include "kubeapi/kept_keys.h"

#include <algorithm>

// A9: what is not named here is passed over while the text is parsed, and costs no memory. Who has
// a decoder in src/kube read more must name it here, too; tests/kubeapi/kept_keys_test.cpp
// compares.

namespace berth::kubeapi {

namespace {

const std::vector<std::string_view> kMetadata{
    "name",   "namespace",  "uid", "creationTimestamp", "deletionTimestamp", "resourceVersion",
    "labels", "annotations"};

const KeptKeys::Row kAnnotations{
    "annotations", {"kubectl.kubernetes.io/last-applied-configuration"}, false};

}  // namespace

bool KeptKeys::Row::keeps(std::string_view key) const {
  return (std::find(keys.begin(), keys.end(), key) != keys.end()) == are_kept;
}

const KeptKeys& keys_of_pods() {
  static const KeptKeys kKeys{
      {{"", {"metadata", "spec", "status"}},
       {"metadata", kMetadata},
       kAnnotations,
       {"spec",
        {"schedulerName", "priority", "priorityClassName", "preemptionPolicy", "nodeName",
         "schedulingGates", "containers", "initContainers", "resources", "overhead", "nodeSelector",
         "affinity", "tolerations", "hostNetwork", "topologySpreadConstraints", "volumes",
         "resourceClaims"}},
       {"containers", {"resources", "ports"}},
       {"initContainers", {"resources", "ports", "restartPolicy"}},
       {"volumes", {"persistentVolumeClaim", "ephemeral"}},
       {"persistentVolumeClaim", {}},
       {"ephemeral", {}},
       {"status", {"phase", "nominatedNodeName", "startTime", "conditions"}},
       {"conditions", {"type", "status", "reason", "message"}}}};
  return kKeys;
}

const KeptKeys& keys_of_nodes() {
  static const KeptKeys kKeys{{{"", {"metadata", "spec", "status"}},
                               {"metadata", kMetadata},
                               kAnnotations,
                               {"spec", {"unschedulable", "taints"}},
                               {"status", {"allocatable", "capacity"}}}};
  return kKeys;
}

const KeptKeys& keys_of_others() {
  static const KeptKeys kKeys{{{"metadata", kMetadata}, kAnnotations}};
  return kKeys;
}

}  // namespace berth::kubeapi
