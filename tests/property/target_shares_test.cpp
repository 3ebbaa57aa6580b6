#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <map>
#include <string>

#include "support/seeds.h"
#include "support/stage.h"

// PROPORTION-8: if a configuration elects every job, targets do not move the shares of queues.
// Two equal queues with small jobs, always more than there is room for; those of one came first,
// and have always waited longest. The time that pods run is counted: jobs differ in length by
// chance, so equal shares start unequal numbers. A seed that fails is printed; BERTH_SEED=<seed>
// plays it alone.

namespace berth::support::target_shares_test {
namespace {

constexpr std::uint64_t kSeeds = 2;
constexpr int kCycles = 120;
constexpr int kCome = 2;  // pods a cycle and queue

class TwoStreams {
 public:
  TwoStreams(std::uint64_t seed, const std::string& reservation)
      : random_(seed),
        world_(stage("queue q0\nqueue q1\n"
                     "node n1 cpu=2\nnode n2 cpu=2\nnode n3 cpu=2\n",
                     config_of("elect enqueue reserve allocate backfill",
                               "priority gang conformance " + reservation +
                                   " / predicates proportion nodeorder"))) {}

  // Cycles of what was started, by queue.
  std::array<int, 2> run() {
    std::array<int, 2> cycles{};
    for (int cycle = 0; cycle < kCycles; ++cycle) {
      std::erase_if(ends_, [&](const auto& entry) {
        if (entry.second > cycle) return false;
        world_->finish(entry.first, true);
        return true;
      });
      for (int i = 0; cycle == 0 && i < kCycles * kCome; ++i) bring_job(0);
      for (int i = 0; i < kCome; ++i) bring_job(1);
      world_->advance(std::chrono::seconds(10));
      for (const std::string& bind : world_->run().binds) {
        const std::string pod = bind.substr(0, bind.find(' '));
        ends_[pod] = cycle + cycles_of_.at(pod);
        cycles[queue_of_.at(pod)] += cycles_of_.at(pod);
      }
    }
    EXPECT_TRUE(world_->faults().empty()) << world_->faults().front();
    return cycles;
  }

 private:
  // One pod of 1 cpu, which runs for 2 to 8 cycles.
  void bring_job(std::size_t queue) {
    const std::string name = "j" + std::to_string(++jobs_);
    bring(*world_,
          "job " + name + " queue=q" + std::to_string(queue) + "\ntask " + name + "/0 cpu=1\n");
    cycles_of_["default/" + name + "-0"] = 2 + static_cast<int>(below(random_, 7));
    queue_of_["default/" + name + "-0"] = queue;
  }

  Random random_;
  std::unique_ptr<World> world_;
  int jobs_ = 0;
  std::map<std::string, int> ends_;  // of what runs
  std::map<std::string, int> cycles_of_;
  std::map<std::string, std::size_t> queue_of_;
};

void expect_equal_use(const std::string& reservation) {
  for (const std::uint64_t seed : seeds(kSeeds)) {
    const auto [first, second] = TwoStreams(seed, reservation).run();
    EXPECT_LE(std::abs(first - second) * 10, std::max(first, second))
        << "BERTH_SEED=" << seed << ": " << first << " to " << second << ", " << reservation;
  }
}

TEST(TargetShares, AreThoseOfTheQueuesThoughEveryJobIsElected) {
  expect_equal_use("reservation");
  expect_equal_use("reservation(nodes=1)");
  expect_equal_use("reservation(lock=closest-fit)");
}

TEST(TargetShares, AreThoseOfTheQueuesThoughSeveralAreElected) {
  expect_equal_use("reservation(targets=4)");
  expect_equal_use("reservation(targets=4,nodes=1)");
}

}  // namespace
}  // namespace berth::support::target_shares_test
