#include "steering/steering.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "daemon/objects.h"

namespace berth::steering {
namespace {

using daemon::make_group;
using daemon::make_member;
using daemon::make_node;
using Kind = ports::PodWrite::Kind;
using Result = ports::WriteOutcome::Result;
using Texts = std::vector<std::string>;

// Keeps what is written; the test answers it, or lets it be answered at once.
class Api final : public ports::PodWriter, public ports::StatusSink {
 public:
  struct Write {
    ports::PodWrite write;
    std::function<void(ports::WriteOutcome)> done;
  };

  void write(const ports::PodWrite& write, std::function<void(ports::WriteOutcome)> done) override {
    writes.push_back({write, std::move(done)});
    if (answers_at_once) writes.back().done(outcome);
  }
  void record(const ports::GangRecord& record,
              std::function<void(ports::WriteOutcome)> done) override {
    records.push_back(record.name);
    done(outcome);
  }
  void write(const ports::GroupStatus&) override {}
  void write(const ports::QueueStatus&) override {}
  void tell(const ports::Event&) override {}

  // "nominate g-0 on n1", of what came since the last call.
  Texts take() {
    Texts texts;
    for (const Write& each : writes) {
      const char* const verbs[] = {"nominate ", "commit ", "touch "};
      texts.push_back(verbs[static_cast<std::size_t>(each.write.kind)] + each.write.uid +
                      (each.write.node.empty() ? "" : " on " + each.write.node));
    }
    writes.clear();
    std::sort(texts.begin(), texts.end());
    return texts;
  }

  bool answers_at_once = true;
  ports::WriteOutcome outcome;
  std::vector<Write> writes;
  Texts records;
};

class SteeringTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* node : {"n1", "n2"}) post(make_node(node, 4));
  }
  void post(const ClusterEvent& event) {
    steering_.observe(event);
    mirror_.apply(event);
    mirror_.settle();
  }
  static PodObject member(int index, bool gated = true) {
    PodObject pod = make_member("g", index);
    if (gated) pod.gates = {"berth.dev/plan"};
    return pod;
  }
  void post_gang(int min_member, int members, bool gated = true) {
    post(make_group("g", min_member));
    for (int i = 0; i < members; ++i) post(member(i, gated));
  }
  Plan lead(std::uint64_t epoch = 1) {
    Plan plan = steering_.lead(epoch, mirror_.cluster(), find_);
    mirror_.assume(plan);
    mirror_.settle();
    return plan;
  }
  // A round; what it drops is dropped, as the session loop does.
  std::vector<PlacementDropped> round() {
    auto drops = steering_.round(mirror_.cluster(), find_, now_);
    for (const PlacementDropped& drop : drops) post(drop);
    return drops;
  }
  // As many rounds as it takes until nothing more is written.
  Texts rounds() {
    Texts all;
    for (int i = 0; i < 10; ++i) {
      round();
      const Texts some = api_.take();
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }
  void plan(const std::vector<daemon::PodOnNode>& binds) { daemon::assume(mirror_, binds); }

  mirror::Mirror mirror_;
  Api api_;
  TimePoint now_{std::chrono::hours(1)};
  int woken_ = 0;
  Texts told_;
  FindTask find_ = [this](const std::string& uid) { return mirror_.find_task(uid); };
  Steering steering_{{api_, api_, [this] { ++woken_; },
                      [this](const std::string& line) { told_.push_back(line); }},
                     {}};
};

TEST_F(SteeringTest, T1WhoDoesNotLeadWritesNothing) {
  post_gang(1, 1);
  plan({{"g-0", "n1"}});
  EXPECT_TRUE(rounds().empty());
}

TEST_F(SteeringTest, T2APlannedPodIsNominatedBeforeItIsCommitted) {
  lead();
  post_gang(1, 1);
  plan({{"g-0", "n1"}});
  round();
  EXPECT_EQ(api_.take(), Texts{"nominate g-0 on n1"});
  EXPECT_GT(woken_, 0);
  EXPECT_EQ(rounds(), Texts{"commit g-0 on n1"});
  EXPECT_TRUE(rounds().empty()) << "what is done is not done again";
}

TEST_F(SteeringTest, T2ANominationThatIsThereIsNotWritten) {
  lead();
  post(make_group("g", 1));
  plan({});
  round();  // the first, which clears what is stale
  PodObject pod = member(0);
  pod.nominated_node = "n1";
  post(pod);
  plan({{"g-0", "n1"}});
  EXPECT_EQ(rounds(), Texts{"commit g-0 on n1"});
}

TEST_F(SteeringTest, T3NobodyIsCommittedBeforeTheMinimumIsNominated) {
  lead();
  post_gang(3, 3);
  plan({{"g-0", "n1"}, {"g-1", "n1"}, {"g-2", "n2"}});
  api_.answers_at_once = false;
  round();
  ASSERT_EQ(api_.writes.size(), 3u);
  auto writes = std::move(api_.writes);
  api_.writes.clear();
  writes[0].done({});
  writes[1].done({});
  EXPECT_TRUE(rounds().empty());
  writes[2].done({});
  EXPECT_EQ(rounds(), (Texts{"commit g-0 on n1", "commit g-1 on n1", "commit g-2 on n2"}));
}

TEST_F(SteeringTest, T3ALateMemberGoesByItself) {
  lead();
  post_gang(2, 2);
  plan({{"g-0", "n1"}, {"g-1", "n1"}});
  rounds();
  for (int i = 0; i < 2; ++i) post(daemon::running_on(member(i, false), "n1"));
  post(member(2));
  plan({{"g-2", "n2"}});
  EXPECT_EQ(rounds(), (Texts{"nominate g-2 on n2", "commit g-2 on n2"}));
}

TEST_F(SteeringTest, T4WhoseRoomWasTakenIsDroppedAndNotCommitted) {
  lead();
  post_gang(1, 1);
  plan({{"g-0", "n1"}});
  api_.answers_at_once = false;
  round();
  PodObject thief = make_member("x", 0, 4);
  thief.scheduler_name = "default-scheduler";
  post(daemon::running_on(thief, "n1"));
  api_.writes.at(0).done({});
  api_.take();
  api_.answers_at_once = true;
  const auto drops = round();
  ASSERT_EQ(drops.size(), 1u);
  EXPECT_EQ(drops[0].pod_uid, "g-0");
  EXPECT_FALSE(drops[0].is_vetoed);
  EXPECT_EQ(rounds(), Texts{"nominate g-0"}) << "T7: and its nomination is taken back";
}

TEST_F(SteeringTest, T5AGangIsRecordedOnceBeforeItsFirstCommit) {
  lead(7);
  post_gang(2, 3);
  plan({{"g-0", "n1"}, {"g-1", "n1"}});
  round();
  EXPECT_TRUE(api_.records.empty());
  rounds();
  EXPECT_EQ(api_.records, Texts{"g"});
  plan({{"g-2", "n2"}});
  rounds();
  EXPECT_EQ(api_.records, Texts{"g"});
}

TEST_F(SteeringTest, T6ACommitCarriesTheEpochAndIsLikeNoOther) {
  lead(7);
  post_gang(1, 2);
  plan({{"g-0", "n1"}, {"g-1", "n1"}});
  round();
  api_.take();
  round();
  round();
  std::vector<std::uint64_t> sequences;
  for (const Api::Write& each : api_.writes) {
    EXPECT_EQ(each.write.kind, Kind::commit);
    EXPECT_EQ(each.write.epoch, 7u);
    EXPECT_EQ(each.write.name_space, "ml");
    sequences.push_back(each.write.sequence);
  }
  ASSERT_EQ(sequences.size(), 2u);
  EXPECT_NE(sequences[0], sequences[1]);
}

TEST_F(SteeringTest, T6APodThatCameUngatedIsCommittedToo) {
  lead();
  post_gang(1, 1, false);
  plan({{"g-0", "n1"}});
  EXPECT_EQ(rounds(), (Texts{"nominate g-0 on n1", "commit g-0 on n1"}));
}

TEST_F(SteeringTest, T6WhoIsDroppedAndPlannedAtOnceIsCommittedAgain) {
  lead();
  post_gang(1, 1);
  plan({{"g-0", "n1"}});
  rounds();
  post(PlacementDropped{"g-0", "n1", "the barrier gave up"});
  plan({{"g-0", "n1"}});
  EXPECT_EQ(rounds(), (Texts{"nominate g-0 on n1", "commit g-0 on n1"}));
}

TEST_F(SteeringTest, T7ADeletedPodIsLeftAlone) {
  lead();
  post_gang(1, 1);
  plan({{"g-0", "n1"}});
  round();
  api_.take();
  post(PodDeleted{"g-0"});
  EXPECT_TRUE(rounds().empty());
  EXPECT_EQ(steering_.under_way(), 0u);
}

TEST_F(SteeringTest, T7ALostNodeEndsTheNominationThere) {
  lead();
  post_gang(1, 1);
  plan({{"g-0", "n1"}});
  rounds();
  post(NodeDeleted{"n1"});
  EXPECT_EQ(rounds(), Texts{"nominate g-0"});
}

TEST_F(SteeringTest, T7WhoIsPlannedElsewhereIsNominatedThereAndNotCleared) {
  lead();
  post_gang(1, 1);
  plan({{"g-0", "n1"}});
  rounds();
  post(NodeDeleted{"n1"});
  plan({{"g-0", "n2"}});
  EXPECT_EQ(rounds(), (Texts{"nominate g-0 on n2", "commit g-0 on n2"}));
}

TEST_F(SteeringTest, T8AfterAChangeOfKubeSchedulerGatedPlannedPodsAreTouched) {
  lead();
  post_gang(2, 2);
  post(member(1, false));  // somebody took its gate off
  plan({{"g-0", "n1"}, {"g-1", "n1"}});
  api_.answers_at_once = false;
  round();
  const auto first = std::move(api_.writes);
  api_.writes.clear();
  first[0].done({});  // the other stays on its way: nothing can be committed
  steering_.kube_scheduler_changed();
  EXPECT_EQ(rounds(), Texts{"touch g-0"});
}

TEST_F(SteeringTest, T9AFailedWriteIsTriedAgainAfterAWhile) {
  lead();
  post_gang(1, 1);
  plan({{"g-0", "n1"}});
  api_.outcome = {Result::failed, "nominate ml/g-0: 500"};
  round();
  EXPECT_EQ(api_.take(), Texts{"nominate g-0 on n1"});
  EXPECT_TRUE(rounds().empty());
  EXPECT_EQ(told_, Texts{"nominate ml/g-0: 500"});
  now_ += std::chrono::milliseconds(200);
  EXPECT_EQ(rounds(), Texts{"nominate g-0 on n1"});
  now_ += std::chrono::milliseconds(200);
  EXPECT_TRUE(rounds().empty()) << "the second wait is longer";
  api_.outcome = {};
  now_ += std::chrono::milliseconds(200);
  EXPECT_EQ(rounds(), (Texts{"nominate g-0 on n1", "commit g-0 on n1"}));
}

TEST_F(SteeringTest, T9AWriteOnAPodThatIsGoneIsNotRepeated) {
  lead();
  post_gang(1, 1);
  plan({{"g-0", "n1"}});
  api_.outcome = {Result::gone, "not found"};
  round();
  api_.take();
  post(PodDeleted{"g-0"});
  now_ += std::chrono::minutes(1);
  EXPECT_TRUE(rounds().empty());
}

TEST_F(SteeringTest, T9AnAnswerToAnEarlierWriteMeansNothing) {
  lead();
  post_gang(1, 1);
  plan({{"g-0", "n1"}});
  api_.answers_at_once = false;
  round();
  auto late = api_.writes.at(0).done;
  api_.take();
  post(PlacementDropped{"g-0", "n1", "given up"});
  plan({{"g-0", "n2"}});
  round();
  EXPECT_EQ(api_.take(), Texts{"nominate g-0 on n2"});
  late({});
  EXPECT_TRUE(rounds().empty()) << "n2 is not confirmed yet";
}

TEST_F(SteeringTest, T11PinSaysTheNodeAndNominatesNothing) {
  Steering pinning{{api_, api_, [] {}, [](const std::string&) {}}, {.mode = Mode::pin}};
  post_gang(1, 2);
  PodObject picky = member(1);
  picky.constraints.has_required_terms = true;
  for (const PodObject& pod : {member(0), picky}) pinning.observe(pod);
  pinning.lead(1, mirror_.cluster(), find_);
  plan({{"g-0", "n1"}, {"g-1", "n2"}});
  for (int i = 0; i < 3; ++i) pinning.round(mirror_.cluster(), find_, now_);
  ASSERT_EQ(api_.writes.size(), 2u);
  EXPECT_EQ(api_.writes[0].write.kind, Kind::commit);
  EXPECT_EQ(api_.writes[0].write.only_nodes, Texts{"n1"});
  EXPECT_TRUE(api_.writes[1].write.only_nodes.empty());
  EXPECT_EQ(api_.writes[1].write.only_hostname, "n2");
}

TEST_F(SteeringTest, T11CandidatesAreTheGangsNodes) {
  Steering steering{{api_, api_, [] {}, [](const std::string&) {}}, {.mode = Mode::candidates}};
  post_gang(2, 2);
  for (int i = 0; i < 2; ++i) steering.observe(member(i));
  steering.lead(1, mirror_.cluster(), find_);
  plan({{"g-0", "n1"}, {"g-1", "n2"}});
  for (int i = 0; i < 3; ++i) steering.round(mirror_.cluster(), find_, now_);
  ASSERT_EQ(api_.writes.size(), 2u);
  for (const Api::Write& each : api_.writes) {
    EXPECT_EQ(each.write.only_nodes, (Texts{"n1", "n2"}));
  }
}

TEST_F(SteeringTest, T12APodThatKubeSchedulerCannotPlaceIsDroppedAsVetoed) {
  lead();
  post_gang(1, 1);
  plan({{"g-0", "n1"}});
  rounds();
  PodObject pod = member(0, false);
  pod.unschedulable = "0/2 nodes are available: 2 berth has not planned this pod yet.";
  post(pod);
  EXPECT_TRUE(round().empty()) << "that was us";
  pod.unschedulable = "0/2 nodes are available: 2 node(s) had volume node affinity conflict.";
  post(pod);
  const auto drops = round();
  ASSERT_EQ(drops.size(), 1u);
  EXPECT_TRUE(drops[0].is_vetoed);
  EXPECT_NE(drops[0].reason.find("volume node affinity"), std::string::npos);
}

TEST_F(SteeringTest, T12APodMovedWithinAFilterCallGoesOn) {
  lead();
  post_gang(1, 1);
  plan({{"g-0", "n1"}});
  rounds();
  post(PlacementMoved{"g-0", "n1", "n2"});
  EXPECT_TRUE(rounds().empty());
  EXPECT_EQ(steering_.under_way(), 1u);
}

}  // namespace
}  // namespace berth::steering
