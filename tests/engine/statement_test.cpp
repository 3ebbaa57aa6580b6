#include "berth/engine/statement.h"

#include <span>

#include <gtest/gtest.h>

#include "engine/consistency.h"
#include "support/open_session.h"

namespace berth::engine {
namespace {

constexpr const char* kScene =
    "node n1 cpu=4\n"
    "node n2 cpu=4\n"
    "pod old cpu=2 on=n1\n"
    "pod kube-system:dns cpu=1 on=n2\n"
    "job a min=2\n"
    "task a/0..3 cpu=1\n";

class StatementTest : public ::testing::Test {
 protected:
  StatementTest() : world_(support::stage(kScene)), open_(*world_, {"conformance", "gang"}) {}

  // A job of one, or a pod that is the whole job.
  Verdict evict(Statement& statement, TaskId task, JobId beneficiary = JobId()) {
    const JobId job = world_->mirror().cluster().task(task).job;
    return statement.evict({job, std::span(&task, 1)}, {beneficiary, "test"});
  }
  TaskId task(const std::string& name) const { return world_->task("default/" + name); }
  std::uint64_t print() const { return fingerprint(world_->cluster()); }

  std::unique_ptr<support::World> world_;
  support::OpenSession open_;
  Session& session_ = open_.session;
  const NodeId n1_{0};
  const NodeId n2_{1};
};

TEST_F(StatementTest, LeavesNoTraceWhenItsScopeEnds) {
  const std::uint64_t before = print();
  {
    Statement statement(session_);
    EXPECT_TRUE(statement.allocate(task("a-0"), n1_));
    EXPECT_TRUE(evict(statement, task("old")));
    EXPECT_TRUE(statement.pipeline(task("a-1"), n1_));
    EXPECT_TRUE(statement.pipeline(task("a-2"), n1_));
    EXPECT_NE(print(), before);
    EXPECT_EQ(first_inconsistency(world_->cluster()), "");
  }
  EXPECT_EQ(print(), before);
  const Plan plan = session_.close();
  EXPECT_TRUE(plan.binds.empty() && plan.pipelined.empty() && plan.evictions.empty());
}

TEST_F(StatementTest, RollsBackToACheckpointWithItsEvictions) {
  {
    Statement statement(session_);
    EXPECT_TRUE(statement.allocate(task("a-0"), n2_));
    const auto checkpoint = statement.checkpoint();
    const std::uint64_t at_checkpoint = print();
    EXPECT_TRUE(evict(statement, task("old")));
    EXPECT_TRUE(statement.allocate(task("a-1"), n2_));
    statement.roll_back(checkpoint);
    EXPECT_EQ(print(), at_checkpoint);
    std::move(statement).commit();
  }
  const Plan plan = session_.close();
  ASSERT_EQ(plan.binds.size(), 1u);
  EXPECT_EQ(plan.binds[0].task, task("a-0"));
  EXPECT_TRUE(plan.evictions.empty());
}

TEST_F(StatementTest, CommitsBindsClaimsAndEvictionsTogether) {
  const std::uint64_t before = print();
  {
    Statement statement(session_);
    EXPECT_TRUE(evict(statement, task("old"), world_->job("default/a")));
    EXPECT_TRUE(statement.allocate(task("a-0"), n1_));
    EXPECT_TRUE(statement.pipeline(task("a-1"), n1_));
    std::move(statement).commit();
  }
  const Plan plan = session_.close();
  EXPECT_EQ(plan.binds.size(), 1u);
  EXPECT_EQ(plan.pipelined.size(), 1u);
  ASSERT_EQ(plan.evictions.size(), 1u);
  EXPECT_EQ(plan.evictions[0].node, n1_);
  EXPECT_EQ(plan.evictions[0].action, "test");
  EXPECT_EQ(print(), before) << "a session gives the cluster back as it was";
}

TEST_F(StatementTest, HoldShowsClaimsAndBindsNobody) {
  {
    Statement statement(session_);
    EXPECT_TRUE(statement.allocate(task("a-0"), n1_));
    std::move(statement).hold();
  }
  EXPECT_EQ(world_->cluster().idle().at(n1_, kCpu), 1000) << "the claim stands in this session";
  const Plan plan = session_.close();
  EXPECT_TRUE(plan.binds.empty());
  EXPECT_EQ(plan.pipelined.size(), 1u);
}

// A later session needs these to evict for a gang.
TEST_F(StatementTest, HoldPlansItsEvictionsWithTheirClaimant) {
  const std::uint64_t before = print();
  {
    Statement statement(session_);
    EXPECT_TRUE(statement.allocate(task("a-0"), n1_));
    EXPECT_TRUE(statement.allocate(task("a-1"), n1_));
    EXPECT_TRUE(evict(statement, task("old"), world_->job("default/a")));
    EXPECT_TRUE(statement.pipeline(task("a-2"), n1_));
    std::move(statement).hold();
  }
  const Plan plan = session_.close();
  EXPECT_EQ(print(), before);
  EXPECT_TRUE(plan.binds.empty());
  ASSERT_EQ(plan.evictions.size(), 1u);
  EXPECT_EQ(plan.evictions[0].task, task("old"));
  EXPECT_EQ(plan.evictions[0].beneficiary, world_->job("default/a"));
  EXPECT_EQ(plan.pipelined.size(), 3u);
  world_->mirror().assume(plan, world_->now());
  EXPECT_EQ(world_->cluster().job(world_->job("default/a")).claims.size(), 3u);
  EXPECT_EQ(world_->cluster().task(task("old")).status, TaskStatus::releasing);
}

TEST_F(StatementTest, WhatIsWithdrawnIsClaimedNoMore) {
  {
    Statement statement(session_);
    EXPECT_TRUE(statement.allocate(task("a-0"), n1_));
    EXPECT_TRUE(statement.allocate(task("a-1"), n1_));
    std::move(statement).hold();
  }
  {
    Statement statement(session_);
    statement.withdraw(task("a-0"));
    EXPECT_EQ(world_->cluster().idle().at(n1_, kCpu), 1000);
  }
  EXPECT_EQ(world_->cluster().idle().at(n1_, kCpu), 0) << "the claim stands";
  EXPECT_EQ(first_inconsistency(world_->cluster()), "");
  {
    Statement statement(session_);
    statement.withdraw(task("a-0"));
    EXPECT_TRUE(statement.allocate(task("a-0"), n2_));
    std::move(statement).commit();
  }
  const Plan plan = session_.close();
  ASSERT_EQ(plan.binds.size(), 1u);
  EXPECT_EQ(plan.binds[0].node, n2_);
  ASSERT_EQ(plan.pipelined.size(), 1u);
  EXPECT_EQ(plan.pipelined[0].task, task("a-1"));
}

TEST_F(StatementTest, AnInnerOneVanishesWithItsOuterOne) {
  const std::uint64_t before = print();
  {
    Statement outer(session_);
    EXPECT_TRUE(outer.allocate(task("a-0"), n1_));
    Statement inner(session_);
    EXPECT_TRUE(evict(inner, task("old")));
    EXPECT_TRUE(inner.allocate(task("a-1"), n2_));
    std::move(inner).commit();
  }
  EXPECT_EQ(print(), before);
  const Plan plan = session_.close();
  EXPECT_TRUE(plan.binds.empty() && plan.evictions.empty());
}

TEST_F(StatementTest, AnInnerOneIsPlannedOnceWithItsOuterOne) {
  {
    Statement outer(session_);
    EXPECT_TRUE(outer.allocate(task("a-0"), n1_));
    {
      Statement discarded(session_);
      EXPECT_TRUE(discarded.allocate(task("a-3"), n2_));
    }
    Statement inner(session_);
    EXPECT_TRUE(inner.allocate(task("a-1"), n2_));
    std::move(inner).commit();
    std::move(outer).commit();
  }
  const Plan plan = session_.close();
  ASSERT_EQ(plan.binds.size(), 2u);
  EXPECT_EQ(plan.binds[0].task, task("a-0"));
  EXPECT_EQ(plan.binds[1].task, task("a-1"));
}

TEST_F(StatementTest, EvictsNobodyThatAProtectionKeeps) {
  const std::uint64_t before = print();
  Statement statement(session_);
  const TaskId critical = world_->task("kube-system/dns");
  const Verdict verdict = evict(statement, critical);
  EXPECT_EQ(verdict.reason, Reason::system_critical);
  EXPECT_EQ(print(), before);
}

TEST_F(StatementTest, RefusesWhatDoesNotFitAsAProgrammersMistake) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Statement statement(session_);
  EXPECT_TRUE(statement.allocate(task("a-0"), n1_));
  EXPECT_TRUE(statement.allocate(task("a-1"), n1_));
  EXPECT_DEATH((void)statement.allocate(task("a-2"), n1_), "has_room");
  EXPECT_DEATH((void)statement.allocate(task("a-0"), n2_), "pending");
}

}  // namespace
}  // namespace berth::engine
