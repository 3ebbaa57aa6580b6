#pragma once

#include <cstddef>

#include "berth/model/objects.h"

// The most that one object, and the objects of one namespace, may cost: docs/design/bounds.md. Far
// above any use, so that no user meets them by accident, and low enough that no user can fill the
// memory of berthd or hold up its sessions.

namespace berth::bounds {

// BOUND-1. Of one pod.
inline constexpr std::size_t kTermsOfPod = 64;          // affinity to pods, and topology spreads
inline constexpr std::size_t kTermItemsOfPod = 2000;    // labels, values, namespaces in these
inline constexpr std::size_t kNodeTermsOfPod = 1000;    // nodeSelector, node affinity
inline constexpr std::size_t kNodeValuesOfPod = 20000;  // in these
inline constexpr std::size_t kTolerationsOfPod = 500;
inline constexpr std::size_t kHostPortsOfPod = 500;
inline constexpr std::size_t kVolumesOfPod = 500;  // claims and disks
inline constexpr std::size_t kImagesOfPod = 500;   // beyond them, none counts
inline constexpr std::size_t kNameLength = 253;    // bytes, as of any name of Kubernetes
// BOUND-2. Of one PodGroup.
inline constexpr std::size_t kRolesOfGroup = 256;
// BOUND-3. Of all different relations of the pods of a namespace, placed or not.
inline constexpr std::size_t kTermsOfNamespace = 1000;
inline constexpr std::size_t kTermItemsOfNamespace = 20000;
inline constexpr std::size_t kWideTermsOfNamespace = 100;  // that ask about other namespaces
// BOUND-6. Of the objects that select pods for default spreads: services of a namespace, by name.
inline constexpr std::size_t kServicesOfNamespace = 1000;
// BOUND-4. Of all different kinds of a namespace's waiting pods.
inline constexpr std::size_t kKindsOfNamespace = 1000;
inline constexpr std::size_t kNodeChecksOfNamespace = 20000;

// The relations of one pod.
struct RelationSize {
  std::size_t terms = 0;
  std::size_t items = 0;
  std::size_t wide = 0;
  RelationSize& operator+=(const RelationSize& other);
  RelationSize& operator-=(const RelationSize& other);
};
RelationSize size_of(const Relations& relations);
// Says how they are beyond the bounds of one pod. Empty: they are not.
std::string excess_of(const Relations& relations);

// How much there is to ask about each node, beside its room.
std::size_t checks_of(const Constraints& constraints);

// Leaves out what is beyond a bound, and notes that: such a pod is not planned. Its room on
// its node counts all the same.
void keep_within(PodObject& pod);

}  // namespace berth::bounds
