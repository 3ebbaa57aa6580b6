#include <gtest/gtest.h>

#include <algorithm>

#include "berth/engine/action.h"
#include "berth/engine/fit.h"
#include "berth/engine/statement.h"
#include "engine/consistency.h"
#include "support/open_session.h"

// Locks hold for every action that asks: the first law of reservations.

namespace berth::engine {
namespace {

using support::OpenSession;

// Places every pending task on the first node that has room: an action whose author does not know
// of locks.
class Greedy final : public Action {
 public:
  explicit Greedy(Arguments&) {}
  void execute(Session& session) const override {
    for (std::size_t t = 0; t < session.cluster().task_slots(); ++t) {
      const Task& task = session.cluster().task(TaskId(t));
      if (task.uid.empty() || task.status != TaskStatus::pending) continue;
      Statement statement(session);
      for (std::size_t n = 0; n < session.cluster().node_count(); ++n) {
        const auto& requested = session.cluster().shape_of(TaskId(t)).requested;
        const bool has_room =
            std::all_of(requested.begin(), requested.end(), [&](const auto& asked) {
              return session.cluster().available().at(NodeId(n), asked.first) >= asked.second;
            });
        if (!has_room) continue;
        if (statement.allocate(TaskId(t), NodeId(n))) break;
      }
      std::move(statement).commit();
    }
  }
};
BERTH_ACTION(Greedy, "greedy");

class Locks : public testing::Test {
 protected:
  Locks()
      : world_(support::stage("node n1 cpu=4\n"
                              "node n2 cpu=4\n"
                              "job big\n"
                              "task big/0 cpu=2\n"
                              "job small\n"
                              "task small/0..2 cpu=1\n"
                              "job old\n"
                              "task old/0 cpu=1 on=n1\n")),
        n1_(world_->cluster().find_node("n1")),
        n2_(world_->cluster().find_node("n2")),
        big_(world_->job("default/big")) {}

  TaskId task(const std::string& name) const { return world_->task("default/" + name); }

  void lock(Session& session) {
    session.elect(big_, "a test wants it");
    session.lock(n1_, big_);
  }

  std::unique_ptr<support::World> world_;
  NodeId n1_;
  NodeId n2_;
  JobId big_;
};

TEST_F(Locks, AStatementRefusesAllButTheTarget) {
  OpenSession open(*world_, {});
  lock(open.session);
  Statement statement(open.session);
  const Verdict verdict = statement.allocate(task("small-0"), n1_);
  EXPECT_EQ(verdict.reason, Reason::node_locked);
  EXPECT_EQ(verdict.what, "default/big");
  EXPECT_EQ(statement.pipeline(task("small-0"), n1_).reason, Reason::node_locked);
  EXPECT_TRUE(statement.is_empty());
  EXPECT_TRUE(statement.allocate(task("small-0"), n2_));
  EXPECT_TRUE(statement.allocate(task("big-0"), n1_));
}

TEST_F(Locks, TheLedgerAbortsWhenStatementsAreBypassed) {
  OpenSession open(*world_, {});
  lock(open.session);
  EXPECT_DEATH(open.session.ledger().allocate(task("small-0"), n1_), "is_locked_out");
  EXPECT_DEATH(open.session.ledger().pipeline(task("small-0"), n1_), "is_locked_out");
}

// Fault 10
TEST_F(Locks, NobodyIsEvictedThereForAnother) {
  OpenSession open(*world_, {});
  lock(open.session);
  Statement statement(open.session);
  const JobId small = world_->job("default/small");
  const TaskId old = task("old-0");
  const Leaving leaving{world_->mirror().cluster().task(old).job, std::span(&old, 1)};
  EXPECT_EQ(statement.evict(leaving, {small, "preempt"}).reason, Reason::node_is_kept);
  EXPECT_TRUE(statement.is_empty());
  EXPECT_TRUE(statement.evict(leaving, {big_, "preempt"}));
}

// Row 0.48: the nodes that are asked about depend on the job.
TEST_F(Locks, NodesAreOfferedToTheTargetAlone) {
  OpenSession open(*world_, {"nodeorder"});
  const ShapeId small = world_->cluster().task(task("small-0")).shape;
  const ShapeId big = world_->cluster().task(task("big-0")).shape;
  open.session.elect(big_, "a test wants it");
  open.session.lock(n1_, big_);
  open.session.lock(n2_, big_);
  EXPECT_FALSE(open.session.best_idle_node(small).is_valid());
  EXPECT_FALSE(open.session.best_idle_node(big).is_valid());
  EXPECT_TRUE(open.session.best_idle_node(big, big_).is_valid());
  EXPECT_EQ(fits(open.session, small, n1_).reason, Reason::node_locked);
  EXPECT_TRUE(fits(open.session, big, n1_, big_));
  const auto why = open.session.why_nowhere(small);
  ASSERT_EQ(why.size(), 1U);
  EXPECT_EQ(why.front(), (NodeRefusals{Reason::node_locked, "default/big", 2}));
  open.session.unlock(n2_);
  EXPECT_EQ(open.session.best_idle_node(small), n2_);
}

TEST_F(Locks, OfEqualShapesEachIsOfferedItsOwn) {
  world_ = support::stage(
      "node n1 cpu=2\nnode n2 cpu=2\njob a\ntask a/0 cpu=1\njob b\ntask b/0..1 cpu=1\n");
  OpenSession open(*world_, {"nodeorder"});
  const JobId a = world_->job("default/a");
  const ShapeId shape = world_->cluster().task(world_->task("default/a-0")).shape;
  open.session.elect(a, "a test wants it");
  open.session.lock(world_->cluster().find_node("n2"), a);
  EXPECT_EQ(open.session.best_idle_node(shape, world_->job("default/b")),
            world_->cluster().find_node("n1"));
  Statement statement(open.session);
  for (const char* pod : {"default/b-0", "default/b-1"}) {
    ASSERT_TRUE(statement.allocate(world_->task(pod), world_->cluster().find_node("n1")));
  }
  EXPECT_EQ(open.session.best_idle_node(shape, a), world_->cluster().find_node("n2"));
  EXPECT_FALSE(open.session.best_idle_node(shape, world_->job("default/b")).is_valid());
}

TEST_F(Locks, UndoBringsElectionsAndLocksBack) {
  const std::uint64_t before = fingerprint(world_->cluster());
  {
    OpenSession open(*world_, {});
    const Ledger::Mark mark = open.session.ledger().mark();
    lock(open.session);
    const std::uint64_t locked = fingerprint(world_->cluster());
    EXPECT_NE(locked, before);
    const Ledger::Mark inner = open.session.ledger().mark();
    open.session.lock(n2_, big_);
    open.session.unlock(n1_);
    open.session.ledger().roll_back(inner);
    EXPECT_EQ(fingerprint(world_->cluster()), locked);
    open.session.ledger().roll_back(mark);
    EXPECT_EQ(fingerprint(world_->cluster()), before);
    lock(open.session);
    open.session.release(big_, EndedReservation::How::displaced);
    EXPECT_EQ(world_->cluster().locks().for_targets(), 0U);
  }
  EXPECT_EQ(fingerprint(world_->cluster()), before);
}

TEST_F(Locks, AnActionThatKnowsNothingOfThemKeepsThem) {
  const auto config =
      support::config_of("elect reserve greedy", "priority reservation(lock=cluster) / predicates");
  const auto world = support::stage(
      "node n1 cpu=2\n"
      "job old\n"
      "task old/0 cpu=1 on=n1\n"
      "job big seen=1m\n"
      "task big/0 cpu=2\n"
      "job small seen=1s\n"
      "task small/0 cpu=1\n",
      config);
  world->run();
  EXPECT_TRUE(world->faults().empty()) << world->faults().front();
  EXPECT_TRUE(world->cluster().job(world->job("default/big")).election);
  EXPECT_EQ(world->cluster().task(world->task("default/small-0")).status, TaskStatus::pending);
  EXPECT_TRUE(world->last_plan().binds.empty()) << world->last_plan().to_string();
}

// A configuration without elections keeps no nodes.
TEST_F(Locks, SwitchingItOffReleasesAll) {
  const auto with = support::config_of("elect reserve allocate",
                                       "priority gang reservation(lock=cluster) / predicates");
  const auto world = support::stage(
      "node n1 cpu=2\njob old\ntask old/0 cpu=1 on=n1\njob big seen=1m\ntask big/0 cpu=2\n", with);
  world->run();
  ASSERT_EQ(world->cluster().locks().for_targets(), 1U);
  auto without = Scheduler::create(support::config_of("allocate", "priority gang / predicates"));
  ASSERT_TRUE(without);
  const Plan plan = without->run(world->mirror().cluster_for_session(), world->now());
  EXPECT_TRUE(plan.reservations.empty());
  ASSERT_EQ(plan.ended.size(), 1U);
  EXPECT_EQ(plan.ended.front().how, EndedReservation::How::off);
  world->mirror().assume_reservations(plan, world->now());
  EXPECT_EQ(world->cluster().locks().for_targets(), 0U);
}

// TARGET-5: fewer are allowed than there are.
TEST_F(Locks, TargetsBeyondTheirNumberAreReleasedTheLastFirst) {
  const std::string tiers = "priority gang reservation(lock=closest-fit,targets=";
  const auto two = support::config_of("elect reserve allocate", tiers + "2) / predicates");
  const auto world = support::stage(
      "node n1 cpu=2\nnode n2 cpu=2\njob old\ntask old/0 cpu=1 on=n1\ntask old/1 cpu=1 on=n2\n"
      "job a seen=2m\ntask a/0 cpu=2\njob b seen=1m\ntask b/0 cpu=2\n",
      two);
  world->run();
  ASSERT_EQ(world->cluster().targets().size(), 2U);
  auto one =
      Scheduler::create(support::config_of("elect reserve allocate", tiers + "1) / predicates"));
  ASSERT_TRUE(one);
  const Plan plan = one->run(world->mirror().cluster_for_session(), world->now());
  ASSERT_EQ(plan.ended.size(), 1U);
  EXPECT_EQ(world->cluster().job(plan.ended.front().job).name, "default/b");
  EXPECT_EQ(plan.ended.front().reason, Reason::too_many_targets);
  EXPECT_EQ(plan.ended.front().how, EndedReservation::How::too_many);
  EXPECT_EQ(plan.reservations.size(), 1U);
}

// Rows 0.29, 0.30 and 2.10: only the plugin answers the points.
TEST_F(Locks, PointsHaveNoAnswersWithoutThePlugin) {
  OpenSession open(*world_, {"priority", "gang", "conformance", "drf", "proportion", "overcommit",
                             "predicates", "nodeorder", "binpack", "sla"});
  EXPECT_TRUE(open.session.is_silent(points::target_job));
  EXPECT_TRUE(open.session.is_silent(points::reserved_nodes));
  EXPECT_FALSE(open.session.ask(points::target_job, std::vector<JobId>{big_}));
}

}  // namespace
}  // namespace berth::engine
