#include "simulation/job_stream.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "berth/engine/points.h"
#include "berth/engine/registry.h"

namespace berth::simulation::job_stream_test {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr const char* kFirstComeFirstServed = R"(
actions: [allocate]
tiers: [{plugins: [{name: gang}, {name: predicates}]}]
defaultQueueStrategy: fifo
)";

// Two actions that the clock may change something for.
constexpr const char* kReclaim = R"(
actions: [allocate, reclaim]
tiers: [{plugins: [{name: gang}, {name: predicates}, {name: proportion}]}]
)";

conf::Config config_of(const char* text) {
  const conf::KnownNames known{engine::action_names(), engine::plugin_names(),
                               engine::points::names()};
  return conf::load_config(text, "test", known).value();
}

StreamJob job(const std::string& name, int submit, int run, std::int32_t pods = 1) {
  StreamJob job;
  job.name = name;
  job.submit = seconds(submit);
  job.run = seconds(run);
  job.pods = pods;
  job.request = {{"cpu", 1000}};
  return job;
}

StreamJob cancelled(StreamJob job, int after) {
  job.cancelled_after = seconds(after);
  return job;
}

StreamJob in_queue(StreamJob job, const std::string& queue) {
  job.queue = queue;
  return job;
}

// On nodes of one processor.
StreamRequest request_of(int nodes, std::vector<StreamJob> jobs,
                         const char* config = kFirstComeFirstServed) {
  StreamRequest request;
  for (int n = 0; n < nodes; ++n) {
    NodeObject node;
    node.name = node.uid = "n" + std::to_string(n);
    node.allocatable = {{"cpu", 1000}, {"pods", 110}};
    request.nodes.push_back(node);
  }
  request.jobs = std::move(jobs);
  request.config = config_of(config);
  return request;
}

void add_queue(StreamRequest& request, const std::string& name) {
  QueueObject queue;
  queue.name = queue.uid = name;
  request.others.emplace_back(std::move(queue));
}

// "0-100", "cancelled", "never", "evicted at 50, 80-180"
std::string text_of(const StreamOutcome& outcome) {
  const auto number = [](Duration time) {
    return std::to_string(std::chrono::duration_cast<seconds>(time).count());
  };
  std::string text;
  for (const auto& [start, end] : outcome.earlier) text += "evicted at " + number(end) + ", ";
  if (outcome.was_cancelled) return text + "cancelled";
  if (!outcome.start) return text + "never";
  return text + number(*outcome.start) + "-" + (outcome.end ? number(*outcome.end) : "");
}

std::vector<std::string> texts_of(const StreamResult& result) {
  std::vector<std::string> texts;
  for (const StreamOutcome& outcome : result.jobs) texts.push_back(text_of(outcome));
  return texts;
}

std::vector<std::string> outcomes(StreamRequest request) {
  return texts_of(run_stream(std::move(request)).value());
}

using Texts = std::vector<std::string>;

TEST(JobStream, AnEndMakesRoomForWhatComesAtThatInstant) {
  EXPECT_EQ(outcomes(request_of(1, {job("a", 0, 100), job("b", 100, 50)})),
            (Texts{"0-100", "100-150"}));
}

TEST(JobStream, AJobWithoutRunTimeEndsAtItsStart) {
  EXPECT_EQ(outcomes(request_of(1, {job("a", 0, 0), job("b", 0, 10)})), (Texts{"0-0", "0-10"}));
}

TEST(JobStream, AGangStartsWhole) {
  const StreamResult result =
      run_stream(request_of(4, {job("a", 0, 100, 2), job("b", 10, 50, 3)})).value();
  EXPECT_EQ(texts_of(result), (Texts{"0-100", "100-150"}));
  EXPECT_EQ(result.jobs[1].nodes.size(), 3U);
  EXPECT_TRUE(std::is_sorted(result.jobs[1].nodes.begin(), result.jobs[1].nodes.end()));
  EXPECT_EQ(result.until, seconds(150));
}

TEST(JobStream, AJobThatWaitsIsCancelledBeforeTheRoomOfThatInstantIsGivenAway) {
  EXPECT_EQ(outcomes(request_of(
                1, {job("a", 0, 100), cancelled(job("b", 50, 50), 50), job("c", 100, 10)})),
            (Texts{"0-100", "cancelled", "100-110"}));
}

TEST(JobStream, AJobThatHasStartedIsNotCancelled) {
  EXPECT_EQ(outcomes(request_of(1, {job("a", 0, 100), cancelled(job("b", 50, 50), 51)})),
            (Texts{"0-100", "100-150"}));
}

TEST(JobStream, AJobThatIsCancelledAtOnceStartsOnlyIfThereIsRoom) {
  EXPECT_EQ(outcomes(request_of(
                1, {cancelled(job("a", 0, 100), 0), cancelled(job("b", 1, 5), 0), job("c", 2, 5)})),
            (Texts{"0-100", "cancelled", "100-105"}));
}

TEST(JobStream, AJobOnlyRunsOnTheModelsThatItNames) {
  StreamRequest request = request_of(3, {job("a", 0, 100), job("b", 0, 50)});
  request.nodes[1].labels[kModelLabel] = "P100";
  request.nodes[2].labels[kModelLabel] = "T4";
  request.jobs[0].models = {"T4", "V100"};
  request.jobs[1].models = {"A10"};
  const StreamResult result = run_stream(std::move(request)).value();
  EXPECT_EQ(texts_of(result), (Texts{"0-100", "never"}));
  EXPECT_EQ(result.jobs[0].nodes, (std::vector<std::int32_t>{2}));
}

// Queue "a" has all four nodes, and a share of two.
StreamRequest two_queues() {
  StreamRequest request =
      request_of(4,
                 {in_queue(job("a1", 0, 1000, 2), "a"), in_queue(job("a2", 10, 1000, 2), "a"),
                  in_queue(job("b", 100, 500, 2), "b")},
                 kReclaim);
  add_queue(request, "a");
  add_queue(request, "b");
  return request;
}

TEST(JobStream, AJobThatIsEvictedStartsAnew) {
  const StreamResult result = run_stream(two_queues()).value();
  EXPECT_EQ(texts_of(result), (Texts{"0-1000", "evicted at 100, 600-1600", "100-600"}));
  ASSERT_EQ(result.jobs[1].earlier.size(), 1U);
  EXPECT_EQ(result.jobs[1].earlier[0].first, seconds(10));
  EXPECT_EQ(result.jobs[1].nodes.size(), 2U);
}

TEST(JobStream, AJobThatIsEvictedAfterItsTimeOfCancellationStaysSubmitted) {
  StreamRequest request = two_queues();
  request.jobs[1].cancelled_after = seconds(20);  // it runs then
  EXPECT_EQ(outcomes(std::move(request)), (Texts{"0-1000", "evicted at 100, 600-1600", "100-600"}));
}

TEST(JobStream, AStartTakesTimeBeforeTheWorkBegins) {
  StreamRequest request = request_of(1, {job("a", 0, 100), job("b", 0, 50)});
  request.troubles.startup = seconds(10);
  const StreamResult result = run_stream(request).value();
  EXPECT_EQ(text_of(result.jobs[0]), "0-110");
  EXPECT_EQ(text_of(result.jobs[1]), "110-170");
}

Duration worked(const StreamOutcome& outcome) {
  Duration sum = *outcome.end - *outcome.start;
  for (const auto& [start, end] : outcome.earlier) sum += end - start;
  return sum;
}

TEST(JobStream, AJobOfWhichAPodFailsStartsAnewAtOnce) {
  StreamRequest request = request_of(1, {job("a", 0, 100)});
  request.troubles.failures_per_mille = 700;
  request.troubles.seed = 3;
  const StreamOutcome anew = run_stream(request).value().jobs[0];
  ASSERT_FALSE(anew.earlier.empty());
  EXPECT_EQ(*anew.end - *anew.start, seconds(100));
  EXPECT_EQ(worked(anew), *anew.end);
  EXPECT_EQ(anew.lost, worked(anew) - seconds(100));
  request.troubles.victims_go_on = true;
  const StreamOutcome goes_on = run_stream(request).value().jobs[0];
  ASSERT_FALSE(goes_on.earlier.empty());
  EXPECT_EQ(worked(goes_on), seconds(100));
  EXPECT_EQ(goes_on.lost, Duration());
  request.troubles.startup = seconds(5);
  const StreamOutcome after_startup = run_stream(request).value().jobs[0];
  Duration startups{};
  for (const auto& [start, end] : after_startup.earlier) {
    startups += std::min<Duration>(end - start, seconds(5));
  }
  EXPECT_EQ(after_startup.lost, startups);
}

TEST(JobStream, AJobLosesItsNodeAndStartsAnewElsewhere) {
  StreamRequest request = request_of(2, {job("a", 0, 300), job("b", 0, 10), job("c", 400, 10)});
  request.troubles.between_node_failures = seconds(200);
  request.troubles.repair = seconds(20);
  std::size_t lost = 0;
  for (request.troubles.seed = 1; request.troubles.seed <= 5; ++request.troubles.seed) {
    const StreamResult result = run_stream(request).value();
    EXPECT_EQ(*result.jobs[0].end - *result.jobs[0].start, seconds(300));
    EXPECT_TRUE(result.jobs[2].end.has_value());
    lost += result.jobs[0].earlier.size();
    EXPECT_EQ(text_of(run_stream(request).value().jobs[0]), text_of(result.jobs[0]));
  }
  EXPECT_GT(lost, 0U);
}

TEST(JobStream, GivesUpAfterATime) {
  StreamRequest request = request_of(1, {job("a", 0, 100), job("b", 10, 100), job("c", 180, 10)});
  request.give_up_after = seconds(150);
  const StreamResult result = run_stream(std::move(request)).value();
  EXPECT_EQ(texts_of(result), (Texts{"0-100", "100-", "never"}));
  EXPECT_EQ(result.until, seconds(100));
  EXPECT_FALSE(result.was_stopped);
}

TEST(JobStream, EndsAtOnceIfNothingElseCanHappen) {
  const StreamResult result =
      run_stream(request_of(1, {job("a", 0, 100), job("large", 10, 10, 2)})).value();
  EXPECT_EQ(texts_of(result), (Texts{"0-100", "never"}));
  EXPECT_EQ(result.until, seconds(100));
}

TEST(JobStream, WaitsAWeekOnAnIdleMachineForWhatTheClockMayBring) {
  const StreamResult result =
      run_stream(request_of(1, {job("a", 0, 100), job("large", 10, 10, 2)}, kReclaim)).value();
  EXPECT_EQ(texts_of(result), (Texts{"0-100", "never"}));
  EXPECT_EQ(result.until, seconds(100) + hours(24 * 7));
  EXPECT_GT(result.sessions, 10'000U);
}

TEST(JobStream, StopsIfProgressIsAnsweredByNo) {
  std::vector<StreamJob> jobs;
  for (int i = 0; i < 1000; ++i) jobs.push_back(job("j" + std::to_string(i), i, 1));
  StreamRequest request = request_of(1, jobs);
  std::size_t last = 0;
  request.on_progress = [&](std::size_t done) {
    EXPECT_GE(done, last);
    last = done;
    return done < 500;
  };
  const StreamResult result = run_stream(std::move(request)).value();
  EXPECT_TRUE(result.was_stopped);
  EXPECT_GE(last, 500U);
  EXPECT_LT(last, 700U);
  EXPECT_EQ(text_of(result.jobs[0]), "0-1");
  EXPECT_EQ(text_of(result.jobs[999]), "never");
}

TEST(JobStream, StopsSoWhileNoJobEnds) {
  StreamRequest request = request_of(1, {job("a", 0, 3'000'000), job("b", 0, 10)}, kReclaim);
  std::size_t times = 0;
  request.on_progress = [&](std::size_t /*done*/) { return ++times < 3; };
  const StreamResult result = run_stream(std::move(request)).value();
  EXPECT_TRUE(result.was_stopped);
  EXPECT_EQ(texts_of(result), (Texts{"0-", "never"}));
}

TEST(JobStream, EqualRequestsGiveEqualResults) {
  const StreamResult one = run_stream(two_queues()).value();
  const StreamResult other = run_stream(two_queues()).value();
  EXPECT_EQ(texts_of(one), texts_of(other));
  EXPECT_EQ(one.sessions, other.sessions);
  for (std::size_t i = 0; i < one.jobs.size(); ++i) {
    EXPECT_EQ(one.jobs[i].nodes, other.jobs[i].nodes);
  }
}

TEST(JobStream, NoJobsAreNoError) {
  const StreamResult result = run_stream(request_of(1, {})).value();
  EXPECT_TRUE(result.jobs.empty());
  EXPECT_EQ(result.sessions, 0U);
}

TEST(JobStream, AConfigurationThatTheEngineRefusesIsAnError) {
  const auto result = run_stream(request_of(1, {}, R"(
actions: [allocate]
tiers: [{plugins: [{name: gang, arguments: {colour: red}}]}]
)"));
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().to_string().find("colour"), std::string::npos);
}

}  // namespace
}  // namespace berth::simulation::job_stream_test
