#include <gtest/gtest.h>

#include "berth/engine/points.h"
#include "berth/engine/registry.h"
#include "simulation/job_stream.h"

// Jobs of recordings and dumps have more than those of logs.

namespace berth::simulation::job_stream_recorded_test {
namespace {

using std::chrono::seconds;

class RecordedStream : public testing::Test {
 protected:
  RecordedStream() {
    const conf::KnownNames known{engine::action_names(), engine::plugin_names(),
                                 engine::points::names()};
    constexpr const char* kConfig =
        "actions: [allocate]\n"
        "tiers: [{plugins: [{name: priority}, {name: gang}, {name: predicates}]}]\n";
    request_.config = conf::load_config(kConfig, "test", known).value();
  }

  void add_node(const std::string& name, const std::string& rack, std::int64_t cpu) {
    NodeObject node;
    node.name = node.uid = name;
    node.labels = {{"rack", rack}};
    node.allocatable = {{"cpu", cpu}, {"pods", 110}};
    request_.nodes.push_back(node);
  }

  StreamJob& add_job(int submit, int run, std::vector<StreamPods> shapes) {
    StreamJob job;
    job.name = "job-" + std::to_string(request_.jobs.size());
    job.submit = seconds(submit);
    job.run = seconds(run);
    job.pods = 0;
    for (const StreamPods& each : shapes) job.pods += each.count;
    job.shapes = std::move(shapes);
    request_.jobs.push_back(std::move(job));
    return request_.jobs.back();
  }

  static StreamPods pods(std::int32_t count, std::int64_t cpu, const std::string& rack = {}) {
    StreamPods pods{count, {{"cpu", cpu}}, {}};
    if (!rack.empty()) pods.constraints.node_selector = {{"rack", rack}};
    return pods;
  }

  StreamResult run() { return run_stream(request_).value(); }

  StreamRequest request_;
};

TEST_F(RecordedStream, PodsOfAJobMayDiffer) {
  add_node("n0", "a", 4000);
  add_node("n1", "b", 4000);
  add_job(0, 10, {pods(1, 3000, "b"), pods(2, 1000, "a")});
  add_job(0, 10, {pods(1, 1000, "c")});
  const StreamResult result = run();
  EXPECT_EQ(result.jobs[0].nodes, (std::vector<std::int32_t>{0, 0, 1}));
  EXPECT_FALSE(result.jobs[1].start);
}

TEST_F(RecordedStream, TheHigherPriorityGoesFirst) {
  add_node("n0", "a", 1000);
  add_job(0, 10, {pods(1, 1000)});
  add_job(0, 10, {pods(1, 1000)}).priority = 5;
  const StreamResult result = run();
  EXPECT_EQ(result.jobs[0].start, seconds(10));
  EXPECT_EQ(result.jobs[1].start, seconds(0));
}

TEST_F(RecordedStream, AJobThatHasWaitedIsOlder) {
  add_node("n0", "a", 1000);
  add_job(0, 10, {pods(1, 1000)});
  add_job(0, 10, {pods(1, 1000)}).waited = seconds(500);
  EXPECT_EQ(run().jobs[1].start, seconds(0));
}

TEST_F(RecordedStream, AJobThatRunsIsInItsPlaces) {
  add_node("n0", "a", 2000);
  add_node("n1", "a", 2000);
  add_job(0, 30, {pods(1, 1500), pods(1, 2000)}).places = {"n1", "n0"};
  add_job(0, 10, {pods(1, 600)});
  const StreamResult result = run();
  EXPECT_EQ(result.jobs[0].start, seconds(0));
  EXPECT_EQ(result.jobs[0].end, seconds(30));
  EXPECT_EQ(result.jobs[1].start, seconds(30));
}

TEST_F(RecordedStream, AJobThatNeverEndsDoesNotKeepTheStreamFromItsEnd) {
  add_node("n0", "a", 1000);
  StreamJob& job = add_job(0, 0, {pods(1, 1000)});
  job.places = {"n0"};
  job.never_ends = true;
  add_job(5, 10, {pods(1, 1000)});
  const StreamResult result = run();
  EXPECT_EQ(result.jobs[0].start, seconds(0));
  EXPECT_FALSE(result.jobs[0].end);
  EXPECT_FALSE(result.jobs[1].start);
  EXPECT_LT(result.until, std::chrono::hours(24 * 8));
}

TEST_F(RecordedStream, ANodeThatGoesTakesItsJobsWithIt) {
  add_node("n0", "a", 1000);
  add_node("n1", "a", 1000);
  StreamJob& runs = add_job(0, 60, {pods(1, 1000)});
  runs.places = {"n0"};
  runs.ran = seconds(40);
  add_job(0, 30, {pods(1, 1000)}).places = {"n1"};
  add_job(0, 60, {pods(1, 1000)});
  request_.node_changes = {{seconds(20), 0, false}};
  const StreamResult result = run();
  // It starts anew on the other node, and runs for all of its time.
  EXPECT_EQ(result.jobs[0].earlier,
            (std::vector<std::pair<Duration, Duration>>{{{}, seconds(20)}}));
  EXPECT_EQ(result.jobs[0].lost, seconds(60));
  EXPECT_EQ(result.jobs[0].start, seconds(30));
  EXPECT_EQ(result.jobs[0].end, seconds(130));
  EXPECT_EQ(result.jobs[2].start, seconds(130));
  EXPECT_EQ(result.jobs[0].nodes, std::vector<std::int32_t>{1});
}

TEST_F(RecordedStream, ANodeThatGoesIsFullUntilThenAndNeverComesBack) {
  add_node("n0", "a", 1000);
  request_.troubles.between_node_failures = seconds(40);
  request_.troubles.repair = seconds(5);
  add_job(0, 50, {pods(1, 1000)}).places = {"n0"};
  add_job(60, 10, {pods(1, 1000)});
  request_.node_changes = {{seconds(55), 0, false}};
  request_.troubles.seed = 3;
  const StreamResult result = run();
  EXPECT_FALSE(result.jobs[1].start);
}

TEST_F(RecordedStream, ANodeMayComeAfterWeeks) {
  add_node("n0", "a", 1000);
  add_node("n1", "b", 1000);
  const Duration late = std::chrono::hours(24 * 20);
  request_.node_changes = {{late, 1, true}};
  add_job(0, 10, {pods(1, 1000, "b")});
  add_job(0, 10, {pods(1, 1000, "a")});
  const StreamResult result = run();
  EXPECT_EQ(result.jobs[0].start, late);
  EXPECT_EQ(result.jobs[1].start, seconds(0));
}

}  // namespace
}  // namespace berth::simulation::job_stream_recorded_test
