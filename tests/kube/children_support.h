#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "kube/manifests.h"

namespace berth::kube {

// The objects in text that is correct.
inline Manifests read(const std::string& yaml) {
  Result<Manifests> manifests = parse_manifests(yaml, "f.yaml");
  EXPECT_TRUE(manifests.has_value()) << manifests.error().to_string();
  return manifests ? std::move(manifests).value() : Manifests{};
}

inline std::vector<PodObject> pods_in(const Manifests& manifests) {
  std::vector<PodObject> pods;
  for (const ClusterEvent& event : manifests.events) {
    if (const auto* const pod = std::get_if<PodObject>(&event)) pods.push_back(*pod);
  }
  return pods;
}

// The pod whose name begins so; there must be one.
inline PodObject pod_named(const Manifests& manifests, const std::string& prefix) {
  const std::vector<PodObject> pods = pods_in(manifests);
  const auto has_prefix = [&](const PodObject& pod) { return pod.name.starts_with(prefix); };
  const auto found = std::find_if(pods.begin(), pods.end(), has_prefix);
  EXPECT_NE(found, pods.end()) << "no pod " << prefix;
  return found == pods.end() ? PodObject{} : *found;
}

// Its label, or "none".
inline std::string label(const PodObject& pod, const std::string& key) {
  for (const auto& [name, value] : pod.labels) {
    if (name == key) return value;
  }
  return "none";
}

// The only remark on what was made; "N pods", with the remark where there is one.
inline std::string made(const Manifests& manifests) {
  EXPECT_EQ(manifests.made.size(), 1u);
  if (manifests.made.empty()) return {};
  const Made& one = manifests.made.front();
  return one.owner + ": " + std::to_string(one.pods) +
         (one.remark.empty() ? "" : ": " + one.remark);
}

inline std::string error_in(const std::string& yaml) {
  const Result<Manifests> manifests = parse_manifests(yaml, "f.yaml");
  EXPECT_FALSE(manifests.has_value());
  return manifests ? "" : manifests.error().to_string();
}

}  // namespace berth::kube
