#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "berth/engine/statement.h"
#include "support/open_session.h"

namespace berth::plugins {
namespace {

using namespace engine;

class PdbTest : public ::testing::Test {
 protected:
  void set(const std::string& text) {
    world_ = support::stage("node n1 cpu=9\njob j min=1\n" + text);
    open_ = std::make_unique<support::OpenSession>(*world_, std::vector<std::string>{"pdb"});
  }
  std::vector<TaskId> tasks(const std::string& names) const {
    std::vector<TaskId> found;
    for (const char index : names) found.push_back(world_->task(std::string("default/j-") + index));
    return found;
  }
  // May these leave together? Names are digits.
  Verdict may_leave(const std::string& names) const {
    const std::vector<TaskId> leaving = tasks(names);
    return open_->session.ask(points::evictable, Leaving{world_->job("default/j"), leaving});
  }
  std::string why_not(const std::string& names) const {
    const Verdict verdict = may_leave(names);
    return verdict ? "" : sentence(cause_of(verdict));
  }

  std::unique_ptr<support::World> world_;
  std::unique_ptr<support::OpenSession> open_;
};

TEST_F(PdbTest, PDB1ASpentBudgetIsNamed) {
  set("task j/0 cpu=1 on=n1 labels=app:web\ntask j/1 cpu=1 on=n1\n"
      "budget web allowed=0 selects=app:web\n");
  EXPECT_EQ(why_not("0"), "its disruption budget default/web allows 0 disruptions");
  EXPECT_EQ(may_leave("0").reason, Reason::budget_exhausted);
  EXPECT_EQ(why_not("1"), "");
}

TEST_F(PdbTest, PDB2CountsWhatTheSessionEvictsAndTakesBack) {
  set("task j/0..3 cpu=1 on=n1 labels=app:web\nbudget web allowed=2 selects=app:web\n");
  Ledger& ledger = open_->session.ledger();
  const auto mark = ledger.mark();
  ledger.evict(tasks("0")[0]);
  EXPECT_TRUE(may_leave("1"));
  ledger.evict(tasks("1")[0]);
  EXPECT_EQ(may_leave("2").reason, Reason::budget_exhausted);
  ledger.spare(tasks("1")[0]);
  EXPECT_TRUE(may_leave("2"));
  EXPECT_EQ(may_leave("23").have, 1);
  ledger.roll_back(mark);
  EXPECT_TRUE(may_leave("01"));
  EXPECT_FALSE(may_leave("012"));
}

TEST_F(PdbTest, PDB2TheStatusCountsEachEvictionOnce) {
  set("task j/0..3 cpu=1 on=n1 labels=app:web\n"
      "budget web allowed=1 selects=app:web disrupted=j-0\n");
  open_.reset();
  world_->mirror().assume_eviction(tasks("0")[0], world_->now());
  open_ = std::make_unique<support::OpenSession>(*world_, std::vector<std::string>{"pdb"});
  EXPECT_TRUE(may_leave("1"));
  open_.reset();
  world_->mirror().assume_eviction(tasks("2")[0], world_->now());
  open_ = std::make_unique<support::OpenSession>(*world_, std::vector<std::string>{"pdb"});
  EXPECT_FALSE(may_leave("1")) << "j-2 is not in the status yet";
}

TEST_F(PdbTest, PDB3AllWhoLeaveTogetherCount) {
  set("task j/0..1 cpu=1 on=n1 labels=app:web\ntask j/2..3 cpu=1 on=n1 labels=app:db\n"
      "budget web allowed=1 selects=app:web\nbudget db allowed=1 selects=app:db\n");
  EXPECT_TRUE(may_leave("02"));
  const Verdict verdict = may_leave("012");
  EXPECT_EQ(verdict.reason, Reason::budget_exhausted);
  EXPECT_EQ(verdict.have, 1);
  EXPECT_EQ(verdict.need, 2);
  EXPECT_EQ(verdict.what, "default/web");
}

TEST_F(PdbTest, PDB4WhoHasTwoBudgetsStays) {
  set("task j/0 cpu=1 on=n1 labels=app:web\n"
      "budget web allowed=5 selects=app:web\nbudget all allowed=5 selects=*\n");
  EXPECT_EQ(may_leave("0").reason, Reason::several_budgets);
  EXPECT_EQ(why_not("0"),
            "it has 2 disruption budgets, and the API server evicts no pod of more than one");
}

}  // namespace
}  // namespace berth::plugins
