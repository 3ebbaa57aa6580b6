#include "mirror/permissions_fixture.h"

namespace berth::mirror {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

TEST_F(MirrorPermissionsTest, MAY6AJobIsATargetOnceTheAccountOfItsPodsMay) {
  begin(NamingCheck::review);
  EXPECT_TRUE(asked().empty()) << "nobody is named";
  name_on_group();
  EXPECT_FALSE(job().is_named_target);
  EXPECT_EQ(asked(), Questions{asked_});
  settle_after(seconds(1));
  EXPECT_TRUE(asked().empty()) << "it is asked already";
  answer(true);
  EXPECT_TRUE(job().is_named_target);
  EXPECT_EQ(job().target_refused, "");
}

TEST_F(MirrorPermissionsTest, MAY6ARefusalSaysWhichRightIsMissingAndIsAskedAboutAgain) {
  begin(NamingCheck::review);
  name_on_pod();
  answer(false);
  EXPECT_FALSE(job().is_named_target);
  EXPECT_EQ(job().target_refused,
            "service account ml/trainer of its pods needs the verb \"reserve\" on "
            "queues.scheduling.volcano.sh \"vision\"");
  asked();
  settle_after(seconds(29));
  EXPECT_TRUE(asked().empty());
  settle_after(seconds(2));
  EXPECT_EQ(asked(), Questions{asked_});
  answer(true);
  EXPECT_TRUE(job().is_named_target);
}

TEST_F(MirrorPermissionsTest, MAY6AGrantIsAskedAboutAgainAfterFiveMinutes) {
  begin(NamingCheck::review);
  name_on_group();
  answer(true);
  asked();
  settle_after(minutes(4));
  EXPECT_TRUE(asked().empty());
  settle_after(minutes(2));
  EXPECT_EQ(asked(), Questions{asked_});
  EXPECT_TRUE(job().is_named_target) << "the last answer holds until the next one";
  answer(false);
  EXPECT_FALSE(job().is_named_target);
}

TEST_F(MirrorPermissionsTest, MAY6WithoutAnAnswerNobodyMay) {
  begin(NamingCheck::review);
  name_on_group();
  answer(false, "status 500: broken");
  EXPECT_FALSE(job().is_named_target);
  EXPECT_NE(job().target_refused.find("the API server was not asked: status 500: broken"),
            std::string::npos)
      << job().target_refused;
}

TEST_F(MirrorPermissionsTest, MAY6AGrantOutlivesAShortOutage) {
  begin(NamingCheck::review);
  name_on_group();
  EXPECT_EQ(asked(), Questions{asked_});
  answer(true);
  settle_after(minutes(6));
  EXPECT_EQ(asked(), Questions{asked_});
  answer(true, "no answer");  // what comes with an error does not count
  EXPECT_TRUE(job().is_named_target);
  for (int i = 0; i < 20; ++i) {
    settle_after(minutes(1));
    EXPECT_EQ(asked(), Questions{asked_});
    answer(false, "no answer");
  }
  EXPECT_FALSE(job().is_named_target) << "the last grant is too old";
}

TEST_F(MirrorPermissionsTest, MAY6EveryAccountOfItsPodsNeedsTheRight) {
  begin(NamingCheck::review);
  name_on_group();
  answer(true);
  PodObject other = pod_;
  other.name = other.uid = "g-1";
  other.service_account = "default";
  see(other);
  settle();
  EXPECT_FALSE(job().is_named_target);
  const RightQuestion of_other{"ml", "default", "vision"};
  EXPECT_EQ(asked(), (Questions{asked_, of_other}));
  see(RightAnswer{of_other, true, ""});
  settle();
  EXPECT_TRUE(job().is_named_target);
}

TEST_F(MirrorPermissionsTest, MAY6WithoutPodsThereIsNoAccount) {
  begin(NamingCheck::review);
  group_.scheduler = "berth";
  see(PodDeleted{pod_.uid});
  name_on_group();
  EXPECT_FALSE(job().is_named_target);
  EXPECT_NE(job().target_refused.find("it has no pods yet"), std::string::npos);
}

TEST_F(MirrorPermissionsTest, MAY6AnotherQueueNeedsAnotherRight) {
  begin(NamingCheck::review);
  name_on_group();
  answer(true);
  group_.queue = "speech";
  see(group_);
  settle();
  EXPECT_FALSE(job().is_named_target);
  asked();
  EXPECT_TRUE(job().target_refused.empty()) << "the answer is not there yet";
}

// The policy has checked the queue that the pod names. The group is in another.
TEST_F(MirrorPermissionsTest, MAY5AWordCountsForTheQueueThatItsObjectNames) {
  begin(NamingCheck::policy);
  pod_.own_queue = pod_.queue = "speech";
  name_on_pod();
  EXPECT_FALSE(job().is_named_target);
  EXPECT_EQ(
      job().target_refused,
      "the object that names it is in another queue, expected \"vision\", which is the job's");
  pod_.own_queue = pod_.queue = "vision";
  see(pod_);
  settle();
  EXPECT_TRUE(job().is_named_target);
}

TEST_F(MirrorPermissionsTest, MAY5AnOwnersWordCountsForTheQueuesThatItNames) {
  begin(NamingCheck::policy);
  pod_.owner.uid = "job-1";
  see(pod_);
  OwnerObject owner;
  owner.uid = "job-1";
  owner.name_space = "ml";
  owner.names_target = true;
  owner.self.api_version = "batch/v1";
  owner.created = now_;
  owner.queues = {"speech", ""};
  see(owner);
  settle();
  EXPECT_FALSE(job().is_named_target) << "it names speech, and its pods the default queue";
  owner.queues = {"speech", "vision"};
  see(owner);
  settle();
  EXPECT_TRUE(job().is_named_target);
  owner.self.api_version = "example.com/v1";
  see(owner);
  settle();
  EXPECT_FALSE(job().is_named_target) << "the policy does not check its kind";
  owner.self.api_version = "batch/v1";
  owner.queues = {""};
  see(owner);
  see(NamespaceObject{"ml", "vision"});
  settle();
  EXPECT_TRUE(job().is_named_target) << "the queue of its namespace";
}

// A user writes the uid of another namespace's Job on a pod.
TEST_F(MirrorPermissionsTest, MAY5AnOwnersWordCountsInItsOwnNamespace) {
  begin(NamingCheck::policy);
  pod_.owner = {"example.com/v1", "Job", "j", "job-1"};
  see(pod_);
  OwnerObject owner;
  owner.uid = "job-1";
  owner.name_space = "web";
  owner.names_target = true;
  owner.self.api_version = "batch/v1";
  owner.created = now_;
  owner.queues = {"vision"};
  see(owner);
  settle();
  EXPECT_FALSE(job().is_named_target);
  owner.name_space = "ml";
  see(owner);
  settle();
  EXPECT_TRUE(job().is_named_target);
}

TEST_F(MirrorPermissionsTest, MAY7ATargetStaysOneUntilItIsKnown) {
  begin(NamingCheck::automatic);
  mirror_->follow_api_phases(true);
  group_.marks.is_named = true;
  group_.marks.elected_at = now_;
  group_.marks.why = "its user names it";
  see(group_);
  settle();
  mirror_->follow_api_phases(false);
  settle();
  EXPECT_TRUE(job().is_named_target);
  see(NamingPolicy{});
  settle();
  EXPECT_TRUE(job().is_named_target);
  EXPECT_EQ(asked(), Questions{asked_});
  answer(false);
  EXPECT_FALSE(job().is_named_target);
}

// A user who writes what only Berth writes, while Berth leads.
TEST_F(MirrorPermissionsTest, MAY8AForgedElectionIsNotBelieved) {
  begin(NamingCheck::review);
  PodGroupObject forged = group_;
  forged.name = "h";
  forged.uid = "u-2";
  forged.scheduler = "berth";
  forged.marks.is_elected = true;
  forged.marks.elected_at = now_;
  see(forged);
  settle();
  EXPECT_FALSE(mirror_->cluster().job(mirror_->find_group("ml/h")).election);
  EXPECT_TRUE(mirror_->cluster().targets().empty());
}

TEST_F(MirrorPermissionsTest, MAY4EverybodyMayWithoutACheck) {
  begin(NamingCheck::none);
  name_on_group();
  EXPECT_TRUE(job().is_named_target);
  EXPECT_TRUE(asked().empty());
}
}  // namespace
}  // namespace berth::mirror
