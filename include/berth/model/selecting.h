#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "berth/model/relations.h"

// The objects that select pods by their labels, as far as kube-scheduler asks them for the
// selector of default spreads (SPREAD-8, docs/design/topology-spread.md). Plain values.

namespace berth {

enum class SelectingKind : std::uint8_t {
  service,
  replication_controller,
  replica_set,
  stateful_set
};
inline constexpr std::size_t kSelectingKinds = 4;

// "Service"
std::string_view to_string(SelectingKind kind);

struct SelectingObject {
  SelectingKind kind = SelectingKind::service;
  std::string name_space;
  std::string name;
  PodSelector pods;
  std::string full_name() const { return name_space + "/" + name; }
  bool operator==(const SelectingObject&) const = default;
};

struct SelectingDeleted {
  SelectingKind kind = SelectingKind::service;
  std::string full_name;  // namespace/name
};

}  // namespace berth
