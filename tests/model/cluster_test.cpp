#include "berth/model/cluster.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "berth/model/reason.h"
#include "engine/consistency.h"
#include "support/stage.h"

namespace berth {
namespace {

TEST(ClusterTest, MovingATaskIsItsOwnInverseForEveryStatus) {
  const auto world = support::stage(
      "node a cpu=4\nnode b cpu=4\njob j min=1 roles=w:1\ntask j/0 cpu=1 role=w\n"
      "task j/1 cpu=1 role=w on=b\ntask j/2 role=w gated\npod x unmanaged cpu=1 on=a\n");
  Cluster& cluster = world->mirror().cluster_for_session();
  const std::uint64_t before = engine::fingerprint(cluster);
  for (std::size_t t = 0; t < cluster.task_slots(); ++t) {
    for (std::size_t s = 0; s < kTaskStatusCount; ++s) {
      for (const NodeId node : {NodeId(), NodeId(0), NodeId(1)}) {
        const auto status = static_cast<TaskStatus>(s);
        const Task was = cluster.task(TaskId(t));
        const std::uint64_t stamp = cluster.stamp();
        const std::uint64_t version = was.job.is_valid() ? cluster.job(was.job).version : 0;
        cluster.move_task(TaskId(t), node, status);
        EXPECT_EQ(engine::first_inconsistency(cluster), "") << t << " " << to_string(status);
        cluster.move_task(TaskId(t), was.node, was.status);
        cluster.restore_versions(stamp, was.job, version);
        ASSERT_EQ(engine::fingerprint(cluster), before) << t << " " << to_string(status);
      }
    }
  }
}

TEST(ClusterTest, AvailableNeverBreaksAPromise) {
  const auto world = support::stage(
      "node a cpu=4\npod x unmanaged cpu=3 on=a terminating\n"
      "job j min=1\ntask j/0 cpu=2\n");
  Cluster& cluster = world->mirror().cluster_for_session();
  EXPECT_EQ(cluster.available().at(NodeId(0), kCpu), 1000);
  cluster.move_task(world->task("default/j-0"), NodeId(0), TaskStatus::pipelined);
  EXPECT_EQ(cluster.idle().at(NodeId(0), kCpu), 1000);
  EXPECT_EQ(cluster.future_idle(NodeId(0), kCpu), 2000);
  EXPECT_EQ(cluster.available().at(NodeId(0), kCpu), 1000) << "3 leave, 2 are promised";
}

Queue queue(const std::string& name, const std::string& parent) {
  Queue made;
  made.name = name;
  made.parent = parent;
  return made;
}

TEST(ClusterTest, QueuesFindThoseAboveAndBelowThemAsTheyComeAndGo) {
  Cluster cluster;
  const auto above = [&](QueueId id) { return cluster.queue(id).above; };
  const QueueId low = cluster.add_queue(queue("low", "top"));
  const QueueId self = cluster.add_queue(queue("self", "self"));
  EXPECT_FALSE(above(low).is_valid());
  EXPECT_FALSE(above(self).is_valid());
  const QueueId top = cluster.add_queue(queue("top", ""));
  EXPECT_EQ(above(low), top);
  cluster.remove_queue(top);
  EXPECT_FALSE(above(low).is_valid());
  cluster.remove_queue(self);
  // The lowest id that is free.
  EXPECT_EQ(cluster.add_queue(queue("other", "")), self);
  cluster.update_queue(low, queue("low", "other"));
  EXPECT_EQ(above(low), self);
  EXPECT_EQ(cluster.add_queue(queue("top", "")), top);
  EXPECT_EQ(above(low), self);
}

// QUEUE-1: whichever of them comes last.
TEST(ClusterTest, QueuesOfACircleHaveNoneAboveThem) {
  const std::map<std::string, std::string> parents = {
      {"rock", "paper"}, {"paper", "scissors"}, {"scissors", "rock"}, {"below", "rock"}};
  std::vector<std::string> order = {"below", "paper", "rock", "scissors"};
  do {
    Cluster cluster;
    std::map<std::string, QueueId> ids;
    for (const std::string& name : order) {
      ids[name] = cluster.add_queue(queue(name, parents.at(name)));
    }
    const auto lines = [&] {
      std::string text;
      for (const auto& [name, id] : ids) {
        text += name;
        for (QueueId at = cluster.queue(id).above; at.is_valid(); at = cluster.queue(at).above) {
          text += "<" + cluster.queue(at).name;
        }
        text += " ";
      }
      return text;
    };
    ASSERT_EQ(lines(), "below<rock paper rock scissors ") << order.back() << " came last";
    cluster.update_queue(ids["scissors"], queue("scissors", ""));
    ASSERT_EQ(lines(), "below<rock<paper<scissors paper<scissors rock<paper<scissors scissors ");
    cluster.update_queue(ids["paper"], queue("paper", "below"));
    ASSERT_EQ(lines(), "below paper rock scissors ");
    cluster.remove_queue(ids["paper"]);
    ids.erase("paper");
    ASSERT_EQ(lines(), "below<rock rock scissors ");
  } while (std::next_permutation(order.begin(), order.end()));
}

// QUEUE-1: its parent does not count, so that its children are on no circle.
TEST(ClusterTest, TheRootHasNoneAboveIt) {
  Cluster cluster;
  const QueueId root = cluster.add_queue(queue("root", "low"));
  const QueueId mid = cluster.add_queue(queue("mid", "root"));
  const QueueId low = cluster.add_queue(queue("low", "mid"));
  EXPECT_FALSE(cluster.queue(root).above.is_valid());
  EXPECT_EQ(cluster.queue(mid).above, root);
  EXPECT_EQ(cluster.queue(low).above, mid);
}

TEST(ChangeJournalTest, AReaderTooFarBehindStartsAfresh) {
  ChangeJournal journal;
  const std::uint64_t start = journal.position();
  journal.note(NodeId(3));
  ASSERT_TRUE(journal.has_since(start));
  ASSERT_EQ(journal.since(start).size(), 1u);
  EXPECT_EQ(journal.since(start)[0], NodeId(3));
  EXPECT_TRUE(journal.since(journal.position()).empty());
  journal.forget();
  EXPECT_FALSE(journal.has_since(start));
  EXPECT_FALSE(journal.has_since(start + 1)) << "not even who had read everything before";
  EXPECT_TRUE(journal.has_since(journal.position()));
}

TEST(ReasonTest, EveryCodeHasItsOwnSentenceWithAllMarksFilled) {
  std::set<std::string> codes;
  for (std::size_t r = 0; r < kReasonCount; ++r) {
    const auto reason = static_cast<Reason>(r);
    EXPECT_TRUE(codes.insert(std::string(code(reason))).second);
    const std::string text = sentence(reason, 3, 8, "{have}");
    EXPECT_FALSE(text.empty());
    EXPECT_NE(text.back(), '.');
    EXPECT_EQ(text.find("{need}"), std::string::npos);
    EXPECT_EQ(text.find("{what}"), std::string::npos);
  }
  EXPECT_EQ(sentence(Reason::gang_incomplete, 2, 3, ""), "2 of 3 members could be placed");
}

}  // namespace
}  // namespace berth
