#include "berth/model/time_limit.h"

#include <gtest/gtest.h>

#include "berth/model/cluster.h"

namespace berth::time_limit_test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

const TimePoint kNow{hours(24)};

// A task of a job, in queue "low" below "mid" below "top".
class TimeLimitTest : public ::testing::Test {
 protected:
  TimeLimitTest() {
    low_ = cluster_.add_queue(queue("low", "mid"));
    mid_ = cluster_.add_queue(queue("mid", "top"));
    top_ = cluster_.add_queue(queue("top", ""));
    Job job;
    job.name = "default/j";
    job.queue = low_;
    job_ = cluster_.add_job(job);
    task_.job = job_;
  }
  static Queue queue(const std::string& name, const std::string& parent) {
    Queue made;
    made.name = name;
    made.parent = parent;
    return made;
  }

  void set(QueueId id, std::optional<Duration> Queue::*what, Duration limit) {
    Queue changed = cluster_.queue(id);
    changed.*what = limit;
    cluster_.update_queue(id, changed);
  }
  void set_default(QueueId id, Duration limit) { set(id, &Queue::default_time_limit, limit); }
  void set_most(QueueId id, Duration limit) { set(id, &Queue::max_time_limit, limit); }
  void set_group(Duration limit) { cluster_.mutable_job(job_).time_limit = limit; }

  std::optional<Duration> limit() const {
    const auto limit = time_limit_of(cluster_, task_);
    return limit ? std::optional(limit->length) : std::nullopt;
  }
  bool is_enforced() const { return berth::is_enforced(time_limit_of(cluster_, task_)->source); }
  Duration stay() const { return longest_stay(cluster_, task_, kNow); }
  Duration left() const { return gone_by(cluster_, task_, kNow) - kNow; }

  Cluster cluster_;
  QueueId low_, mid_, top_;
  JobId job_;
  Task task_;
};

TEST_F(TimeLimitTest, TIME1TheDeadlineOfTheKubeletCountsBeforeWhatIsStated) {
  EXPECT_EQ(limit(), std::nullopt);
  task_.times.stated = hours(1);
  EXPECT_EQ(limit(), hours(1));
  EXPECT_FALSE(is_enforced());
  task_.times.deadline = hours(2);
  EXPECT_EQ(limit(), hours(2));
  EXPECT_TRUE(is_enforced());
}

TEST_F(TimeLimitTest, TIME2APodThatSaysNothingHasTheLimitOfItsGroup) {
  set_group(hours(3));
  EXPECT_EQ(limit(), hours(3));
  EXPECT_FALSE(is_enforced());
  task_.times.stated = hours(4);
  EXPECT_EQ(limit(), hours(4));
}

TEST_F(TimeLimitTest, TIME3ElseItHasTheDefaultOfTheNearestQueue) {
  set_default(top_, hours(1));
  EXPECT_EQ(limit(), hours(1));
  set_default(mid_, hours(2));
  EXPECT_EQ(limit(), hours(2));
  set_default(low_, hours(3));
  EXPECT_EQ(limit(), hours(3));
  set_group(hours(4));
  EXPECT_EQ(limit(), hours(4));
}

TEST_F(TimeLimitTest, TIME3TheBoundOfTheNearestQueueIsForWhatIsOnlyStated) {
  set_most(top_, hours(1));
  EXPECT_EQ(limit(), std::nullopt) << "a bound is no limit";
  task_.times.stated = minutes(10);
  EXPECT_EQ(limit(), minutes(10));
  task_.times.stated = hours(5);
  EXPECT_EQ(limit(), hours(1));
  set_most(mid_, hours(2));
  EXPECT_EQ(limit(), hours(2));
  task_.times.stated.reset();
  set_group(hours(5));
  EXPECT_EQ(limit(), hours(2));
  task_.times.deadline = hours(6);
  EXPECT_EQ(limit(), hours(6)) << "the kubelet knows no queues";
}

TEST_F(TimeLimitTest, TIME3AQueueOfACircleHasNoneAboveIt) {
  cluster_.update_queue(top_, queue("top", "low"));
  set_default(top_, hours(1));
  EXPECT_EQ(limit(), std::nullopt);
  set_default(low_, hours(2));
  EXPECT_EQ(limit(), hours(2));
}

TEST_F(TimeLimitTest, TIME3WithoutAJobOrItsQueueOnlyThePodCounts) {
  set_default(low_, hours(1));
  cluster_.mutable_job(job_).queue = QueueId();
  EXPECT_EQ(limit(), std::nullopt);
  task_.job = JobId();
  EXPECT_EQ(limit(), std::nullopt);
  task_.times.stated = hours(9);
  EXPECT_EQ(limit(), hours(9));
}

TEST_F(TimeLimitTest, TIME4ItStaysForItsLimitAndItsGrace) {
  task_.times.grace = seconds(30);
  EXPECT_EQ(stay(), Duration::max()) << "without a limit it stays for ever";
  task_.times.stated = hours(1);
  EXPECT_EQ(stay(), hours(1) + seconds(30));
  task_.times = {.deadline = Duration::max(), .stated = {}, .grace = seconds(30)};
  EXPECT_EQ(stay(), Duration::max());
  task_.times = {.deadline = Duration(), .stated = {}, .grace = {}};
  EXPECT_EQ(stay(), seconds(1)) << "nothing ends as it starts";
}

TEST_F(TimeLimitTest, TIME4ItIsGoneThatLongAfterItsStart) {
  task_.status = TaskStatus::running;
  task_.scheduled_at = kNow - minutes(30);
  EXPECT_EQ(gone_by(cluster_, task_, kNow), TimePoint::max());
  task_.times = {.deadline = {}, .stated = hours(1), .grace = minutes(1)};
  EXPECT_EQ(left(), minutes(31)) << "it has its node, and no start yet";
  task_.started = kNow - minutes(20);
  EXPECT_EQ(left(), minutes(41));
  task_.started = TimePoint();
  task_.times.deadline = Duration::max();
  EXPECT_EQ(gone_by(cluster_, task_, kNow), TimePoint::max());
}

TEST_F(TimeLimitTest, TIME4OneThatIsOnlyPlannedStartsNow) {
  task_.status = TaskStatus::binding;
  task_.times = {.deadline = {}, .stated = hours(1), .grace = minutes(1)};
  EXPECT_EQ(left(), minutes(61));
}

TEST_F(TimeLimitTest, TIME5OneThatIsOverdueTakesAsLongAgain) {
  task_.status = TaskStatus::running;
  task_.times = {.deadline = {}, .stated = hours(1), .grace = {}};
  task_.started = kNow - hours(1) + Duration(1);
  EXPECT_EQ(left(), Duration(1));
  task_.started = kNow - hours(1);
  EXPECT_EQ(left(), minutes(1));
  task_.started = kNow - hours(1) - seconds(59);
  EXPECT_EQ(left(), minutes(1));
  task_.started = kNow - hours(1) - minutes(7);
  EXPECT_EQ(left(), minutes(7));
}

TEST_F(TimeLimitTest, TIME5OneThatIsTerminatingIsGoneAfterItsGrace) {
  task_.status = TaskStatus::releasing;
  task_.times = {.deadline = {}, .stated = {}, .grace = seconds(30)};
  EXPECT_EQ(left(), seconds(30));
  task_.times.stated = hours(5);
  task_.started = kNow;
  EXPECT_EQ(left(), seconds(30));
  task_.times.grace = Duration();
  EXPECT_EQ(left(), Duration(1)) << "but not now";
}

TEST_F(TimeLimitTest, TIME5OneThatIsTerminatingIsGoneWhenItsGraceEnds) {
  task_.status = TaskStatus::releasing;
  task_.times = {
      .deadline = {}, .stated = {}, .grace = minutes(10), .grace_ends = kNow + minutes(3)};
  EXPECT_EQ(left(), minutes(3)) << "it was asked to leave seven minutes ago";
  task_.times.grace_ends = kNow + Duration(1);
  EXPECT_EQ(left(), Duration(1));
  task_.times.grace_ends = kNow;
  EXPECT_EQ(left(), minutes(1));
  task_.times.grace_ends = kNow - minutes(9);
  EXPECT_EQ(left(), minutes(9)) << "it is overdue";
  task_.times.grace_ends = TimePoint();
  EXPECT_EQ(left(), kNow.time_since_epoch());
}

TEST_F(TimeLimitTest, TIME7TheDeadlineOfItsJobCountsFromTheStartOfTheJob) {
  task_.times.grace = seconds(30);
  task_.job_deadline = JobDeadline{hours(2), kNow - hours(1)};
  EXPECT_EQ(stay(), hours(1) + seconds(30)) << "it has waited for the rest";
  task_.status = TaskStatus::running;
  task_.started = kNow - minutes(20);
  EXPECT_EQ(left(), hours(1) + seconds(30));
  task_.job_deadline->since.reset();
  EXPECT_EQ(left(), hours(1) + minutes(40) + seconds(30)) << "no earlier start is known";
  EXPECT_EQ(stay(), hours(2) + seconds(30));
  task_.job_deadline = JobDeadline{Duration(), {}};
  task_.times.grace = {};
  EXPECT_EQ(stay(), minutes(1)) << "nothing ends as it starts";
}

TEST_F(TimeLimitTest, TIME5TIME7OneThatItsJobShouldHaveEndedTakesAsLongAgain) {
  task_.status = TaskStatus::running;
  task_.started = kNow - minutes(20);
  task_.job_deadline = JobDeadline{hours(1), kNow - hours(1) - minutes(7)};
  EXPECT_EQ(left(), minutes(7));
  EXPECT_EQ(stay(), minutes(7));
}

TEST_F(TimeLimitTest, TIME7TheFirstOfBothEndsThePod) {
  task_.job_deadline = JobDeadline{hours(2), kNow};
  const auto first = [&] { return first_limit_of(cluster_, task_, kNow); };
  EXPECT_EQ(first(), (TimeLimit{hours(2), LimitSource::job_deadline}));
  task_.times.stated = minutes(10);
  EXPECT_EQ(first(), (TimeLimit{minutes(10), LimitSource::pod}));
  EXPECT_EQ(stay(), minutes(10));
  task_.times.stated = hours(5);
  EXPECT_EQ(first(), (TimeLimit{hours(2), LimitSource::job_deadline}));
  EXPECT_EQ(stay(), hours(2));
  task_.times.deadline = hours(1);
  EXPECT_EQ(first(), (TimeLimit{hours(1), LimitSource::pod_deadline}));
  EXPECT_EQ(stay(), hours(1));
}

TEST_F(TimeLimitTest, TIME3TIME7AJobWithADeadlineSaysSomethingSoItHasNoDefault) {
  task_.job_deadline = JobDeadline{hours(2), kNow};
  set_default(low_, hours(1));
  set_most(low_, minutes(30));
  EXPECT_EQ(limit(), std::nullopt);
  EXPECT_EQ(stay(), hours(2)) << "its controller knows no queues";
  task_.job_deadline.reset();
  EXPECT_EQ(limit(), minutes(30));
  EXPECT_EQ(time_limit_of(cluster_, task_)->source, LimitSource::queue_maximum);
}

TEST_F(TimeLimitTest, TIME8WithTrustInTheEnforcedOnesTheOthersDoNotCount) {
  const auto trusted = [&] { return time_limit_of(cluster_, task_, LimitTrust::enforced); };
  const auto stay = [&] { return longest_stay(cluster_, task_, kNow, LimitTrust::enforced); };
  set_default(low_, hours(1));
  set_group(hours(1));
  task_.times.stated = hours(1);
  EXPECT_EQ(trusted(), std::nullopt);
  EXPECT_EQ(stay(), Duration::max());
  EXPECT_EQ(gone_by(cluster_, task_, kNow, LimitTrust::enforced), TimePoint::max());
  task_.job_deadline = JobDeadline{hours(3), kNow};
  EXPECT_EQ(stay(), hours(3));
  task_.times.deadline = hours(2);
  EXPECT_EQ(stay(), hours(2));
  EXPECT_EQ(gone_by(cluster_, task_, kNow, LimitTrust::enforced), kNow + hours(2));
}

}  // namespace
}  // namespace berth::time_limit_test
