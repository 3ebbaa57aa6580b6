#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "berth/model/constraints.h"

namespace berth::kube {

// Constraints as a pod's spec has them in Kubernetes' API; read_constraints() reads them back.

// The members of spec.affinity.nodeAffinity; an empty object: none.
nlohmann::ordered_json node_affinity_json(const Constraints& constraints);
nlohmann::ordered_json tolerations_json(const std::vector<Toleration>& tolerations);
nlohmann::ordered_json taints_json(const std::vector<Taint>& taints);

}  // namespace berth::kube
