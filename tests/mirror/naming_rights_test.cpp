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
