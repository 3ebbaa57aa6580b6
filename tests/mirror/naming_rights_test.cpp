#include "mirror/naming_rights.h"

#include <algorithm>

#include "mirror/permissions_fixture.h"

namespace berth::mirror {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

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
                   "more than 50 rights are asked about for this "
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
  for (const RightQuestion& each : asked()) see(RightAnswer{each, true, ""});
  for (int i = 0; i < 50; ++i) see(PodDeleted{"ml-" + std::to_string(i)});
  settle_after(seconds(31));
  name_on_group();
  EXPECT_EQ(asked(), Questions{asked_});
}

// A user who may create namespaces.
TEST(NamingRights, MAY10ManyNamespacesDelayAnotherByOneQuestionEach) {
  NamingRights rights(NamingCheck::review);
  TimePoint now{hours(1000)};
  std::vector<RightQuestion> of_job;
  const auto ask = [&](const RightQuestion& question) {
    EXPECT_EQ(rights.right_of(question, JobId(of_job.size()), now), NamingRights::Right::unknown);
    of_job.push_back(question);
  };
  for (int n = 0; n < 1000; ++n) {
    for (int i = 0; i < 50; ++i) {
      ask({"evil-" + std::to_string(n), "a" + std::to_string(i), "vision"});
    }
  }
  const RightQuestion other{"ml", "trainer", "vision"};
  ask(other);
  std::vector<int> other_asked;  // in which second
  for (int second = 0; second < 60; ++second, now += seconds(1)) {
    Questions questions = rights.take_questions(now);
    for (RightQuestion& each : rights.take_questions(now + std::chrono::milliseconds(999))) {
      questions.push_back(std::move(each));
    }
    EXPECT_EQ(questions.size(), 100U);
    for (const RightQuestion& each : questions) {
      if (each == other) other_asked.push_back(second);
      rights.note(RightAnswer{each, false, ""});
    }
    for (const JobId id : rights.take_due(now)) {
      rights.release(id);
      rights.right_of(of_job[id.index()], id, now);
    }
  }
  EXPECT_EQ(other_asked, (std::vector<int>{10, 51})) << "due again after 30 s";
}

TEST(NamingRights, MAY10APairThatNoJobNeedsAnyMoreIsNotAsked) {
  NamingRights rights(NamingCheck::review);
  const TimePoint now{hours(1000)};
  const auto question = [](std::size_t i) {
    return RightQuestion{"ml", "a" + std::to_string(i), "vision"};
  };
  for (std::size_t i = 0; i < 52; ++i) rights.right_of(question(i), JobId(i), now);
  EXPECT_TRUE(rights.take_due(now).empty());
  rights.release(JobId(7));
  EXPECT_EQ(rights.take_due(now), (std::vector<JobId>{JobId(50), JobId(51)})) << "there is room";
  rights.release(JobId(50));
  EXPECT_EQ(rights.right_of(question(50), JobId(50), now), NamingRights::Right::unknown);
  rights.release(JobId(3));
  const Questions asked = rights.take_questions(now);
  EXPECT_EQ(asked.size(), 49U);
  for (const std::size_t gone : {3U, 7U}) {
    EXPECT_EQ(std::find(asked.begin(), asked.end(), question(gone)), asked.end());
  }
  EXPECT_EQ(rights.take_due(now), std::vector<JobId>{JobId(51)});
}

TEST(NamingRights, MAY6EachAnswerIsDueInItsTime) {
  NamingRights rights(NamingCheck::review);
  TimePoint now{hours(1000)};
  const std::vector<RightQuestion> of_job{
      {"ml", "good", "vision"}, {"ml", "bad", "vision"}, {"web", "bad", "vision"}};
  const auto ask = [&](std::size_t job) {
    rights.release(JobId(job));
    rights.right_of(of_job[job], JobId(job), now);
  };
  for (std::size_t job = 0; job < of_job.size(); ++job) ask(job);
  for (const RightQuestion& each : rights.take_questions(now)) {
    rights.note(RightAnswer{each, each.account == "good", ""});
  }
  now += seconds(29);
  EXPECT_TRUE(rights.take_due(now).empty());
  now += seconds(1);
  const std::vector<JobId> refused{JobId(1), JobId(2)};
  EXPECT_EQ(rights.take_due(now), refused);
  EXPECT_EQ(rights.take_due(now), refused) << "until they ask";
  ask(1);
  EXPECT_EQ(rights.take_due(now), std::vector<JobId>{JobId(2)});
  ask(2);
  EXPECT_TRUE(rights.take_due(now).empty());
  EXPECT_EQ(rights.take_questions(now).size(), 2U);
  now += minutes(4) + seconds(30);
  EXPECT_EQ(rights.take_due(now).size(), 3U);
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
