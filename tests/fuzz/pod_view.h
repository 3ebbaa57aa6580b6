#pragma once

#include <memory>
#include <string>

#include "podview/memory.h"
#include "ports/attempts.h"
#include "ports/shown_pods.h"

namespace berth::fuzz {

// Of pods whose uid ends in 'b' or 'o', calls are at work.
struct CallsByUid final : ports::Attempts {
  Stage of(const std::string& pod_uid) const override {
    if (pod_uid.ends_with('b')) return Stage::binding;
    return pod_uid.ends_with('o') ? Stage::open : Stage::none;
  }
  bool is_quiet(const std::string&) const override { return false; }
};

inline const ports::Attempts& calls() {
  static const CallsByUid kCalls;
  return kCalls;
}

inline podview::Managed managed() { return {"other", "berth"}; }

// The pods a, b, c and d of the corpus have uids of those names.
inline std::shared_ptr<const ports::ShownPods> shown_pods() {
  static const auto kPods = std::make_shared<const ports::ShownPods>(
      ports::ShownPods::of({{"b", "default", "b", "n2", false, 1},
                            {"a", "default", "a", "n1", false, 2},
                            {"c", "default", "c", "n3", true, 3},
                            {"o", "default", "o", "n1", false, 4}}));
  return kPods;
}

inline std::shared_ptr<const ports::ShownPods> no_pods() {
  static const auto kNone = std::make_shared<const ports::ShownPods>();
  return kNone;
}

}  // namespace berth::fuzz
