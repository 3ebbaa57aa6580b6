#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "berth/model/constraints.h"

namespace berth::kube {

// Constraints as a pod's spec has them in Kubernetes' API; read_constraints() and read_relations()
// read them back.

// The members of spec.affinity.nodeAffinity; an empty object: none.
nlohmann::ordered_json node_affinity_json(const Constraints& constraints);
// The members of spec.affinity: that to nodes, and those to pods. An empty object: none.
nlohmann::ordered_json affinity_json(const Constraints& constraints);
// spec.topologySpreadConstraints
nlohmann::ordered_json spread_json(const Relations& relations);
// A LabelSelector for which all of these hold; none: it selects all.
nlohmann::ordered_json label_selector_json(const std::vector<Expression>& expressions);
nlohmann::ordered_json tolerations_json(const std::vector<Toleration>& tolerations);
nlohmann::ordered_json taints_json(const std::vector<Taint>& taints);

}  // namespace berth::kube
