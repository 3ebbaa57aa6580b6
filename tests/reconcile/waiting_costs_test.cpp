#include <gtest/gtest.h>

#include "reconcile/reconcile_fixture.h"

// The writes that waiting jobs cost, by kind: the table in docs/design/reconcile.md.
namespace berth::reconcile {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

struct Costs {
  std::size_t statuses = 0;
  std::size_t group_events = 0;
  std::size_t pod_events = 0;
  std::size_t conditions = 0;
  bool operator==(const Costs&) const = default;
};

void PrintTo(const Costs& costs, std::ostream* out) {
  *out << costs.statuses << " statuses, " << costs.group_events << " events of groups, "
       << costs.pod_events << " of pods, " << costs.conditions << " conditions";
}

// 300 gangs of two pods wait, of which the first ones may start.
class WaitingCostsTest : public ReconcileTest {
 protected:
  static constexpr int kGangs = 300;

  void SetUp() override {
    side_->reconciler.set_options({.autoscaling = true});
    see(make_node("n1", 4));
    for (int i = 0; i < kGangs; ++i) join();
  }
  static std::string named(int number) { return "g" + std::to_string(number); }

  void join() { see_gang(make_group(named(last_++), 2), 2); }
  void first_starts() {
    for (int i = 0; i < 2; ++i) see(running_on(make_member(named(first_), i), "n1"));
    ++first_;
  }
  Plan all_wait() {
    mirror_.settle(now_);
    Plan plan;
    plan.order.emplace();
    for (int number = first_; number < last_; ++number) {
      plan.refusals.push_back(refusal_of(mirror_, named(number), Reason::gang_incomplete, 1, 2));
      plan.order->push_back(plan.refusals.back().job);
    }
    return plan;
  }
  // A session each second; statuses of jobs that wait.
  Costs costs_of(
      Duration time, const std::function<void()>& each_second = [] {}) {
    Costs costs;
    for (Duration passed{}; passed < time; passed += seconds(1)) {
      each_second();
      const auto written = session_after(seconds(1), all_wait());
      for (const auto& status : written.statuses) costs.statuses += status.reason.empty() ? 0 : 1;
      costs.conditions += written.conditions.size();
      for (const auto& event : written.events) {
        if (event.reason != "Unschedulable") continue;
        const bool is_on_pod = event.object.kind == ports::ObjectKind::pod;
        ++(is_on_pod ? costs.pod_events : costs.group_events);
      }
    }
    return costs;
  }

  int first_ = 0;
  int last_ = 0;
};

TEST_F(WaitingCostsTest, STATUS2AJobOfTwoPodsCostsSixWritesAndThenNone) {
  EXPECT_EQ(costs_of(seconds(64)), (Costs{kGangs, kGangs, 2 * kGangs - 10, 2 * kGangs}));
  EXPECT_EQ(costs_of(seconds(1)), (Costs{0, 0, 10, 0})) << "the last events of pods";
  EXPECT_EQ(costs_of(minutes(41)), Costs()) << "nothing changes";
}

TEST_F(WaitingCostsTest, STATUS6WhileTheirOrderMovesTheyCostFiveWritesASecond) {
  costs_of(minutes(2));
  int second = 0;
  const Costs costs = costs_of(minutes(5), [&] {
    if (++second % 30 == 0) first_starts();
  });
  EXPECT_LE(costs.statuses, 5U * 300);
  EXPECT_GE(costs.statuses, 1U * kGangs) << "positions are written";
  EXPECT_EQ(costs.pod_events + costs.conditions + costs.group_events, 0U);
}

TEST_F(WaitingCostsTest, STATUS2JobsThatComeBehindCostThoseAheadOneWriteInTenMinutes) {
  costs_of(minutes(2));
  const Costs costs = costs_of(minutes(7), [this] {
    if (last_ < kGangs + 100) join();
  });
  EXPECT_EQ(costs.statuses, 100U) << "their own";
  EXPECT_EQ(costs_of(minutes(6)).statuses, kGangs + 99U) << "the last one knows all";
  EXPECT_EQ(costs_of(minutes(20)).statuses, 0U);
}

}  // namespace
}  // namespace berth::reconcile
