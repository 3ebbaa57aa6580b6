#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/strong_id.h"
#include "berth/model/expression.h"

// How near each other the pods of a job are to be, as users write it in several dialects
// (docs/design/topology.md). Values without invariants.

namespace berth {

// Ours, on a pod, a PodGroup, or a controller of pods: a level that must hold all pods of the job,
// and one that should.
inline constexpr const char* kTopologyRequired = "berth.dev/topology-required";
inline constexpr const char* kTopologyPreferred = "berth.dev/topology-preferred";

// A level, as it is written. All empty: none is meant.
struct LevelName {
  std::string name = {};                  // its label, or another name of it
  std::optional<std::int32_t> tier = {};  // of HyperNodes: this one, or nearer
  std::string tier_name = {};             // likewise
  std::string topology = {};              // the one that is meant (KAI); empty: any
  bool is_none() const { return name.empty() && tier_name.empty() && !tier; }
  // "example.com/rack", "tier 2", "example.com/rack of topology gpu"
  std::string text() const;
  auto operator<=>(const LevelName&) const = default;
};

// The pods that a rule is about, among those of the job.
struct PodsOfRule {
  bool say_so = false;                  // only those that bear the annotation
  std::string set = {};                 // the name of a set of them; empty: of no certain one
  std::vector<Expression> labels = {};  // all of these must hold
  // Those with the same values of these labels are one part.
  std::vector<std::string> parted_by = {};
  auto operator<=>(const PodsOfRule&) const = default;
};

// TOPO-8. "These pods, or each part of them, in one domain."
struct NearRule {
  std::string written = {};  // where, for messages: "spec.networkTopology (hard)"
  PodsOfRule pods = {};
  LevelName required = {};         // within one domain of this level, or not at all
  LevelName preferred = {};        // within one of this level, or else of the next above
  bool is_as_near_as_can = false;  // preferred, of no certain level
  std::int32_t part_size = 0;      // in parts of so many, each by itself; 0: of no certain size
  std::int32_t min_parts = 0;      // parts that start together; 0: it says nothing
  bool is_of_parts() const { return part_size > 0 || !pods.parted_by.empty(); }
  // "all pods", "each 4 of pods of workers"
  std::string pods_text() const;
  // "in one example.com/rack", "if possible in one example.com/rack"
  std::string nearness_text() const;
  auto operator<=>(const NearRule&) const = default;
};

struct TopologyWish {
  std::vector<NearRule> rules = {};      // sorted, each once
  std::vector<std::string> faults = {};  // of what cannot be meant: "KEY (why)"; likewise
  bool is_none() const { return rules.empty() && faults.empty(); }
  auto operator<=>(const TopologyWish&) const = default;
};

// TOPO-12. All that both say.
void add_wish(TopologyWish& to, const TopologyWish& other);
// In order, each once, and not more than a job may have.
void tidy_up(TopologyWish& wish);

class LabelTable;
// TOPO-8. Is the rule about a pod with these labels? Whether the pod says so is another question.
bool may_be_about(const NearRule& rule, const LabelTable& table, LabelSetId labels);

class TopologyTable;
// TOPO-11, TOPO-13, TOPO-14. The parts of the wish that are not honoured, each as "FIELD" or
// "FIELD (why)". `is_alone`: it is of one pod, which is near itself.
std::vector<std::string> not_honoured_of(const TopologyWish& wish, const TopologyTable& topologies,
                                         bool is_alone);

}  // namespace berth
