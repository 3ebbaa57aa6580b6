#include <gtest/gtest.h>

#include <string>

#include "mirror/mirror.h"

namespace berth::mirror {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

// Nodes of queues, as labels state them and as sessions decide them.
class MirrorQueueNodes : public testing::Test {
 protected:
  static NodeObject node_object(const std::string& name, const std::string& queue = {}) {
    NodeObject node;
    node.name = node.uid = name;
    node.allocatable = {{"cpu", 4000}, {"pods", 110}};
    node.locked_for_queue = queue;
    if (!queue.empty()) node.locked_for_queue_since = TimePoint(minutes(30));
    return node;
  }
  static QueueObject queue_object(const std::string& name) {
    QueueObject queue;
    queue.name = name;
    queue.uid = "uid-of-" + name.substr(0, 5);
    return queue;
  }
  template <class Object>
  void see(const Object& object) {
    mirror_.apply(object);
    mirror_.settle(now_);
  }
  const Cluster& cluster() const { return mirror_.cluster(); }
  const QueueLock& lock_of(const std::string& node) const {
    return cluster().node(cluster().find_node(node)).queue_lock;
  }
  QueueId queue(const std::string& name) const {
    for (std::size_t q = 0; q < cluster().queue_slots(); ++q) {
      if (cluster().queue(QueueId(q)).name == name) return QueueId(q);
    }
    return {};
  }
  void give(const std::string& name, const std::vector<std::string>& nodes) {
    Plan plan;
    QueueNodes& given = plan.queue_nodes.emplace_back();
    given.queue = queue(name);
    for (const std::string& node : nodes) given.nodes.push_back(cluster().find_node(node));
    plan.has_relocked = true;
    mirror_.assume_reservations(plan, now_);
    mirror_.settle(now_);
  }

  TimePoint now_{hours(1)};
  Mirror mirror_;
};

TEST_F(MirrorQueueNodes, ALabelIsTheLockAfterAStartInWhateverOrderObjectsCome) {
  see(node_object("n1", "q"));
  see(node_object("n2", "gone"));
  EXPECT_FALSE(lock_of("n1").queue.is_valid());
  see(queue_object("q"));
  EXPECT_EQ(lock_of("n1"), (QueueLock{queue("q"), TimePoint(minutes(30))}));
  EXPECT_FALSE(lock_of("n2").queue.is_valid());
}

TEST_F(MirrorQueueNodes, AQueueWithALongNameIsFoundByItsUid) {
  const std::string name(70, 'q');
  see(queue_object(name));
  see(node_object("n1", queue_lock_value(name, "uid-of-qqqqq")));
  EXPECT_EQ(cluster().node(NodeId(0)).queue_lock.queue, queue(name));
  EXPECT_LE(queue_lock_value(name, "uid-of-qqqqq").size(), 63U);
}

TEST_F(MirrorQueueNodes, SessionsDecideAndKeepTheTimeOfALockThatStays) {
  see(queue_object("q"));
  see(node_object("n1"));
  see(node_object("n2"));
  give("q", {"n1"});
  const TimePoint first = now_;
  now_ += minutes(1);
  give("q", {"n1", "n2"});
  EXPECT_EQ(lock_of("n1"), (QueueLock{queue("q"), first}));
  EXPECT_EQ(lock_of("n2"), (QueueLock{queue("q"), now_}));
  EXPECT_EQ(cluster().locks().relocked_at(), now_);
  see(node_object("n1", "other"));  // somebody changes the label: it is written anew
  EXPECT_EQ(lock_of("n1").queue, queue("q"));
}

TEST_F(MirrorQueueNodes, OnceAnotherLeadsTheLabelsCount) {
  see(queue_object("q"));
  see(node_object("n1"));
  see(node_object("n2", "q"));
  give("q", {"n1"});
  ASSERT_FALSE(lock_of("n2").queue.is_valid());
  mirror_.follow_api_phases(true);
  mirror_.settle(now_);
  EXPECT_FALSE(lock_of("n1").queue.is_valid());
  EXPECT_EQ(lock_of("n2").queue, queue("q"));
  see(node_object("n2"));
  EXPECT_FALSE(lock_of("n2").queue.is_valid());
}

TEST_F(MirrorQueueNodes, TheNodesOfADeletedQueueAreOpen) {
  see(queue_object("q"));
  see(queue_object("r"));
  see(node_object("n1", "q"));
  see(node_object("n2", "r"));
  see(QueueDeleted{"q"});
  EXPECT_FALSE(lock_of("n1").queue.is_valid());
  EXPECT_EQ(lock_of("n2").queue, queue("r"));
  EXPECT_EQ(cluster().locks().for_queues(), 1U);
  see(queue_object("q"));  // another queue of that name has no nodes yet
  EXPECT_FALSE(lock_of("n1").queue.is_valid());
}

TEST_F(MirrorQueueNodes, ATimeInTheFutureIsNow) {
  see(queue_object("q"));
  NodeObject ahead = node_object("n1", "q");
  ahead.locked_for_queue_since = now_ + hours(5);
  see(ahead);
  EXPECT_LE(lock_of("n1").since, now_);
}

TEST_F(MirrorQueueNodes, QueuesBelowAreKnownWhateverComesFirst) {
  QueueObject child = queue_object("child");
  child.parent = "above";
  see(child);
  see(queue_object("above"));
  EXPECT_TRUE(cluster().is_below(queue("child"), queue("above")));
  EXPECT_FALSE(cluster().is_below(queue("above"), queue("child")));
  see(node_object("n1", "above"));
  EXPECT_FALSE(cluster().queue_in_the_way(NodeId(0), queue("child")).is_valid());
  child.parent.clear();
  see(child);
  EXPECT_EQ(cluster().queue_in_the_way(NodeId(0), queue("child")), queue("above"));
}

}  // namespace
}  // namespace berth::mirror
