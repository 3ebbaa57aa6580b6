#include "policies/workload.h"

#include <algorithm>
#include <cmath>

#include "policies/chance.h"

namespace berth::policies {

namespace {

Trace tiny_trace(Chance& chance) {
  Trace trace;
  trace.nodes = chance.between(1, 8);
  const std::int64_t most = chance.between(2, 12);  // seconds of a job
  for (std::int64_t left = chance.between(4, 16); left > 0; --left) {
    RefJob job;
    job.submit = chance.between(0, 6);
    job.limit = chance.between(0, most);
    job.run = chance.percent(50) ? job.limit : chance.between(0, most);
    job.nodes = chance.between(1, chance.percent(10) ? trace.nodes + 1 : trace.nodes);
    trace.jobs.push_back(job);
  }
  return trace;
}

std::int64_t run_time(Chance& chance, TraceKind kind, std::int64_t limit) {
  if (kind == TraceKind::exact) return limit;
  if (kind == TraceKind::early) return limit * chance.between(0, 100) / 100;
  return chance.between(0, limit + limit / 4);
}

Trace medium_trace(Chance& chance, TraceKind kind) {
  Trace trace;
  trace.nodes = chance.between(8, 64);
  const std::int64_t gap = chance.between(1, 60);
  std::int64_t now = 0;
  for (std::int64_t left = chance.between(20, 80); left > 0; --left) {
    if (chance.percent(60)) now += chance.between(0, 2 * gap);
    RefJob job;
    job.submit = now;
    job.limit = chance.between(1, chance.percent(30) ? 600 : 60);
    job.run = run_time(chance, kind, job.limit);
    const std::int64_t most =
        chance.percent(30) ? trace.nodes : std::max<std::int64_t>(trace.nodes / 4, 1);
    job.nodes = chance.between(1, most);
    if (chance.percent(1)) job.nodes = trace.nodes + 1;
    trace.jobs.push_back(job);
  }
  // So that numbers are not in the order of submission.
  for (std::size_t i = 1; i < trace.jobs.size(); ++i) {
    if (chance.percent(20)) std::swap(trace.jobs[i - 1], trace.jobs[i]);
  }
  return trace;
}

// The constants of the paper for all jobs together, as in the authors' program.
struct Lublin {
  static constexpr double kSerial = 0.244;
  static constexpr double kPowerOfTwo = 0.576;
  // Two uniform distributions of log2 of the size, in thousandths: the first in most cases.
  static constexpr std::int64_t kLow = 800;
  static constexpr std::int64_t kMiddleBelowHigh = 2500;
  static constexpr double kFirst = 0.86;
  // Two gamma distributions of the logarithm of the run time. The first has a probability of
  // kShort and kShortOfNode for each node, in 1/10000.
  static constexpr double kAlpha1 = 4.2;
  static constexpr double kBeta1 = 0.94;
  static constexpr double kAlpha2 = 312;
  static constexpr double kBeta2 = 0.03;
  static constexpr std::int64_t kShort = 7800;
  static constexpr std::int64_t kShortOfNode = -54;
  static constexpr double kMostOfRun = 12;
  // Of the logarithm of the gap between arrivals: alpha at rush hours times the ratio of all hours.
  static constexpr double kGapAlpha = 10.2303 * 1.0225;
  static constexpr double kGapBeta = 0.4871;
  static constexpr double kMostOfGap = 13;
  // Arrivals in each half hour from midnight on, their mean is 1000: gamma(8.1737, 3.9631) over
  // the half hours from five o'clock on.
  static constexpr std::array<std::int64_t, 48> kDay{
      508,  456,  409,  365,  325,  289,  256,  226,  200,  176,  165,  239,
      329,  435,  554,  684,  821,  961,  1100, 1235, 1362, 1477, 1579, 1664,
      1733, 1784, 1817, 1833, 1832, 1815, 1785, 1741, 1687, 1624, 1554, 1478,
      1398, 1315, 1231, 1147, 1064, 983,  904,  828,  756,  688,  624,  564};
};

std::int64_t lublin_size(Chance& chance, std::int64_t nodes) {
  const double kind = chance.unit();
  if (kind <= Lublin::kSerial) return 1;
  const auto high = static_cast<std::int64_t>(log2_of(static_cast<double>(nodes)) * 1000);
  const std::int64_t low = std::min(Lublin::kLow, high);
  const std::int64_t middle = std::max(high - Lublin::kMiddleBelowHigh, low);
  std::int64_t log =
      chance.unit() <= Lublin::kFirst ? chance.between(low, middle) : chance.between(middle, high);
  if (kind <= Lublin::kSerial + Lublin::kPowerOfTwo) log = (log + 500) / 1000 * 1000;
  const double size = exp2_of(static_cast<double>(log) / 1000);
  return std::clamp<std::int64_t>(std::llround(size), 1, nodes);
}

std::int64_t lublin_run(Chance& chance, std::int64_t size) {
  const std::int64_t share = Lublin::kShort + Lublin::kShortOfNode * size;
  double log = 0;
  do {
    const bool is_first = chance.unit() * 10000 <= static_cast<double>(share);
    log = is_first ? chance.gamma(Lublin::kAlpha1, Lublin::kBeta1)
                   : chance.gamma(Lublin::kAlpha2, Lublin::kBeta2);
  } while (log > Lublin::kMostOfRun);
  return static_cast<std::int64_t>(exp2_of(log / kLogOf2));
}

// Arrivals at one rate in a time that passes faster by day than by night.
class Arrivals {
 public:
  explicit Arrivals(std::int64_t gap_percent) : gap_percent_(gap_percent) {}

  std::int64_t next(Chance& chance) {
    double log = 0;
    do {
      log = chance.gamma(Lublin::kGapAlpha, Lublin::kGapBeta);
    } while (log > Lublin::kMostOfGap);
    const std::int64_t gap = std::llround(exp2_of(log / kLogOf2) * 1000);
    points_ += gap * gap_percent_ / 100;
    while (points_ >= kHalfHour * rate()) {
      points_ -= kHalfHour * rate();
      ++half_hour_;
    }
    const auto whole = static_cast<std::int64_t>(half_hour_) * kHalfHour;
    return whole + points_ / rate();
  }

 private:
  static constexpr std::int64_t kHalfHour = 1800;

  std::int64_t rate() const { return Lublin::kDay[half_hour_ % Lublin::kDay.size()]; }

  std::int64_t gap_percent_;
  std::size_t half_hour_ = 0;
  std::int64_t points_ = 0;  // of the half hour: as many a second as its rate
};

std::int64_t limit_of(Chance& chance, std::int64_t run) {
  static constexpr std::array<std::int64_t, 16> kMinutes{
      5, 10, 15, 30, 60, 120, 180, 240, 360, 480, 720, 960, 1440, 2160, 2880, 4320};
  const bool is_too_short = chance.percent(5);
  const std::int64_t wished = is_too_short ? run : run * 100 / chance.between(5, 100);
  std::int64_t limit = kMinutes.front() * 60;
  for (const std::int64_t minutes : kMinutes) {
    if (is_too_short && minutes * 60 > run) break;
    limit = minutes * 60;
    if (!is_too_short && limit >= wished) break;
  }
  return limit;
}

}  // namespace

Trace random_trace(std::uint64_t seed, TraceKind kind) {
  Chance chance(seed * 8 + static_cast<std::uint64_t>(kind));
  return kind == TraceKind::tiny ? tiny_trace(chance) : medium_trace(chance, kind);
}

Trace lublin_trace(std::uint64_t seed, std::size_t jobs, std::int64_t nodes,
                   std::int64_t gap_percent) {
  Chance chance(seed * 8 + 7);
  Arrivals arrivals(gap_percent);
  Trace trace;
  trace.nodes = nodes;
  while (trace.jobs.size() < jobs) {
    RefJob job;
    job.submit = arrivals.next(chance);
    job.nodes = lublin_size(chance, nodes);
    job.run = lublin_run(chance, job.nodes);
    job.limit = limit_of(chance, job.run);
    trace.jobs.push_back(job);
  }
  return trace;
}

std::int64_t offered_load(const Trace& trace) {
  std::int64_t work = 0;
  for (const RefJob& job : trace.jobs) {
    if (job.nodes <= trace.nodes) work += std::min(job.run, job.limit) * job.nodes;
  }
  const auto [first, last] = std::minmax_element(
      trace.jobs.begin(), trace.jobs.end(),
      [](const RefJob& left, const RefJob& right) { return left.submit < right.submit; });
  if (first == trace.jobs.end() || first->submit == last->submit) return 0;
  return work * 100 / (trace.nodes * (last->submit - first->submit));
}

}  // namespace berth::policies
