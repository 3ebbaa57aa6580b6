#include <gtest/gtest.h>

#include <map>

#include "ports/applied_write.h"
#include "reconcile/reconcile_fixture.h"

// Locks of nodes for queues, as labels and taints.

namespace berth::reconcile {
namespace {

using std::chrono::seconds;
using Written = RecordingWriter::Written;

// Three nodes as the API has them, a gang, and the queue "q".
class QueueLocksTest : public ReconcileTest {
 protected:
  void SetUp() override {
    for (const char* name : {"n1", "n2", "n3"}) see(make_node(name, 4));
    see_gang(make_group("g", 1), 1);
    see_queue();
  }
  void see(const ClusterEvent& event) {
    ReconcileTest::see(event);
    if (const auto* node = std::get_if<NodeObject>(&event)) nodes_[node->name] = *node;
  }
  void see_queue() {
    QueueObject queue;
    queue.name = queue.uid = "q";
    see(queue);
    mirror_.settle(now_);
    for (std::size_t q = 0; q < mirror_.cluster().queue_slots(); ++q) {
      if (mirror_.cluster().queue(QueueId(q)).name == "q") queue_ = QueueId(q);
    }
  }
  Written decide(const Plan& plan) {
    mirror_.assume_reservations(plan, now_);
    return session();
  }
  // The queue has these nodes of its own.
  Plan queue_with(const std::vector<std::string>& nodes) const {
    Plan plan;
    for (const std::string& name : nodes) {
      if (plan.queue_nodes.empty()) plan.queue_nodes.push_back({queue_, {}, {}});
      plan.queue_nodes[0].nodes.push_back(mirror_.cluster().find_node(name));
    }
    return plan;
  }
  Plan target_with(const std::string& node) const {
    Plan plan;
    Reservation& reservation = plan.reservations.emplace_back();
    reservation.job = mirror_.find_group("ml/g");
    reservation.election = {now_, "waits longest"};
    reservation.nodes = {mirror_.cluster().find_node(node)};
    return plan;
  }
  // The watch shows it.
  void show(const Written& written) {
    for (const auto& lock : written.locks) {
      NodeObject node = nodes_.at(lock.object.name);
      ports::apply(lock, node);
      see(node);
    }
  }
  // Another process, which sees what is there.
  void restart() {
    mirror_ = mirror::Mirror();
    mirror_.follow_api_phases(true);
    start();
    for (const auto& [name, node] : std::map(nodes_)) see(node);
    see_gang(make_group("g", 1), 1);
    see_queue();
    mirror_.follow_api_phases(false);
    mirror_.settle(now_);
  }

  QueueId queue_;
  std::map<std::string, NodeObject> nodes_;
};

TEST_F(QueueLocksTest, WritesLocksForAQueueBesideThoseForATarget) {
  const TimePoint locked_at = now_;
  auto written = decide(queue_with({"n1", "n2"}));
  ASSERT_EQ(written.locks.size(), 2U);
  EXPECT_EQ(written.locks[0], (ports::NodeLock{"", {}, false, "q", locked_at, false}));
  show(written);
  EXPECT_TRUE(session().locks.empty());

  now_ += seconds(5);
  Plan both = queue_with({"n1"});
  both.reservations = target_with("n1").reservations;
  written = decide(both);
  show(written);
  ASSERT_EQ(written.locks.size(), 2U);
  EXPECT_EQ(written.locks[0], (ports::NodeLock{"job.g", now_, false, "q", locked_at, false}));
  EXPECT_EQ(written.locks[1], ports::NodeLock()) << "n2 is open again";

  written = decide(queue_with({}));
  ASSERT_EQ(written.locks.size(), 1U);
  EXPECT_EQ(written.locks[0].queue, "");
}

TEST_F(QueueLocksTest, QueuesLocksSurviveARestartAndTheQueueTakesThemWithIt) {
  show(decide(queue_with({"n1"})));
  now_ += seconds(100);
  restart();
  EXPECT_TRUE(session().locks.empty()) << "it is as it was";
  ReconcileTest::see(QueueDeleted{"q"});
  const auto written = session();
  ASSERT_EQ(written.locks.size(), 1U);
  EXPECT_EQ(written.locks[0], ports::NodeLock());
}

TEST_F(QueueLocksTest, TakesAwayLabelsAndTaintsOfQueuesThatAreNotTrue) {
  NodeObject node = nodes_.at("n2");
  node.locked_for_queue = "q";
  node.has_queue_lock_taint = true;
  see(node);
  const auto written = session();
  ASSERT_EQ(written.locks.size(), 1U);
  EXPECT_EQ(written.locks[0], ports::NodeLock());
  node.locked_for_queue.clear();
  see(node);
  EXPECT_EQ(session_after(seconds(60)).locks.size(), 1U) << "the taint is still there";
}

TEST_F(QueueLocksTest, EnforcesLocksForQueuesByTaints) {
  side_->reconciler.set_options({true, false});
  auto written = decide(queue_with({"n1"}));
  ASSERT_EQ(written.locks.size(), 1U);
  EXPECT_EQ(written.locks[0], (ports::NodeLock{"", {}, false, "q", now_, true}));
  show(written);
  side_->reconciler.set_options({false, false});
  written = session();
  ASSERT_EQ(written.locks.size(), 1U);
  EXPECT_FALSE(written.locks[0].has_queue_taint);
  EXPECT_EQ(written.locks[0].queue, "q");
}

}  // namespace
}  // namespace berth::reconcile
