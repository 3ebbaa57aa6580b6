#include "page/collector.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "daemon/objects.h"
#include "mirror/mirror.h"
#include "page/names.h"
#include "page/texts.h"

namespace berth::page::collector_test {
namespace {

using daemon::add_gang;
using daemon::make_group;
using daemon::make_member;
using daemon::make_node;
using daemon::running_on;

class CollectorTest : public testing::Test {
 protected:
  CollectorTest() {
    NodeObject gpu = make_node("n1", 4);
    gpu.allocatable["nvidia.com/gpu"] = 8;
    gpu.labels["rack"] = "r1";
    mirror_.apply(gpu);
    mirror_.apply(make_node("n2", 4));
    add_gang(mirror_, make_group("a", 2), 2);
  }

  Batch collect() {
    mirror_.settle(now_);
    return collector_.collect(
        mirror_.cluster(),
        {[this](JobId id) { return mirror_.cluster().job(id).name == waits_ ? code_ : ""; },
         [this](JobId) {
           return reconcile::Waiting{code_, message_, {}};
         }},
        now_);
  }
  static const NodePart* node(const Batch& batch, const std::string& name) {
    for (const NodePart& part : batch.nodes) {
      if (part.name == name) return &part;
    }
    return nullptr;
  }
  static std::vector<std::string> jobs(const Batch& batch) {
    std::vector<std::string> names;
    for (const JobPart& job : batch.jobs) names.push_back(job.name);
    return names;
  }
  void run(const std::string& group, int index, const std::string& node) {
    mirror_.apply(running_on(make_member(group, index), node));
  }

  TimePoint now_{std::chrono::hours(1)};
  mirror::Mirror mirror_{mirror::Options{.topology_levels = {"rack"}}};
  Collector collector_;
  std::string waits_, code_ = "gang_not_ready", message_ = "1 of 2";
};

TEST_F(CollectorTest, TheFirstBatchHasEverything) {
  const Batch batch = collect();
  EXPECT_TRUE(batch.is_whole);
  EXPECT_TRUE(batch.leads);
  EXPECT_EQ(batch.resources, (std::vector<std::string>{"cpu", "memory", "nvidia.com/gpu"}));
  EXPECT_EQ(batch.total, (std::vector<std::int64_t>{8000, 0, 8}));
  ASSERT_EQ(batch.nodes.size(), 2U);
  EXPECT_EQ(batch.nodes[0].allocatable, (std::vector<std::int64_t>{4000, 0, 8}));
  EXPECT_EQ(batch.nodes[1].allocatable, std::vector<std::int64_t>{4000});
  EXPECT_EQ(jobs(batch), std::vector<std::string>{"ml/a"});
  EXPECT_EQ(batch.jobs[0].minimum, 2);
  EXPECT_EQ(batch.jobs[0].counts[JobPart::pending], 2);
}

TEST_F(CollectorTest, PAGE1_AFurtherBatchHasWhatChangedOnly) {
  collect();
  Batch batch = collect();
  EXPECT_FALSE(batch.is_whole);
  EXPECT_TRUE(batch.nodes.empty() && batch.jobs.empty() && batch.jobs_gone.empty());
  run("a", 0, "n2");
  batch = collect();
  EXPECT_FALSE(batch.is_whole);
  ASSERT_EQ(batch.nodes.size(), 1U);
  EXPECT_EQ(batch.nodes[0].name, "n2");
  EXPECT_EQ(batch.nodes[0].used, std::vector<std::int64_t>{1000});
  ASSERT_EQ(batch.nodes[0].groups.size(), 1U);
  EXPECT_EQ(batch.nodes[0].groups[0].pods, 1);
  EXPECT_EQ(batch.nodes[0].groups[0].state, PodState::running);
  EXPECT_EQ(jobs(batch), std::vector<std::string>{"ml/a"});
  EXPECT_EQ(batch.jobs[0].counts[JobPart::running], 1);
}

TEST_F(CollectorTest, PAGE1_IsWholeAgainWhenNodesComeAndGo) {
  collect();
  mirror_.apply(make_node("n3", 4));
  const Batch batch = collect();
  EXPECT_TRUE(batch.is_whole);
  EXPECT_EQ(batch.nodes.size(), 3U);
  EXPECT_EQ(jobs(batch), std::vector<std::string>{"ml/a"});
}

TEST_F(CollectorTest, PodsOfOneJobInOneStateAreOneGroup) {
  run("a", 0, "n2");
  run("a", 1, "n2");
  PodObject other = make_member("", 7);
  other.group.clear();
  other.scheduler_name = "default-scheduler";
  mirror_.apply(running_on(other, "n2"));
  const Batch batch = collect();
  const NodePart* const part = node(batch, "n2");
  ASSERT_NE(part, nullptr);
  ASSERT_EQ(part->groups.size(), 2U);
  EXPECT_EQ(part->groups[0].job, kNone);
  EXPECT_EQ(part->groups[0].pods, 1);
  EXPECT_EQ(part->groups[1].pods, 2);
  EXPECT_EQ(part->groups[1].amounts, std::vector<std::int64_t>{2000});
}

TEST_F(CollectorTest, APlannedPodIsSeenOnItsNode) {
  collect();
  daemon::assume(mirror_, {{"a-0", "n2"}});
  const Batch batch = collect();
  ASSERT_EQ(batch.nodes.size(), 1U);
  EXPECT_EQ(batch.nodes[0].groups[0].state, PodState::planned);
  EXPECT_EQ(batch.jobs[0].counts[JobPart::planned], 1);
}

TEST_F(CollectorTest, AJobEndsByTheLimitsOfItsPods) {
  for (int i = 0; i < 2; ++i) {
    PodObject pod = running_on(make_member("a", i), "n2");
    pod.started = now_;
    pod.scheduled = now_;
    pod.times.deadline = std::chrono::minutes(10 + i);
    mirror_.apply(pod);
  }
  const Batch batch = collect();
  ASSERT_EQ(batch.jobs.size(), 1U);
  EXPECT_EQ(batch.jobs[0].started, now_);
  EXPECT_EQ(batch.jobs[0].ends, now_ + std::chrono::minutes(11));
  run("a", 1, "n2");  // without a limit
  EXPECT_FALSE(collect().jobs[0].ends);
}

TEST_F(CollectorTest, AJobThatIsDoneIsGone) {
  const std::int64_t id = collect().jobs[0].id;
  for (int i = 0; i < 2; ++i) {
    PodObject pod = running_on(make_member("a", i), "n2");
    mirror_.apply(pod);
    pod.phase = PodPhase::succeeded;
    mirror_.apply(pod);
  }
  const Batch batch = collect();
  EXPECT_TRUE(batch.jobs.empty());
  EXPECT_EQ(batch.jobs_gone, std::vector<std::int64_t>{id});
}

TEST_F(CollectorTest, PAGE5_AMessageAloneIsCopiedEveryFiveSeconds) {
  waits_ = "ml/a";
  Batch batch = collect();
  EXPECT_EQ(batch.jobs[0].reason, "gang_not_ready");
  EXPECT_EQ(batch.jobs[0].message, "1 of 2");
  message_ = "0 of 2";
  const std::vector<JobId> noted{JobId(static_cast<std::size_t>(batch.jobs[0].id))};
  collector_.note(noted);
  now_ += std::chrono::seconds(4);
  EXPECT_TRUE(collect().jobs.empty());
  now_ += std::chrono::seconds(1);
  batch = collect();
  ASSERT_EQ(batch.jobs.size(), 1U);
  EXPECT_EQ(batch.jobs[0].message, "0 of 2");
  // Another reason waits for nothing.
  code_ = "queue_closed";
  collector_.note(noted);
  EXPECT_EQ(collect().jobs.size(), 1U);
}

TEST_F(CollectorTest, NodesAreInTheirDomains) {
  const Batch batch = collect();
  EXPECT_EQ(batch.levels, std::vector<std::string>{"rack"});
  ASSERT_TRUE(batch.domains);
  ASSERT_EQ(batch.domains->size(), 1U);
  EXPECT_EQ(batch.domains->front().name, "r1");
  EXPECT_EQ(node(batch, "n1")->domain, batch.domains->front().id);
  EXPECT_EQ(node(batch, "n2")->domain, kNone);
}

TEST_F(CollectorTest, TheOrderHasJobsThatStillWait) {
  mirror_.settle(now_);
  add_gang(mirror_, make_group("b", 1), 1);
  mirror_.settle(now_);
  const JobId a = mirror_.find_group("ml/a"), b = mirror_.find_group("ml/b");
  collector_.note_order({b, a});
  EXPECT_EQ(collect().order, (std::vector<std::int64_t>{static_cast<std::int64_t>(b.index()),
                                                        static_cast<std::int64_t>(a.index())}));
  run("b", 0, "n2");
  EXPECT_EQ(collect().order.size(), 1U);
}

TEST_F(CollectorTest, TextsAreJsonWhateverTheNamesAre) {
  NodePart node;
  node.name = "a\"<script>\n\xff";
  node.allocatable = {1, 2};
  node.groups = {{3, PodState::leaving, 2, {1}}};
  EXPECT_EQ(text_of(node), "[\"a\\\"<script>\\n\xEF\xBF\xBD\",0,-1,[1,2],[],-1,\"\",[[3,3,2,1]]]");
  JobPart job;
  job.id = 3;
  job.name = "ml/a";
  job.reason = "gang_not_ready";
  job.message = "says \"no\"";
  job.limit = std::chrono::minutes(1);
  std::string shown;
  append_shown(shown, text_of(job), nullptr);
  EXPECT_EQ(shown,
            "[3,\"ml/a\",\"\",\"Pending\",0,1,[0,0,0,0,0,0],0,0,0,"
            "{\"reason\":\"gang_not_ready\",\"message\":\"says \\\"no\\\"\",\"limit\":60}]");
}

}  // namespace
}  // namespace berth::page::collector_test
