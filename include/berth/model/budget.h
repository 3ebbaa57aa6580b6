#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/model/constraints.h"
#include "berth/model/labels.h"

namespace berth {

// A PodDisruptionBudget: how many of some pods may be evicted now.
struct BudgetObject {
  std::string name_space;
  std::string name;
  std::string uid;
  // All hold for each pod of its namespace that it protects. None: it protects nobody.
  std::optional<std::vector<Expression>> selector;
  std::int32_t allowed = 0;            // status.disruptionsAllowed; >= 0
  std::vector<std::string> disrupted;  // pods whose eviction `allowed` counts already; sorted

  std::string full_name() const { return name_space + "/" + name; }
  // Does it protect a pod of its namespace? `value_of(key)` is the value of a label, null: none.
  template <class ValueOf>
  bool selects(const ValueOf& value_of) const {
    return selector && all_hold(*selector, value_of);
  }
  bool counts(const std::string& pod_name) const {
    return std::binary_search(disrupted.begin(), disrupted.end(), pod_name);
  }
  bool operator==(const BudgetObject&) const = default;
};

}  // namespace berth
