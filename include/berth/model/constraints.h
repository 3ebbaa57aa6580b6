#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "berth/model/expression.h"
#include "berth/model/reason.h"
#include "berth/model/relations.h"
#include "berth/model/volume_needs.h"

// Where a pod may run, in Kubernetes' terms. Plain values.

namespace berth {

struct PreferredTerm {
  std::int32_t weight = 1;  // 1..100
  SelectorTerm term;
  auto operator<=>(const PreferredTerm&) const = default;
};

enum class TaintEffect : std::uint8_t { any, no_schedule, prefer_no_schedule, no_execute };

struct Taint {
  std::string key;
  std::string value;
  TaintEffect effect = TaintEffect::no_schedule;  // never `any`
  auto operator<=>(const Taint&) const = default;
};

struct Toleration {
  std::string key;      // empty with `exists`: tolerates every key
  bool exists = false;  // operator Exists; otherwise Equal
  std::string value;
  TaintEffect effect = TaintEffect::any;
  auto operator<=>(const Toleration&) const = default;
};

struct HostPort {
  std::string ip = "0.0.0.0";
  std::string protocol = "TCP";
  std::int32_t port = 0;  // 1..65535
  auto operator<=>(const HostPort&) const = default;
};

// Says that a part of a pod is left out because it is beyond a bound (docs/design/bounds.md), so
// that the pod is not planned.
struct Excess {
  Reason reason = Reason::none;
  std::string what = {};
  auto operator<=>(const Excess&) const = default;
};

// All constraints on a pod's node except resources.
struct Constraints {
  std::map<std::string, std::string> node_selector;
  bool has_required_terms = false;           // requiredDuringScheduling… is present
  std::vector<SelectorTerm> required_terms;  // one must hold, when present
  std::vector<PreferredTerm> preferred_terms;
  std::vector<Toleration> tolerations;
  std::vector<HostPort> host_ports;
  Relations relations;
  VolumeNeeds volumes;  // of what it mounts; the mirror fills it in
  // Sorted: of each container, in full ("nginx:latest"). One that two have is there twice.
  std::vector<std::string> images;
  // Sorted: constraints that we do not model, e.g. "podAffinity".
  std::vector<std::string> unmodelled;
  // The fault in a pod that could not be read; such a pod may run nowhere. Empty: none.
  std::string fault;
  Excess excess = {};
  auto operator<=>(const Constraints&) const = default;
};

}  // namespace berth
