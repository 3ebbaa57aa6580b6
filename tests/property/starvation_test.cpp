#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

#include "support/stage.h"

// The stories of S0 and S2, with a stream of small jobs that never ends: without a reservation the
// big job waits for ever, with it it starts, under each lock. Waits are in cycles.

namespace berth::support::starvation_test {
namespace {

constexpr int kBigComes = 10;
constexpr int kCycles = 200;
constexpr int kSmallRuns = 7;  // cycles, at most; the least is 3

struct Story {
  const char* name;
  std::string big;  // lines of a scenario
  int pods;
};

const Story kStories[] = {
    // S0, first scene: equal priorities.
    {"equal", "job big min=2\ntask big/0..1 cpu=4\n", 2},
    // S0, second scene: it has the higher priority, and finds no room all the same.
    {"higher", "job big min=2 priority=high\ntask big/0..1 cpu=4\n", 2},
    // S2: a job of one pod.
    {"single", "job big\ntask big/0 cpu=4\n", 1},
};

struct Outcome {
  std::optional<int> waited;        // until it had its places; nothing: for ever
  int small_started_meanwhile = 0;  // while nodes were locked
};

class Play {
 public:
  Play(const Story& story, const engine::SessionConfig& config)
      : story_(story),
        world_(stage("priorityclass high value=10\n"
                     "node n1 cpu=4\nnode n2 cpu=4\nnode n3 cpu=4\n"
                     "node n4 cpu=4\nnode n5 cpu=4\nnode n6 cpu=4\n",
                     config)) {}

  Outcome run() {
    Outcome outcome;
    for (int cycle = 0; cycle < kCycles && !outcome.waited; ++cycle) {
      std::erase_if(ends_, [&](const auto& entry) {
        if (entry.second > cycle) return false;
        world_->finish(entry.first, true);
        return true;
      });
      if (cycle == kBigComes) bring(*world_, story_.big);
      // More comes in each cycle than ends.
      for (int i = 0; i < 6; ++i) {
        bring(*world_, "pod s" + std::to_string(cycle) + "-" + std::to_string(i) + " cpu=1\n");
      }
      world_->advance(std::chrono::seconds(10));
      const bool has_locks = world_->cluster().locks().for_targets() > 0;
      const NamedPlan& plan = world_->run();
      for (const std::string& bind : plan.binds) {
        const std::string pod = bind.substr(0, bind.find(' '));
        if (pod.starts_with("default/big")) {
          outcome.waited = cycle - kBigComes;
        } else {
          ends_[pod] = cycle + 3 + static_cast<int>(ends_.size()) % (kSmallRuns - 2);
          outcome.small_started_meanwhile += has_locks ? 1 : 0;
        }
      }
    }
    EXPECT_TRUE(world_->faults().empty()) << world_->faults().front();
    return outcome;
  }

 private:
  const Story& story_;
  std::unique_ptr<World> world_;
  std::map<std::string, int> ends_;
};

TEST(Starvation, WithoutAReservationTheBigJobWaitsForEver) {
  for (const Story& story : kStories) {
    const Outcome outcome = Play(story, config_of("enqueue allocate backfill",
                                                  "priority gang conformance / overcommit "
                                                  "predicates nodeorder"))
                                .run();
    EXPECT_FALSE(outcome.waited) << story.name << ": it started after " << *outcome.waited;
  }
}

TEST(Starvation, WithAReservationItStartsUnderEachLock) {
  for (const Story& story : kStories) {
    for (const std::string lock : {"cluster", "multi-node", "single-node", "closest-fit"}) {
      for (const std::string actions :
           {"elect enqueue reserve allocate backfill", "enqueue elect allocate backfill reserve"}) {
        const std::string what = std::string(story.name) + ", " + lock + ", " + actions;
        const Outcome outcome =
            Play(story, config_of(actions,
                                  "priority gang conformance reservation(request-line=cpu=3,"
                                  "nodes=2,lock=" +
                                      lock + ") / overcommit predicates nodeorder"))
                .run();
        ASSERT_TRUE(outcome.waited) << what << ": it waits for ever";
        RecordProperty(what, *outcome.waited);
        // A cycle to be elected, one more for each node that single-node locks, and until the last
        // small job there has ended.
        EXPECT_LE(*outcome.waited, 2 + story.pods + kSmallRuns) << what;
        if (lock == "cluster") {
          EXPECT_EQ(outcome.small_started_meanwhile, 0) << what;
        } else {
          EXPECT_GT(outcome.small_started_meanwhile, 0) << what;
        }
      }
    }
  }
}

}  // namespace
}  // namespace berth::support::starvation_test
