#include "forecast/intervals.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "forecast/accuracy.h"

namespace berth::forecast {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// Starts that come after the planned time, times a factor of this distribution.
class RandomStarts {
 public:
  RandomStarts(std::uint64_t seed, double mean, double deviation)
      : random_(seed), factor_(mean, deviation) {}
  Duration planned() { return seconds(60 + static_cast<std::int64_t>(random_() % 20'000)); }
  Duration came(Duration planned) {
    const double factor = factor_(random_);
    return Duration(static_cast<std::int64_t>(static_cast<double>(planned.count()) * factor));
  }

 private:
  std::mt19937_64 random_;
  std::lognormal_distribution<double> factor_;
};

double coverage(Intervals& intervals, RandomStarts& starts, int count) {
  int inside = 0;
  for (int i = 0; i < count; ++i) {
    const Duration planned = starts.planned();
    const Interval likely = intervals.around(planned);
    const Duration came = starts.came(planned);
    inside += likely.holds(came) ? 1 : 0;
    intervals.learn(planned, likely, came);
  }
  return static_cast<double>(inside) / count;
}

TEST(Intervals, HoldFourOfFiveWhateverTheErrorsAre) {  // LIKELY-1, LIKELY-3
  for (const double mean : {-2.0, 0.0, 1.0}) {
    for (const double deviation : {0.1, 1.0, 2.0}) {
      Intervals intervals;
      RandomStarts starts(1, mean, deviation);
      EXPECT_NEAR(coverage(intervals, starts, 5'000), 0.8, 0.03) << mean << " " << deviation;
    }
  }
}

TEST(Intervals, FollowErrorsThatBecomeOthers) {
  Intervals intervals;
  RandomStarts quiet(1, 0, 0.2);
  coverage(intervals, quiet, 2'000);
  RandomStarts busy(2, 1, 1.5);
  EXPECT_NEAR(coverage(intervals, busy, 4'000), 0.8, 0.04);
}

TEST(Intervals, AreNarrowWhereStartsCameAsPlanned) {  // LIKELY-2
  Intervals intervals;
  for (int i = 0; i < 200; ++i) {
    for (const bool is_long : {false, true}) {
      const Duration planned = is_long ? Duration(hours(8)) : Duration(minutes(5));
      const Duration came = is_long ? planned * (1 + i % 5) / 2 : planned;
      intervals.learn(planned, intervals.around(planned), came);
    }
  }
  const Interval near = intervals.around(minutes(5));
  const Interval far = intervals.around(hours(8));
  EXPECT_LT(near.latest - near.earliest, seconds(30));
  EXPECT_GT(far.latest - far.earliest, hours(6));
}

TEST(Intervals, AreWideBeforeAnythingCame) {  // LIKELY-4
  const Interval likely = Intervals().around(hours(1));
  EXPECT_GT(likely.earliest, minutes(10));
  EXPECT_LT(likely.earliest, minutes(15));
  EXPECT_GT(likely.latest, hours(2));
  EXPECT_LT(likely.latest, hours(3));
  EXPECT_EQ(Intervals().around(Duration()).earliest, Duration());
}

TEST(Intervals, TakeAnyPlannedTime) {
  Intervals intervals;
  for (const Duration planned : {Duration(), Duration(1), Duration(hours(24 * 3650))}) {
    const Interval likely = intervals.around(planned);
    EXPECT_LE(likely.earliest, likely.latest);
    intervals.learn(planned, likely, Duration());
    intervals.learn(planned, likely, hours(24 * 3650));
  }
}

TEST(Intervals, AreSavedAndRestored) {
  Intervals intervals;
  RandomStarts starts(7, 0.5, 0.7);
  coverage(intervals, starts, 500);
  Intervals restored;
  ASSERT_TRUE(restored.restore(intervals.save()));
  EXPECT_EQ(restored.save(), intervals.save());
  EXPECT_LT(intervals.save().size(), 60'000U);
  for (const char* text : {"", "{}", R"({"version":1})", R"({"version":1,"classes":[]})",
                           R"({"version":2,"classes":[]})"}) {
    EXPECT_FALSE(restored.restore(text)) << text;
  }
  std::string bad = intervals.save();
  bad.replace(bad.find("\"errors\":["), 10, "\"errors\":[\"x\",");
  EXPECT_FALSE(restored.restore(bad));
  EXPECT_EQ(restored.save(), intervals.save());
}

TEST(Accuracy, ComparesTheLastThousand) {  // ACCURACY-1
  Accuracy accuracy;
  const Interval likely{minutes(5), minutes(15)};
  EXPECT_EQ(accuracy.add(minutes(10), likely, minutes(1)), Accuracy::Outcome::earlier);
  EXPECT_EQ(accuracy.add(minutes(10), likely, minutes(5)), Accuracy::Outcome::inside);
  EXPECT_EQ(accuracy.add(minutes(10), likely, minutes(16)), Accuracy::Outcome::later);
  const views::ForecastAccuracy figures = accuracy.figures();
  EXPECT_EQ(figures.jobs, 3);
  EXPECT_EQ(figures.inside, 1);
  EXPECT_EQ(figures.earlier, 1);
  EXPECT_EQ(figures.later, 1);
  EXPECT_EQ(figures.median_error, minutes(6));
  for (int i = 0; i < 1000; ++i) accuracy.add(minutes(10), likely, minutes(10));
  EXPECT_EQ(accuracy.figures().jobs, 1000);
  EXPECT_EQ(accuracy.figures().inside, 1000);
  EXPECT_EQ(Accuracy().figures().jobs, 0);
}

}  // namespace
}  // namespace berth::forecast
