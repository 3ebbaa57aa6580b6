#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "berth/engine/points.h"
#include "berth/engine/registry.h"
#include "conf/files.h"
#include "simulation/job_stream.h"
#include "support/checkout.h"

// Fair share over time: a week with the plugins of the shipped example and a half-life of a day, in
// which all ask for more than they get. Nothing is admitted or evicted, so that sessions are run at
// events only, and not each minute. The use of each is worked out from starts and ends alone.

namespace berth::simulation::fair_share_test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr Duration kWeek = hours(168);
constexpr Duration kHalfLife = hours(24);
constexpr int kNodes = 2;
constexpr int kPlaces = 4;                         // of a node
constexpr double kAll = kNodes * kPlaces * 168.0;  // hours of a place

double hours_of(Duration time) {
  return std::chrono::duration<double, std::ratio<3600>>(time).count();
}

// A tenant: a queue, or a namespace in one.
struct Tenant {
  std::string queue;
  std::int32_t weight = 1;
  std::string name_space = "trace";
};

// When the next job comes, after one that came at `now`: from 0 on, until the week is over.
using Arrivals = std::function<Duration(Duration now, std::mt19937_64& chances)>;

class Week {
 public:
  Week() {
    const conf::KnownNames known{engine::action_names(), engine::plugin_names(),
                                 engine::points::names()};
    const std::string file = support::source_file("config/examples/fair-share.yaml");
    request_.config =
        conf::load_config(conf::read_regular_file(file, 1 << 20).value(), file, known).value();
    request_.config.fair_share.half_life = kHalfLife;
    std::erase_if(request_.config.session.actions, [](const engine::Named& action) {
      return action.name != "allocate" && action.name != "backfill";
    });
    for (int n = 0; n < kNodes; ++n) {
      NodeObject node;
      node.name = node.uid = "n" + std::to_string(n);
      node.allocatable = {{"cpu", kPlaces * 1000}, {"pods", 110}};
      request_.nodes.push_back(node);
    }
  }

  void add(const Tenant& tenant, const Arrivals& next) {
    if (!queues_.contains(tenant.queue)) {
      QueueObject queue;
      queue.name = queue.uid = tenant.queue;
      queue.weight = tenant.weight;
      request_.others.emplace_back(queue);
      queues_.insert(tenant.queue);
    }
    const auto number = static_cast<int>(tenants_.size());
    tenants_.push_back(tenant);
    for (Duration at = next(Duration(-1), chances_); at < kWeek; at = next(at, chances_)) {
      StreamJob job;
      job.submit = at;
      job.run = minutes(30 + static_cast<int>(chances_() % 61));
      job.request = {{"cpu", 1000}};
      job.queue = tenant.queue;
      job.name_space = tenant.name_space;
      job.name = std::to_string(number);
      request_.jobs.push_back(job);
    }
  }

  void run() {
    std::stable_sort(
        request_.jobs.begin(), request_.jobs.end(),
        [](const auto& left, const auto& right) { return left.submit < right.submit; });
    for (const StreamJob& job : request_.jobs) tenant_.push_back(std::stoul(job.name));
    for (std::size_t i = 0; i < request_.jobs.size(); ++i) {
      request_.jobs[i].name = "j" + std::to_string(i);
    }
    request_.give_up_after = kWeek;
    jobs_ = request_.jobs;
    result_ = run_stream(request_).value();
  }

  // Of all that was used.
  double part_of(std::size_t tenant) const {
    double own = 0;
    double all = 0;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const auto& start = result_.jobs[i].start;
      if (!start) continue;
      const double used = hours_of(std::min(kWeek, *start + jobs_[i].run) - *start);
      all += used;
      if (tenant_[i] == tenant) own += used;
    }
    return own / all;
  }
  double used_of_all() const {
    double all = 0;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const auto& start = result_.jobs[i].start;
      if (start) all += hours_of(std::min(kWeek, *start + jobs_[i].run) - *start);
    }
    return all / kAll;
  }

  // Hours: the longest time for which a job of the tenant waited and none of its jobs started.
  double longest_wait_of(std::size_t tenant) const {
    std::vector<std::pair<Duration, int>> events;  // +1: one waits, -1: one has started
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (tenant_[i] != tenant) continue;
      events.emplace_back(jobs_[i].submit, +1);
      if (result_.jobs[i].start) events.emplace_back(*result_.jobs[i].start, -1);
    }
    std::sort(events.begin(), events.end());
    Duration longest{};
    Duration since{};
    int waiting = 0;
    for (const auto& [at, change] : events) {
      if (waiting > 0 && change < 0) longest = std::max(longest, at - since);
      if (waiting == 0 || change < 0) since = at;
      waiting += change;
    }
    if (waiting > 0) longest = std::max(longest, kWeek - since);
    return hours_of(longest);
  }

  std::size_t jobs() const { return jobs_.size(); }

 private:
  StreamRequest request_;
  StreamResult result_;
  std::vector<StreamJob> jobs_;
  std::vector<Tenant> tenants_;
  std::vector<std::size_t> tenant_;  // by job
  std::set<std::string> queues_;
  std::mt19937_64 chances_{7};
};

constexpr double kHours = 1;  // of a job, on average

// Jobs for so many places, on average.
Arrivals steady(double places) {
  const Duration between = std::chrono::duration_cast<Duration>(hours(1) * kHours / places);
  return [between](Duration now, std::mt19937_64& chances) {
    const auto part = static_cast<std::int64_t>(chances() % 1000);
    return now < Duration() ? Duration() : now + between * (500 + part) / 1000;
  };
}

// The same, all of a day at once; `first` is when the first come.
Arrivals bursts(double places, Duration period, Duration first) {
  const auto at_once = static_cast<int>(places / kHours * hours_of(period));
  return [=, left = at_once](Duration now, std::mt19937_64&) mutable {
    if (now < Duration()) return first;
    if (--left > 0) return now;
    left = at_once;
    return now + period;
  };
}

// The same, in twelve hours of each day.
Arrivals by_half_days(double places, Duration first) {
  const Duration between = std::chrono::duration_cast<Duration>(hours(1) * kHours / (2 * places));
  return [=](Duration now, std::mt19937_64&) {
    if (now < Duration()) return first;
    const Duration next = now + between;
    return (next - first) % hours(24) < hours(12) ? next : next + hours(12);
  };
}

void expect_shares(Week& week, const std::vector<double>& weights, double longest_wait) {
  week.run();
  EXPECT_GT(week.used_of_all(), 0.98);
  double sum = 0;
  for (const double each : weights) sum += each;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double due = weights[i] / sum;
    EXPECT_NEAR(week.part_of(i) / due, 1, 0.02) << i;
    EXPECT_LT(week.longest_wait_of(i), longest_wait) << i;
    std::printf("tenant %zu: %.4f of %.4f, longest wait %.2f h\n", i, week.part_of(i), due,
                week.longest_wait_of(i));
  }
}

// FAIR-1
TEST(FairShare, divides_a_week_by_weights_if_jobs_come_steadily) {
  Week week;
  week.add({"a", 1}, steady(1.6));
  week.add({"b", 2}, steady(3.1));
  week.add({"c", 3}, steady(4.5));
  expect_shares(week, {1, 2, 3}, 6);
}

TEST(FairShare, divides_a_week_by_weights_if_jobs_come_in_bursts_by_turns) {
  Week week;
  week.add({"a", 1}, bursts(1.6, hours(24), Duration()));
  week.add({"b", 2}, bursts(3.1, hours(24), hours(1)));
  week.add({"c", 3}, bursts(4.5, hours(24), hours(2)));
  expect_shares(week, {1, 2, 3}, 12);
}

TEST(FairShare, divides_a_week_by_weights_if_one_comes_by_day_and_one_floods_by_night) {
  Week week;
  week.add({"day", 2}, by_half_days(6, Duration()));
  week.add({"night", 1}, by_half_days(6, hours(12)));
  expect_shares(week, {2, 1}, 24);
}

// FAIR-3
TEST(FairShare, divides_a_queue_among_its_namespaces) {
  Week week;
  week.add({"a", 1, "flood"}, bursts(3.2, hours(168), Duration()));
  week.add({"a", 1, "steady"}, steady(3));
  week.add({"a", 1, "by-day"}, by_half_days(3, Duration()));
  expect_shares(week, {1, 1, 1}, 12);
}

}  // namespace
}  // namespace berth::simulation::fair_share_test
