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
  bool is_enforced() const { return time_limit_of(cluster_, task_)->is_enforced; }
  Duration stay() const { return longest_stay(cluster_, task_); }
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

TEST_F(TimeLimitTest, TIME3QueuesMayBeARing) {
  cluster_.update_queue(top_, queue("top", "low"));
  EXPECT_EQ(limit(), std::nullopt);
  set_default(top_, hours(1));
  EXPECT_EQ(limit(), hours(1));
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

}  // namespace
}  // namespace berth::time_limit_test
