#include "forecast/accuracy.h"

#include <algorithm>
#include <vector>

#include "berth/base/enum_text.h"

namespace berth::forecast {

namespace {
constexpr std::size_t kMost = 1000;
}

Accuracy::Outcome Accuracy::add(Duration planned, const Interval& likely, Duration came) {
  Outcome outcome = Outcome::inside;
  if (came < likely.earliest) outcome = Outcome::earlier;
  if (came > likely.latest) outcome = Outcome::later;
  last_.push_back({came > planned ? came - planned : planned - came, outcome});
  if (last_.size() > kMost) last_.pop_front();
  return outcome;
}

views::ForecastAccuracy Accuracy::figures() const {
  views::ForecastAccuracy figures;
  figures.jobs = static_cast<std::int64_t>(last_.size());
  std::vector<Duration> errors;
  for (const Compared& each : last_) {
    figures.inside += each.outcome == Outcome::inside ? 1 : 0;
    figures.earlier += each.outcome == Outcome::earlier ? 1 : 0;
    figures.later += each.outcome == Outcome::later ? 1 : 0;
    errors.push_back(each.error);
  }
  if (errors.empty()) return figures;
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::nth_element(errors.begin(), middle, errors.end());
  figures.median_error = *middle;
  return figures;
}

const char* to_string(Accuracy::Outcome outcome) {
  return enum_text<Accuracy::Outcome::later>(outcome, "unknown", "earlier", "inside", "later");
}

}  // namespace berth::forecast
