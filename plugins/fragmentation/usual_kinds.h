#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "berth/model/cluster.h"
#include "berth/model/node_rules.h"

namespace berth::plugins {

// Pods that ask for the same of extended resources and may run on the same nodes, as they are on
// average.
struct UsualKind {
  Dimension extended{0};  // of several, the one of which they ask for the largest part
  std::vector<std::pair<Dimension, std::int64_t>> request;  // amounts above 0, places aside
  std::int32_t weight = 0;                                  // a part of the sum of all
  std::uint64_t key = 0;                                    // the same for the same kind
  ShapeId example;                                          // has their constraints on nodes
  std::uint64_t serial = 0;                                 // of the example: ids are given again
  bool operator==(const UsualKind&) const = default;
};

// Rules FRAGMENT-2 and FRAGMENT-3 of docs/design/fragmentation.md. The result depends on the
// cluster alone; what is kept between calls saves time.
class UsualKinds {
 public:
  static constexpr std::size_t kMost = 8;

  // Takes time in proportion to the number of shapes.
  std::vector<UsualKind> of(const Cluster& cluster);

 private:
  // Equal for pods of one kind.
  struct Key {
    std::string extended;
    std::vector<std::pair<std::string, std::int64_t>> amounts;  // of extended resources
    NodeRules rules;
    auto operator<=>(const Key&) const = default;
  };
  struct KnownShape {
    std::uint64_t serial = 0;
    std::uint32_t kind = kNone;
  };
  struct Tally {
    const Key* key = nullptr;
    std::uint64_t hash = 0;  // of the key
    std::int64_t pods = 0;
    bool waits = false;          // a pod of it does
    std::vector<__int128> sums;  // by dimension
    ShapeId example;
  };

  static constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);
  static constexpr std::size_t kKnownMost = 10'000;

  void refresh(const Cluster& cluster);
  std::uint32_t kind_of(const Cluster& cluster, const Shape& shape);
  Key key_of(const Cluster& cluster, const Shape& shape) const;
  static std::uint64_t hash_of(const Key& key);
  void count(const Cluster& cluster);
  void note_those_that_wait(const Cluster& cluster);
  UsualKind make(const Cluster& cluster, const Tally& tally, std::int64_t pods) const;

  std::uint64_t spec_version_ = 0;
  std::vector<std::uint8_t> is_extended_;  // by dimension
  std::map<Key, std::uint32_t> number_of_;
  std::vector<KnownShape> known_;  // by shape
  std::vector<Tally> tallies_;     // by number
};

}  // namespace berth::plugins
