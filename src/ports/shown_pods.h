#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ports/plan_table.h"

// The waiting pods that kube-scheduler may see, as an immutable value (docs/design/view.md).

namespace berth::ports {

struct ShownPod {
  std::string uid;
  std::string name_space;
  std::string name;
  std::string node;
  bool is_nominated = false;  // not required: kube-scheduler may choose another node
  std::uint64_t attempt = 0;  // another number each time the pod is shown anew
  bool asks_filter = false;   // VIEW-19
};

struct ShownPods {
  std::vector<ShownPod> pods;    // in the order in which kube-scheduler is to try them
  ByText<std::uint32_t> by_uid;  // positions in `pods`
  Term term;                     // LEASE-5: nothing of it is shown when it is over

  static ShownPods of(std::vector<ShownPod> pods, Term term = {}) {
    ShownPods table;
    table.pods = std::move(pods);
    table.term = term;
    for (std::uint32_t i = 0; i < table.pods.size(); ++i) table.by_uid[table.pods[i].uid] = i;
    return table;
  }

  const ShownPod* find(std::string_view uid) const {
    const auto found = by_uid.find(uid);
    return found == by_uid.end() || !term.holds() ? nullptr : &pods[found->second];
  }
};

}  // namespace berth::ports
