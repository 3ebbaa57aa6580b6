#include <gtest/gtest.h>

#include <algorithm>

#include "mirror/mirror.h"

namespace berth::mirror {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using Questions = std::vector<ReserveQuestion>;

// A gang "ml/g" of queue "vision", with one pod.
class MirrorPermissionsTest : public testing::Test {
 protected:
  void begin(NamingCheck check) {
    mirror_ = std::make_unique<Mirror>(Options{
        .managed_schedulers = {"berth"}, .default_queue = "default", .naming_check = check});
    see(bare_queue("vision"));
    group_.name_space = "ml";
    group_.name = "g";
    group_.uid = "u-1";
    group_.queue = "vision";
    group_.created = now_;
    pod_.name_space = "ml";
    pod_.name = pod_.uid = "g-0";
    pod_.group = "g";
    pod_.scheduler_name = "berth";
    pod_.created = now_;
    pod_.service_account = "trainer";
    see(group_);
    see(pod_);
    settle();
  }
  template <class Event>
  void see(const Event& event) {
    mirror_->apply(event);
  }
  void settle() { mirror_->settle(now_); }
  void settle_after(Duration time) {
    now_ += time;
    settle();
  }
  void name_on_group() {
    group_.marks.is_named = true;
    see(group_);
    settle();
  }
  void name_on_pod() {
    pod_.marks.is_named = true;
    see(pod_);
    settle();
  }
  void answer(bool is_allowed, const std::string& error = {}) {
    see(ReserveAnswer{asked_, is_allowed, error});
    settle();
  }
  // Pods in no group, each under an account of its own.
  void see_singles(const std::string& name_space, int count) {
    for (int i = 0; i < count; ++i) {
      PodObject pod = pod_;
      pod.name_space = name_space;
      pod.name = pod.uid = name_space + "-" + std::to_string(i);
      pod.group.clear();
      pod.queue = "vision";
      pod.service_account = "a" + std::to_string(i);
      pod.marks.is_named = true;
      see(pod);
    }
  }
  static OwnerObject owner(const std::string& kind, const std::string& uid, TimePoint created) {
    OwnerObject object;
    object.uid = uid;
    object.name_space = "ml";
    object.self = {"batch/v1", kind, uid, uid};
    object.created = created;
    return object;
  }
  Questions asked() { return mirror_->take_reserve_questions(); }
  const Job& job() const { return mirror_->cluster().job(mirror_->find_group("ml/g")); }
  void elect(bool is_named) {
    Plan plan;
    plan.reservations.emplace_back().job = job().id;
    plan.reservations[0].election = {now_, "its user names it", is_named};
    mirror_->assume_reservations(plan, now_);
    settle();
  }

  TimePoint now_{hours(1000)};
  std::unique_ptr<Mirror> mirror_;
  PodGroupObject group_;
  PodObject pod_;
  const ReserveQuestion asked_{"ml", "trainer", "vision"};
};

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
  answer(true);
  settle_after(minutes(6));
  answer(true, "no answer");  // what comes with an error does not count
  EXPECT_TRUE(job().is_named_target);
  for (int i = 0; i < 20; ++i) {
    settle_after(minutes(1));
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
  const ReserveQuestion of_other{"ml", "default", "vision"};
  EXPECT_EQ(asked(), (Questions{asked_, of_other}));
  see(ReserveAnswer{of_other, true, ""});
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

TEST_F(MirrorPermissionsTest, MAY9ThePolicyHasCheckedWhatIsYoungerThanIt) {
  begin(NamingCheck::automatic);
  name_on_group();
  EXPECT_FALSE(job().is_named_target);
  EXPECT_TRUE(asked().empty()) << "it is not known whether there is a policy";
  see(NamingPolicy{now_ - minutes(2)});
  settle();
  EXPECT_TRUE(job().is_named_target);
  EXPECT_TRUE(asked().empty());
  // Without the policy, and where the object may be older than it, the account is asked about.
  for (const NamingPolicy& policy : {NamingPolicy{}, NamingPolicy{now_ - seconds(30)}}) {
    see(policy);
    settle_after(minutes(1));
    EXPECT_FALSE(job().is_named_target);
    EXPECT_EQ(asked().size(), 1u);
  }
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

// A namespace in which each of many pods names a target under an account of its own.
TEST_F(MirrorPermissionsTest, MAY10ANamespaceThatAsksTooMuchKeepsNobodyElseWaiting) {
  begin(NamingCheck::review);
  see_singles("evil", 300);
  settle();
  name_on_group();
  const Questions questions = asked();
  EXPECT_EQ(questions.size(), 51U);
  EXPECT_LT(std::find(questions.begin(), questions.end(), asked_) - questions.begin(), 2)
      << "each namespace in its turn";
  answer(true);
  EXPECT_TRUE(job().is_named_target);
  std::size_t refused = 0;
  for (std::size_t j = 0; j < mirror_->cluster().job_slots(); ++j) {
    const std::string& why = mirror_->cluster().job(JobId(j)).target_refused;
    refused += why.find(
                   "more than 50 pairs of service account and queue are asked about for this "
                   "namespace") == std::string::npos
                   ? 0U
                   : 1U;
  }
  EXPECT_EQ(refused, 250U);
  // It does not have more asked by making pods and deleting them.
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 300; ++i) see(PodDeleted{"evil-" + std::to_string(i)});
    see_singles("evil", 300);
    settle_after(seconds(5));
    EXPECT_TRUE(asked().empty());
  }
}

TEST_F(MirrorPermissionsTest, MAY10APairThatFoundNoRoomIsAskedAboutWhenThereIsSome) {
  begin(NamingCheck::review);
  see_singles("ml", 50);
  settle();
  EXPECT_EQ(asked().size(), 50U);
  name_on_group();
  EXPECT_TRUE(asked().empty());
  see(PodDeleted{"ml-7"});
  settle_after(seconds(10));
  EXPECT_TRUE(asked().empty()) << "a pair makes room when it is due";
  settle_after(seconds(25));
  const Questions questions = asked();
  EXPECT_NE(std::find(questions.begin(), questions.end(), asked_), questions.end());
  EXPECT_EQ(questions.size(), 50U) << "the refused ones are asked about again, too";
  answer(true);
  EXPECT_TRUE(job().is_named_target);
}

TEST_F(MirrorPermissionsTest, MAY10AGrantThatNoJobNeedsMakesRoom) {
  begin(NamingCheck::review);
  see_singles("ml", 50);
  settle();
  for (const ReserveQuestion& each : asked()) see(ReserveAnswer{each, true, ""});
  for (int i = 0; i < 50; ++i) see(PodDeleted{"ml-" + std::to_string(i)});
  settle_after(seconds(31));
  name_on_group();
  EXPECT_EQ(asked(), Questions{asked_});
}

// The policy checks a template when it is written; kube-controller-manager makes pods of it later.
TEST_F(MirrorPermissionsTest, MAY9ATemplateThatIsOlderThanThePolicyWasNotChecked) {
  begin(NamingCheck::automatic);
  see(NamingPolicy{now_ - minutes(10)});
  pod_.own_queue = pod_.queue = "vision";
  pod_.owner = {"batch/v1", "Job", "j", "job-1"};
  name_on_pod();
  EXPECT_FALSE(job().is_named_target);
  EXPECT_EQ(asked(), Questions{asked_}) << "nobody knows how old its Job is";
  OwnerObject made = owner("Job", "job-1", now_ - hours(1));
  see(made);
  answer(false);
  EXPECT_FALSE(job().is_named_target);
  EXPECT_NE(job().target_refused.find("policy reserve.berth.dev may be younger"), std::string::npos)
      << job().target_refused;
  made.created = now_;
  see(made);
  settle();
  EXPECT_TRUE(job().is_named_target);
  made.controller = {"batch/v1", "CronJob", "nightly", "cron-1"};
  see(made);
  settle();
  EXPECT_FALSE(job().is_named_target) << "the template is a CronJob's, which is not watched";
  see(owner("CronJob", "cron-1", now_ - hours(1)));
  settle();
  EXPECT_FALSE(job().is_named_target);
  see(OwnerDeleted{"cron-1"});
  see(owner("CronJob", "cron-1", now_));
  settle();
  EXPECT_TRUE(job().is_named_target);
  see(OwnerDeleted{"job-1"});
  settle();
  EXPECT_FALSE(job().is_named_target);
}

TEST_F(MirrorPermissionsTest, MAY9ADeploymentsTemplateCountsByTheAccountOfItsPods) {
  begin(NamingCheck::automatic);
  see(NamingPolicy{now_ - minutes(10)});
  pod_.own_queue = pod_.queue = "vision";
  pod_.owner = {"apps/v1", "ReplicaSet", "web-1", "rs-1"};
  name_on_pod();
  EXPECT_EQ(asked(), Questions{asked_});
  answer(true);
  EXPECT_TRUE(job().is_named_target);
}

// An operator's account is checked when it writes the pod.
TEST_F(MirrorPermissionsTest, MAY9APodOfAnOperatorWasCheckedItself) {
  begin(NamingCheck::automatic);
  see(NamingPolicy{now_ - minutes(10)});
  pod_.own_queue = pod_.queue = "vision";
  pod_.owner = {"ray.io/v1", "RayCluster", "r", "ray-1"};
  name_on_pod();
  EXPECT_TRUE(job().is_named_target);
  EXPECT_TRUE(asked().empty());
}

TEST_F(MirrorPermissionsTest, MAY9AJobThatACronJobMadeOfAnOldTemplateWasNotChecked) {
  begin(NamingCheck::automatic);
  see(NamingPolicy{now_ - minutes(10)});
  pod_.owner = {"batch/v1", "Job", "j", "job-1"};
  see(pod_);
  OwnerObject made = owner("Job", "job-1", now_);
  made.names_target = true;
  made.queues = {"vision"};
  made.controller = {"batch/v1", "CronJob", "nightly", "cron-1"};
  see(made);
  settle();
  EXPECT_FALSE(job().is_named_target);
  EXPECT_EQ(asked(), Questions{asked_});
  see(owner("CronJob", "cron-1", now_));
  settle();
  EXPECT_TRUE(job().is_named_target);
}

}  // namespace
}  // namespace berth::mirror
