#include "views/queue_table.h"

#include <gtest/gtest.h>

#include "mirror/mirror.h"
#include "plugins/proportion/queue_division.h"

namespace berth::views::queue_table_test {
namespace {

constexpr std::int64_t kGi = std::int64_t{1} << 30;

class QueueTableTest : public testing::Test {
 protected:
  void SetUp() override {
    NodeObject node;
    node.name = node.uid = "n1";
    node.allocatable = {{"cpu", 10000}, {"memory", 8 * kGi}, {"pods", 110}};
    mirror_.apply(node);
  }
  void add_queue(const std::string& name, const std::string& parent = "",
                 const NamedAmounts& guarantee = {}) {
    QueueObject queue;
    queue.name = queue.uid = name;
    queue.parent = parent;
    queue.guarantee = guarantee;
    mirror_.apply(queue);
  }
  // On the node, of a group of its own.
  void run(const std::string& name, const std::string& queue, std::int64_t cpu) {
    PodGroupObject group;
    group.name_space = "ml";
    group.name = group.uid = name;
    group.queue = queue;
    mirror_.apply(group);
    PodObject pod;
    pod.name_space = "ml";
    pod.name = pod.uid = name + "-0";
    pod.group = name;
    pod.scheduler_name = "berth";
    pod.phase = PodPhase::running;
    pod.node_name = "n1";
    pod.request = {{"cpu", cpu}, {"pods", 1}};
    mirror_.apply(pod);
  }
  QueueTable table(bool is_divided = true) {
    mirror_.settle(TimePoint());
    Plan plan;
    plan.evicts = evicts_;
    plan.reclaims = reclaims_;
    plan.queue_reservations = reservations_;
    if (is_divided) {
      tree_.refresh(mirror_.cluster());
      plan.shares = plugins::QueueDivision().divide(mirror_.cluster(), tree_, false);
    }
    return make_queue_table(mirror_.cluster(), plan, tree_);
  }
  static std::size_t row_of(const QueueTable& table, const std::string& name) {
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      if (table.rows[row].name == name) return row;
    }
    ADD_FAILURE() << "no row of " << name;
    return 0;
  }
  QueueId id_of(const std::string& name) const {
    for (std::size_t q = 0; q < mirror_.cluster().queue_slots(); ++q) {
      const Queue& queue = mirror_.cluster().queue(QueueId(q));
      if (queue.exists && queue.name == name) return queue.id;
    }
    ADD_FAILURE() << "no queue " << name;
    return {};
  }
  static std::int64_t cpu(const QueueTable& table, const QueueTable::Amounts& amounts,
                          const std::string& queue) {
    return table.at(amounts, row_of(table, queue), kCpu.index());
  }

  mirror::Mirror mirror_{mirror::Options{}};
  engine::QueueTree tree_;
  bool evicts_ = false;
  bool reclaims_ = false;
  std::vector<QueueReservation> reservations_;
};

TEST_F(QueueTableTest, EachQueueIsFollowedByAllBelowIt) {
  for (const char* name : {"b", "a"}) add_queue(name);
  for (const char* name : {"z", "y"}) add_queue(name, "a");
  add_queue("deep", "y");
  const QueueTable made = table();
  std::vector<std::string> lines;
  for (const QueueTable::Row& row : made.rows) {
    const bool has_parent = row.parent != QueueTable::kNoParent;
    lines.push_back(std::to_string(row.depth) + " " + row.name + " < " +
                    (has_parent ? made.rows[row.parent].name : "-"));
  }
  EXPECT_EQ(lines, (std::vector<std::string>{"0 a < -", "1 y < a", "2 deep < y", "1 z < a",
                                             "0 b < -", "0 default < -"}));
  EXPECT_TRUE(made.rows[0].has_children);
  EXPECT_FALSE(made.rows[2].has_children);
}

TEST_F(QueueTableTest, AQueueHasWhatThoseBelowItHave) {
  add_queue("a");
  add_queue("x", "a");
  add_queue("y", "a");
  run("one", "x", 2000);
  run("two", "y", 3000);
  const QueueTable made = table();
  EXPECT_EQ(cpu(made, made.allocated, "x"), 2000);
  EXPECT_EQ(cpu(made, made.allocated, "a"), 5000);
  EXPECT_EQ(cpu(made, made.demand, "a"), 5000);
  EXPECT_EQ(cpu(made, made.allocated, "default"), 0);
}

TEST_F(QueueTableTest, CountsJobsOfTheQueueItselfByPhase) {
  add_queue("a");
  add_queue("x", "a");
  run("one", "x", 1000);
  run("two", "x", 1000);
  const QueueTable made = table();
  const auto running = static_cast<std::size_t>(GroupPhase::running);
  EXPECT_EQ(made.rows[row_of(made, "x")].jobs[running], 2);
  EXPECT_EQ(made.rows[row_of(made, "x")].groups[running], 2);
  EXPECT_EQ(made.rows[row_of(made, "a")].jobs[running], 0);
}

TEST_F(QueueTableTest, SharesAreThoseOfThePlan) {
  add_queue("a", "", {{"cpu", 4000}});
  add_queue("b");
  run("one", "b", 6000);
  const QueueTable made = table();
  EXPECT_TRUE(made.is_divided);
  EXPECT_EQ(made.total[kCpu.index()], 10000);
  EXPECT_EQ(cpu(made, made.guarantee, "a"), 4000);
  EXPECT_EQ(cpu(made, made.deserved, "b"), 6000);
  EXPECT_EQ(cpu(made, made.real_capability, "b"), 6000);
  EXPECT_EQ(cpu(made, made.real_capability, "a"), 10000);
  EXPECT_FALSE(made.is_overused(row_of(made, "b"))) << "it has what it deserves, and no more";
  EXPECT_FALSE(made.is_overused(row_of(made, "a"))) << "it has nothing";
  EXPECT_EQ(made.named(made.guarantee, row_of(made, "a")), (NamedAmounts{{"cpu", 4000}}));
}

TEST_F(QueueTableTest, SaysWhatIsInForceOfAScaledGuarantee) {
  add_queue("a", "", {{"cpu", 10000}, {"memory", 4 * kGi}});
  add_queue("b", "", {{"cpu", 10000}});
  const QueueTable made = table();
  EXPECT_TRUE(made.rows[row_of(made, "a")].is_scaled);
  EXPECT_EQ(made.scaled_text(row_of(made, "a")), "5 of 10 cpu");
  EXPECT_EQ(cpu(made, made.written, "a"), 10000);
  EXPECT_EQ(cpu(made, made.guarantee, "a"), 5000);
}

TEST_F(QueueTableTest, APartOfTheClusterIsWrittenAsTheAmountItIs) {
  QueueObject part;
  part.name = part.uid = "a";
  part.guarantee_share_of = {"cpu"};
  part.guarantee_share_billionths = 800'000'000;
  mirror_.apply(part);
  add_queue("b", "", {{"cpu", 12000}});
  const QueueTable made = table();
  EXPECT_EQ(cpu(made, made.written, "a"), 8000);
  EXPECT_EQ(made.scaled_text(row_of(made, "a")), "4 of 8 cpu");
}

TEST_F(QueueTableTest, FaultsAreShownWithoutAPluginThatDividesTheCluster) {
  add_queue("a", "", {{"cpu", 20000}});
  add_queue("lost", "nowhere");
  const QueueTable made = table(false);
  EXPECT_FALSE(made.is_divided);
  EXPECT_EQ(made.rows[row_of(made, "lost")].fault, "its parent queue \"nowhere\" does not exist");
  EXPECT_EQ(cpu(made, made.guarantee, "a"), 20000) << "as written";
  EXPECT_FALSE(made.rows[row_of(made, "a")].is_scaled);
  EXPECT_EQ(cpu(made, made.deserved, "a"), 0);
  EXPECT_EQ(made.total[kCpu.index()], 10000);
  EXPECT_FALSE(made.is_overused(row_of(made, "a")));
}

TEST_F(QueueTableTest, AClosedQueueClosesThoseBelowIt) {
  QueueObject closed;
  closed.name = closed.uid = "a";
  closed.state = QueueState::closed;
  mirror_.apply(closed);
  add_queue("x", "a");
  add_queue("deep", "x");
  const QueueTable made = table();
  EXPECT_EQ(made.rows[row_of(made, "a")].closed_above, "");
  EXPECT_EQ(made.rows[row_of(made, "x")].closed_above, "a");
  EXPECT_EQ(made.rows[row_of(made, "deep")].closed_above, "a");
}

TEST_F(QueueTableTest, AQueueCalledRootStandsAboveAll) {
  add_queue("root");
  add_queue("a");
  const QueueTable made = table();
  EXPECT_EQ(made.rows[0].name, "root");
  EXPECT_EQ(made.rows[row_of(made, "a")].depth, 1U);
  EXPECT_EQ(made.rows[row_of(made, "a")].parent, 0U);
}

// Issue 9, row 10.
TEST_F(QueueTableTest, OverusedIsWhoHasMoreThanItDeservesOfSomeResource) {
  add_queue("a");
  add_queue("b");
  run("one", "a", 10000);
  QueueObject late;
  late.name = late.uid = "c";
  late.guarantee = {{"cpu", 6000}};
  mirror_.apply(late);
  PodGroupObject group;
  group.name_space = "ml";
  group.name = group.uid = "waits";
  group.queue = "a";
  mirror_.apply(group);
  PodObject pod;
  pod.name_space = "ml";
  pod.name = pod.uid = "waits-0";
  pod.group = "waits";
  pod.scheduler_name = "berth";
  pod.request = {{"memory", 4 * kGi}, {"pods", 1}};
  mirror_.apply(pod);
  const QueueTable made = table();
  EXPECT_EQ(cpu(made, made.deserved, "a"), 4000);
  EXPECT_LT(made.at(made.allocated, row_of(made, "a"), kMemory.index()),
            made.at(made.deserved, row_of(made, "a"), kMemory.index()))
      << "else this test shows nothing";
  EXPECT_TRUE(made.is_overused(row_of(made, "a"))) << "10 of 4 cpu, whatever else it may have";
  EXPECT_FALSE(made.is_overused(row_of(made, "b")));
  EXPECT_FALSE(made.is_overused(row_of(made, "c")));
}

TEST_F(QueueTableTest, AQueueHasUsedWhatThoseBelowItHaveUsed) {
  add_queue("a");
  add_queue("x", "a");
  add_queue("y", "a");
  EXPECT_EQ(table().rows[0].used, 0) << "without a time";
  mirror_.settle(TimePoint());
  UsageTable& usage = mirror_.mutable_usage();
  for (const auto& [queue, used] : {std::pair("a", 1), std::pair("x", 20), std::pair("y", 300)}) {
    usage.raise(queue, "", used, TimePoint(), TimePoint());
  }
  usage.raise("x", "ml", 20, TimePoint(), TimePoint());
  const Plan plan;
  const QueueTable made = make_queue_table(mirror_.cluster(), plan, tree_, TimePoint());
  EXPECT_EQ(made.rows[row_of(made, "a")].used, 321);
  EXPECT_EQ(made.rows[row_of(made, "x")].used, 20);
  const auto later = make_queue_table(mirror_.cluster(), plan, tree_, TimePoint(kUsageHalfLife));
  EXPECT_EQ(later.rows[row_of(later, "y")].used, 150);
}

TEST_F(QueueTableTest, WhoHasExactlyItsGuaranteeIsNotOverused) {
  add_queue("a", "", {{"cpu", 4000}, {"pods", 1}});
  run("one", "a", 4000);
  const QueueTable made = table();
  EXPECT_EQ(cpu(made, made.allocated, "a"), cpu(made, made.deserved, "a"));
  EXPECT_FALSE(made.is_overused(row_of(made, "a")));
}

// Issue 9, row 15.
TEST_F(QueueTableTest, ShowsTheLargestPieceOfAGuaranteeThatIsNotTaken) {
  for (const char* name : {"n2", "n3", "n4"}) {
    NodeObject node;
    node.name = node.uid = name;
    node.allocatable = {{"cpu", 1500}, {"pods", 110}};
    node.unschedulable = name == std::string("n4");
    if (node.unschedulable) node.allocatable["cpu"] = 64000;
    mirror_.apply(node);
  }
  add_queue("a", "", {{"cpu", 4000}});
  add_queue("x", "a", {{"cpu", 3000}});
  add_queue("b");
  run("one", "b", 9000);
  run("two", "x", 500);
  const QueueTable made = table();
  EXPECT_EQ(cpu(made, made.due, "a"), 3500);
  EXPECT_EQ(cpu(made, made.due, "x"), 2500);
  EXPECT_EQ(cpu(made, made.due, "b"), 0);
  EXPECT_EQ(cpu(made, made.piece, "x"), 1500) << "the cordoned node has more, and gives nothing";
  EXPECT_EQ(cpu(made, made.piece, "b"), 0);
  EXPECT_EQ(made.piece_text(row_of(made, "a")), "1.5 of 3.5 cpu");
  EXPECT_EQ(made.piece_text(row_of(made, "b")), "");
}

TEST_F(QueueTableTest, APieceIsNoMoreThanWhatIsDue) {
  add_queue("a", "", {{"cpu", 4000}});
  add_queue("root");
  const QueueTable made = table();
  EXPECT_EQ(cpu(made, made.due, "root"), 4000) << "what is kept for nobody is due to nobody";
  EXPECT_EQ(cpu(made, made.piece, "a"), 4000);
  EXPECT_EQ(made.piece_text(row_of(made, "a")), "");
}

// Issue 9, row 12.
TEST_F(QueueTableTest, SaysWhatOfASpecHasNoEffect) {
  QueueObject odd;
  odd.name = odd.uid = "a";
  odd.not_honoured = {"spec.affinity", "spec.extendClusters"};
  odd.guarantees_hard = true;
  mirror_.apply(odd);
  add_queue("b");
  const auto notes = [&] {
    const QueueTable made = table();
    EXPECT_TRUE(made.rows[row_of(made, "b")].notes.empty());
    return made.rows[row_of(made, "a")].notes;
  };
  const std::string fields = "spec.affinity and spec.extendClusters are not honoured";
  const std::string policy =
      "guarantee.policy Guaranteed has no effect: no action evicts; add shuffle";
  EXPECT_EQ(notes(), (std::vector<std::string>{fields, policy}));
  evicts_ = true;
  EXPECT_EQ(notes(), (std::vector<std::string>{fields}));
  odd.not_honoured = {"spec.type"};
  mirror_.apply(odd);
  EXPECT_EQ(notes(), (std::vector<std::string>{"spec.type is not honoured"}));
}

TEST_F(QueueTableTest, ShowsWhatAQueueHasOfItsNodes) {
  add_queue("a", "", {{"cpu", 8000}});
  add_queue("b");
  table();
  QueueReservation reservation;
  reservation.queue = id_of("a");
  reservation.evicts = true;
  reservation.nodes = {NodeId(0)};
  reservation.amounts = {{kCpu, 8000, 5000, 1000, 500}, {kMemory, 0, kGi, 0, 0}};
  reservation.choice.score_millionths = 702'000;
  reservation.clipped = "no node has example.com/gpu";
  reservations_ = {reservation};
  const QueueTable waiting = table();
  EXPECT_FALSE(waiting.rows[row_of(waiting, "b")].reservation);
  ReservedNodes expected;
  expected.is_guaranteed = true;
  expected.nodes = {"n1"};
  expected.amounts = {{"cpu", 8000, 5000, 1000, 500, 2000}, {"memory", 0, kGi, 0, 0, 0}};
  expected.score_millionths = 702'000;
  expected.clipped = "no node has example.com/gpu";
  EXPECT_EQ(waiting.rows[row_of(waiting, "a")].reservation, expected);
  EXPECT_EQ(expected.idle(), (NamedAmounts{{"cpu", 5000}, {"memory", kGi}}));

  reservations_[0].amounts[0].own = 3000;
  reservations_[0].is_met = true;
  reclaims_ = true;
  const QueueTable met = table();
  EXPECT_TRUE(met.rows[row_of(met, "a")].reservation->is_met);
  EXPECT_TRUE(met.rows[row_of(met, "a")].reservation->evicts);
  reservations_[0].is_met = false;
  reservations_[0].choice.lacks = "1 more node";
  const QueueTable lacking = table();
  EXPECT_FALSE(lacking.rows[row_of(lacking, "a")].reservation->is_met);
  EXPECT_EQ(lacking.rows[row_of(lacking, "a")].reservation->lacks, "1 more node");
}

TEST_F(QueueTableTest, NamesThePolicyForNodesWithoutEffect) {
  QueueObject queue;
  queue.name = queue.uid = "a";
  queue.guarantees_hard = true;
  mirror_.apply(queue);
  table();
  reservations_.resize(1);
  reservations_[0].queue = id_of("a");
  const auto notes = [&] {
    const QueueTable made = table();
    return made.rows[row_of(made, "a")].notes;
  };
  EXPECT_EQ(notes(), std::vector<std::string>{
                         "guarantee.policy Guaranteed has no effect without the action reclaim"});
  evicts_ = true;
  EXPECT_EQ(notes(),
            std::vector<std::string>{"guarantee.policy Guaranteed has no effect on its nodes "
                                     "without the action reclaim"});
  evicts_ = false;
  reclaims_ = true;
  EXPECT_TRUE(notes().empty());
}

TEST_F(QueueTableTest, SaysThatAPercentageIsCutToTheCapability) {
  QueueObject part;
  part.name = part.uid = "a";
  part.guarantee_share_of = {"cpu", "memory"};
  part.guarantee_share_billionths = 600'000'000;
  part.capability = {{"cpu", 4000}, {"memory", 8 * kGi}};
  mirror_.apply(part);
  const QueueTable made = table();
  EXPECT_EQ(cpu(made, made.guarantee, "a"), 4000);
  EXPECT_EQ(
      made.rows[row_of(made, "a")].notes,
      (std::vector<std::string>{"its percentage gives 6 cpu, more than its capability of 4"}));
  EXPECT_FALSE(made.rows[row_of(made, "a")].is_scaled) << "nobody else is in its way";
}

}  // namespace
}  // namespace berth::views::queue_table_test
