#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "berth/model/node_match.h"
#include "property/random_cluster.h"

// Law: kube-scheduler's rule for topology spread accepts each pod of a plan, one after the other in
// the order of the plan. All pods are counted for each, by the words of topology-spread.md.

namespace berth::support::spread_law_test {
namespace {

constexpr std::uint64_t kSeeds = 300;
constexpr int kCycles = 6;

struct Placed {
  const PodObject* pod = nullptr;
  const Node* node = nullptr;
  bool leaves = false;
};

bool matches(const SpreadConstraint& spread, const PodObject& pod) {
  if (spread.pods.matches_nothing) return false;
  const std::map<std::string, std::string> labels(pod.labels.begin(), pod.labels.end());
  return std::all_of(spread.pods.all.begin(), spread.pods.all.end(), [&](const Expression& each) {
    const auto label = labels.find(each.key);
    return expression_holds(each, label == labels.end() ? nullptr : &label->second);
  });
}

// SPREAD-2, SPREAD-3.
bool counts(const SpreadConstraint& spread, const PodObject& pod, const Node& node) {
  const Constraints& wants = pod.constraints;
  for (const SpreadConstraint& each : wants.relations.spread) {
    if (!node.labels.contains(each.topology_key)) return false;
  }
  const bool is_out_by_affinity =
      spread.affinity == NodePolicy::honor && !has_labels(node, wants.node_selector);
  const bool is_out_by_taints =
      spread.taints == NodePolicy::honor && taint_in_the_way(node, wants.tolerations) != nullptr;
  return !is_out_by_affinity && !is_out_by_taints;
}

// How much the pod on this node would be above what the spread allows. Pods that leave in this
// session may have been there when the pod was placed; so they count only in the lowest count.
std::int32_t excess(const SpreadConstraint& spread, const Placed& one, const Cluster& cluster,
                    const std::vector<Placed>& others) {
  std::map<std::string, std::pair<std::int32_t, std::int32_t>> pods;  // without and with those
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    const Node& node = cluster.node(NodeId(n));
    if (counts(spread, *one.pod, node)) pods[node.labels.at(spread.topology_key)];
  }
  for (const Placed& other : others) {
    if (other.pod->name_space != one.pod->name_space || spread.is_empty) continue;
    if (!matches(spread, *other.pod) || !counts(spread, *one.pod, *other.node)) continue;
    auto& [without, with] = pods[other.node->labels.at(spread.topology_key)];
    without += other.leaves ? 0 : 1;
    ++with;
  }
  std::int32_t lowest = 0;
  if (pods.size() >= static_cast<std::size_t>(spread.min_domains)) {
    lowest = std::min_element(pods.begin(), pods.end(), [](const auto& left, const auto& right) {
               return left.second.second < right.second.second;
             })->second.second;
  }
  const auto here = pods.find(one.node->labels.at(spread.topology_key));
  const std::int32_t there = here == pods.end() ? 0 : here->second.first;
  return there + (matches(spread, *one.pod) ? 1 : 0) - lowest - spread.max_skew;
}

// The first word of each line: names of pods.
std::set<std::string> pods_of(const std::vector<std::string>& lines) {
  std::set<std::string> names;
  for (const std::string& line : lines) names.insert(line.substr(0, line.find(' ')));
  return names;
}

// After a session: the pods that had a place before it.
std::vector<Placed> placed_before(const World& world) {
  const std::set<std::string> bound = pods_of(world.last_plan().binds);
  const std::set<std::string> evicted = pods_of(world.last_plan().evictions);
  std::vector<Placed> all;
  const Cluster& cluster = world.cluster();
  for (std::size_t t = 0; t < cluster.task_slots(); ++t) {
    const Task& task = cluster.task(TaskId(t));
    if (task.uid.empty() || !task.node.is_valid() || !occupies_node(task.status)) continue;
    const bool leaves = evicted.contains(task.name);
    if (bound.contains(task.name) || (task.status == TaskStatus::releasing && !leaves)) continue;
    all.push_back({world.pod(task.uid), &cluster.node(task.node), leaves});
  }
  return all;
}

std::string first_fault(const World& world, std::size_t& asked) {
  std::vector<Placed> there = placed_before(world);
  const Cluster& cluster = world.cluster();
  for (const std::string& bind : world.last_plan().binds) {
    const std::size_t on = bind.find(" on ");
    const Placed one{world.pod(bind.substr(0, on)),
                     &cluster.node(cluster.find_node(bind.substr(on + 4))), false};
    for (const SpreadConstraint& spread : one.pod->constraints.relations.spread) {
      ++asked;
      if (!one.node->labels.contains(spread.topology_key)) return bind + ": no label";
      if (excess(spread, one, cluster, there) > 0) return bind + ": too many";
    }
    there.push_back(one);
  }
  return "";
}

TEST(SpreadLaw, EachPodOfAPlanIsAcceptedAfterThoseBeforeIt) {
  std::size_t asked = 0;
  for (const std::uint64_t seed : seeds(kSeeds)) {
    RandomStory story(seed, true);
    auto world = World::create(story.config());
    ASSERT_TRUE(world) << world.error().to_string();
    (*world)->apply_all(story.opening());
    for (int cycle = 0; cycle < kCycles; ++cycle) {
      (*world)->plan();
      ASSERT_EQ(first_fault(**world, asked), "")
          << "BERTH_SEED=" << seed << ", session " << cycle + 1 << "\n"
          << (*world)->last_plan().to_string();
      if (below(story.random(), 4) != 0) (*world)->carry_out();
      (*world)->advance(std::chrono::seconds(1));
      story.happen(**world);
    }
  }
  EXPECT_GT(asked, 100u);
}

}  // namespace
}  // namespace berth::support::spread_law_test
