#include "daemon/gang_keeper.h"

#include <gtest/gtest.h>

#include "mirror/owned_gangs_fixture.h"
#include "reconcile/announcer.h"
#include "support/recording_writer.h"

namespace berth::daemon {
namespace {

using mirror::kStart;
using std::chrono::seconds;

// Jobs of ten pods each, which are planned one by one and wait.
class GangKeeperTest : public testing::Test {
 protected:
  static constexpr int kPods = 10;

  void see_jobs(int count) {
    for (int j = 0; j < count; ++j) {
      const OwnerObject job = mirror::job("j" + std::to_string(j), kPods);
      gangs_.take(job, now_);
      for (int i = 0; i < kPods; ++i) gangs_.take(pod(j, i), now_);
    }
  }
  static PodObject pod(int job, int index) {
    const std::string name = "j" + std::to_string(job);
    return mirror::pod_of(mirror::job(name, kPods).self, name + "-" + std::to_string(index));
  }
  // How many jobs a session looked at in which all wait.
  std::size_t session() {
    mirror_.settle(now_);
    Plan plan;
    const Cluster& cluster = mirror_.cluster();
    for (std::size_t j = 0; j < cluster.job_slots(); ++j) {
      if (cluster.job(JobId(j)).exists) plan.refusals.emplace_back().job = JobId(j);
    }
    return gangs_.advise(plan, cluster, mirror_.take_changes(), now_);
  }
  std::size_t events() { return writer_.take().events.size(); }

  TimePoint now_ = kStart;
  support::RecordingWriter writer_;
  reconcile::ObservedState observed_{{"berth"}};
  reconcile::Writes writes_{
      {writer_, [](ports::WriteAnswer) {}, [this](const std::string& line) { writer_.log(line); }}};
  reconcile::EventLog events_{writes_, [](const std::string&) {}};
  mirror::Mirror mirror_;
  GangKeeper gangs_{{}, observed_, writes_, events_, [this](const ClusterEvent& event) {
                      observed_.observe(event);
                      mirror_.apply(event);
                      gangs_.observe(event);
                    }};
};

TEST_F(GangKeeperTest, OWNED9_AdviceIsGivenOnceAndLooksOnlyAtJobsThatHaveChanged) {
  writes_.start_leading(1);
  see_jobs(100);
  EXPECT_EQ(session(), 1000U);
  EXPECT_EQ(events(), 0U) << "the pods are young";
  now_ += seconds(20);
  EXPECT_EQ(session(), 1000U);
  EXPECT_EQ(events(), 100U) << "one on each owner";
  EXPECT_EQ(session(), 0U);
  PodObject changed = pod(7, 3);
  changed.gates = {"example.com/wait"};
  gangs_.take(changed, now_);
  EXPECT_EQ(session(), 1U);
  EXPECT_EQ(events(), 0U);
  // A pod that takes the place of one that is gone.
  gangs_.take(PodDeleted{changed.uid}, now_);
  gangs_.take(mirror::job("late", kPods), now_);
  gangs_.take(mirror::pod_of(mirror::job("late", kPods).self, "late-0"), now_);
  EXPECT_EQ(session(), 1U);
  EXPECT_EQ(events(), 1U);
  EXPECT_EQ(session(), 0U);
  // Its owner does not exist any more with its last pod.
  gangs_.take(PodDeleted{"uid-late-0"}, now_);
  session();
  gangs_.take(mirror::pod_of(mirror::job("late", kPods).self, "late-1"), now_);
  session();
  EXPECT_EQ(events(), 1U);
  // Another leader does not know which advice was given.
  gangs_.stop_leading();
  EXPECT_EQ(session(), 1000U);
}

}  // namespace
}  // namespace berth::daemon
