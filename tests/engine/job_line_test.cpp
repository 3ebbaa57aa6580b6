#include "berth/engine/job_line.h"

#include <gtest/gtest.h>

#include "support/stage.h"

namespace berth::engine {
namespace {

// The queues with the smaller number first.
class ByNumber {
 public:
  explicit ByNumber(const Cluster& cluster) {
    for (std::size_t q = 0; q < cluster.queue_slots(); ++q) numbers.push_back(q);
  }
  Order compare(const Queue& left, const Queue& right) const {
    ++asked;
    return numbers[left.id.index()] <=> numbers[right.id.index()];
  }

  std::vector<std::size_t> numbers;
  mutable std::size_t asked = 0;
};

// One job in each queue.
class JobLineTest : public testing::Test {
 protected:
  explicit JobLineTest(std::size_t queues = 1'000) {
    for (std::size_t q = 0; q < queues; ++q) {
      const std::string name = "q" + std::to_string(q);
      support::bring(*world_, "queue " + name + "\njob j" + std::to_string(q) + " min=1 queue=" +
                                  name + "\ntask j" + std::to_string(q) + "/0 cpu=1\n");
    }
    world_->mirror().settle(TimePoint());
    session_.emplace(world_->mirror().cluster_for_session(), memory_, TimePoint());
    rule_.emplace(session_->cluster());
    session_->open_plugin(0, nullptr);
    session_->attach<&ByNumber::compare>(points::queue_order, *rule_);
    session_->start({});
  }

  std::unique_ptr<support::World> world_ = support::stage("");
  Memory memory_;
  std::optional<Session> session_;
  std::optional<ByNumber> rule_;
};

TEST_F(JobLineTest, WhileNobodyLeavesQueuesAreComparedAsOftenAsInASort) {
  std::vector<JobId> jobs = session_->cluster().open_jobs();
  const std::size_t count = jobs.size();
  ASSERT_EQ(count, 1'000U);
  JobLine line(*session_, std::move(jobs), JobLine::For::eviction);
  std::size_t last = 0;
  for (JobId id = line.next(); id.is_valid(); id = line.next()) {
    const std::size_t number = rule_->numbers[session_->cluster().job(id).queue.index()];
    EXPECT_LE(last, number);
    last = number;
  }
  EXPECT_LT(rule_->asked, count * 40);  // as often as there are pairs: 500 times as many
}

TEST_F(JobLineTest, OnceSomebodyHasLeftTheOrderOfQueuesIsMadeAnew) {
  JobLine line(*session_, session_->cluster().open_jobs(), JobLine::For::eviction);
  const JobId first = line.next();
  session_->ledger().set_phase(first, GroupPhase::inqueue);  // any change will do
  const JobId other = world_->job("default/j700");
  rule_->numbers[session_->cluster().job(other).queue.index()] = 0;
  EXPECT_EQ(line.next(), other);
  session_->ledger().roll_back(0);
}

}  // namespace
}  // namespace berth::engine
