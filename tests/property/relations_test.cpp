#include <gtest/gtest.h>

#include <map>
#include <set>

#include "property/random_cluster.h"

// Laws of what pods require of each other, for random clusters. Beside those that World checks
// after each session (among them that counts equal a recount): no plan breaks a relation, by a
// naive check of all pods.

namespace berth::support::relations_test {
namespace {

constexpr std::uint64_t kSeeds = 300;
constexpr int kCycles = 6;

struct Placed {
  const PodObject* pod = nullptr;
  std::map<std::string, std::string> labels;  // of its node
  bool is_new = false;
};

bool matches(const PodTerm& term, const PodObject& pod) {
  const std::map<std::string, std::string> labels(pod.labels.begin(), pod.labels.end());
  return std::all_of(term.pods.all.begin(), term.pods.all.end(), [&](const Expression& each) {
    const auto label = labels.find(each.key);
    return expression_holds(each, label == labels.end() ? nullptr : &label->second);
  });
}

bool are_together(const Placed& one, const Placed& other, const std::string& key) {
  const auto here = one.labels.find(key);
  const auto there = other.labels.find(key);
  return here != one.labels.end() && there != other.labels.end() && here->second == there->second;
}

// Of the pods that have a place now. Those that were there before may have broken a relation.
std::string first_fault(const std::vector<Placed>& all) {
  for (const Placed& one : all) {
    const Relations& wants = one.pod->constraints.relations;
    for (const Placed& other : all) {
      if (&one == &other || (!one.is_new && !other.is_new)) continue;
      for (const PodTerm& term : wants.anti_affinity) {
        if (matches(term, *other.pod) && are_together(one, other, term.topology_key)) {
          return one.pod->full_name() + " refuses " + other.pod->full_name();
        }
      }
    }
    if (!one.is_new) continue;
    for (const PodTerm& term : wants.affinity) {
      if (one.labels.count(term.topology_key) == 0) return one.pod->full_name() + " has no domain";
      const bool is_near = std::any_of(all.begin(), all.end(), [&](const Placed& other) {
        return are_together(one, other, term.topology_key) &&
               std::all_of(wants.affinity.begin(), wants.affinity.end(),
                           [&](const PodTerm& each) { return matches(each, *other.pod); });
      });
      if (!is_near) return one.pod->full_name() + " has no pod near it";
    }
  }
  return "";
}

// Tasks with a place; new are those that the last session placed.
std::vector<Placed> placed_in(World& world) {
  std::set<std::string> bound;
  for (const std::string& bind : world.last_plan().binds)
    bound.insert(bind.substr(0, bind.find(' ')));
  std::vector<Placed> all;
  const Cluster& cluster = world.cluster();
  for (std::size_t t = 0; t < cluster.task_slots(); ++t) {
    const Task& task = cluster.task(TaskId(t));
    if (task.uid.empty() || !task.node.is_valid() || !occupies_node(task.status)) continue;
    all.push_back(
        {world.pod(task.uid), cluster.node(task.node).labels, bound.count(task.name) > 0});
  }
  return all;
}

TEST(RelationLaws, NoPlanBreaksOne) {
  std::size_t placed = 0;
  for (const std::uint64_t seed : seeds(kSeeds)) {
    RandomStory story(seed, true);
    auto world = World::create(story.config());
    ASSERT_TRUE(world) << world.error().to_string();
    (*world)->apply_all(story.opening());
    for (int cycle = 0; cycle < kCycles; ++cycle) {
      placed += (*world)->plan().binds.size();
      ASSERT_EQ(first_fault(placed_in(**world)), "")
          << "BERTH_SEED=" << seed << ", session " << cycle + 1 << "\n"
          << (*world)->last_plan().to_string();
      if (below(story.random(), 4) != 0) (*world)->carry_out();
      (*world)->advance(std::chrono::seconds(1));
      story.happen(**world);
    }
    std::string faults;
    for (const std::string& fault : (*world)->faults()) faults += "  " + fault + "\n";
    ASSERT_EQ(faults, "") << "BERTH_SEED=" << seed;
  }
  if (seeds(kSeeds).size() > 1) {
    EXPECT_GT(placed, 0u);
  }
}

}  // namespace
}  // namespace berth::support::relations_test
