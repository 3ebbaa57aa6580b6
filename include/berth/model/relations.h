#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "berth/model/expression.h"

// The requirements of a pod of other pods, in Kubernetes' terms. Plain values; codecs make them.
// docs/design/pod-affinity.md, topology-spread.md.

namespace berth {

// Pods by their labels.
struct PodSelector {
  std::vector<Expression> all;   // each must hold; none: every pod
  bool matches_nothing = false;  // there is no selector
  auto operator<=>(const PodSelector&) const = default;
};

// A term of pod affinity or anti-affinity. AFFINITY-1.
struct PodTerm {
  PodSelector pods;
  std::vector<std::string> namespaces;    // sorted; the pod's own, where the user names none
  bool selects_namespaces = false;        // namespaceSelector is present
  std::vector<Expression> of_namespaces;  // by their labels; all must hold; none: every namespace
  std::string topology_key;
  auto operator<=>(const PodTerm&) const = default;
};

struct PreferredPodTerm {
  std::int32_t weight = 1;  // 1..100; negative: anti-affinity
  PodTerm term;
  auto operator<=>(const PreferredPodTerm&) const = default;
};

enum class NodePolicy : std::uint8_t { honor, ignore };

struct SpreadConstraint {
  PodSelector pods;       // with what matchLabelKeys adds
  bool is_empty = false;  // the selector is {}: it counts no pod, and matches the pod itself
  std::string topology_key;
  std::int32_t max_skew = 1;     // >= 1
  std::int32_t min_domains = 1;  // >= 1
  NodePolicy affinity = NodePolicy::honor;
  NodePolicy taints = NodePolicy::ignore;
  auto operator<=>(const SpreadConstraint&) const = default;
};

// Empty for most pods.
struct Relations {
  std::string name_space;  // the pod's own; empty where there are no terms
  std::vector<PodTerm> affinity;
  std::vector<PodTerm> anti_affinity;
  std::vector<SpreadConstraint> spread;  // DoNotSchedule
  std::vector<PreferredPodTerm> preferred;
  std::vector<SpreadConstraint> preferred_spread;  // ScheduleAnyway

  bool are_empty() const {
    return affinity.empty() && anti_affinity.empty() && spread.empty() && preferred.empty() &&
           preferred_spread.empty();
  }
  auto operator<=>(const Relations&) const = default;
};

}  // namespace berth
