#include "daemon/forecasts.h"

#include <utility>

#include "berth/base/thread_name.h"
#include "daemon/thread_priority.h"

namespace berth::daemon {

namespace {
constexpr Duration kLongestPlan = std::chrono::seconds(5);  // of a plan; later starts are not known
}

Forecasts::Forecasts(Parts parts, const forecast::Rules& rules)
    : parts_(std::move(parts)),
      forecaster_({.compared = [&metrics = parts_.metrics](auto outcome, Duration error) {
        metrics.start_compared(forecast::to_string(outcome), error);
      }}) {
  forecaster_.set_rules(rules);
  thread_ = std::thread([this] { run(); });
}

bool Forecasts::is_due() {
  const TimePoint now = parts_.real_clock.now();
  return !is_under_way_ && (begun_at_ == TimePoint::min() || now - begun_at_ >= parts_.period);
}

void Forecasts::begin(engine::Session& session) {
  begun_at_ = parts_.real_clock.now();
  is_under_way_ = true;
  if (const auto rules = take_rules()) forecaster_.set_rules(*rules);
  forecast::State state = forecaster_.state(session);
  const std::lock_guard lock(mutex_);
  state_ = std::move(state);
  state_term_ = term_;
  has_work_.notify_one();
}

std::optional<forecast::Rules> Forecasts::take_rules() {
  const std::lock_guard lock(mutex_);
  return std::exchange(rules_, std::nullopt);
}

std::optional<std::vector<forecast::Promises::Broken>> Forecasts::take(const Cluster& cluster,
                                                                       TimePoint now) {
  std::optional<forecast::Planned> planned;
  {
    const std::lock_guard lock(mutex_);
    planned = std::exchange(planned_, std::nullopt);
    if (!planned) return std::nullopt;
    is_under_way_ = false;
    if (planned_term_ != term_) return std::nullopt;  // from before another led
  }
  parts_.metrics.starts_planned(planned->took);
  auto broken = forecaster_.take(*planned, cluster, now);
  for (std::size_t i = 0; i < broken.size(); ++i) parts_.metrics.promise_broken();
  parts_.published.store(forecaster_.table());
  return broken;
}

void Forecasts::stop_leading() {
  ++term_;
  forecaster_.forget_plans();
  parts_.published.store(nullptr);
}

void Forecasts::set_rules(const forecast::Rules& rules) {
  const std::lock_guard lock(mutex_);
  rules_ = rules;
}

void Forecasts::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
    has_work_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void Forecasts::run() {
  name_thread("forecast");
  lower_thread_priority();
  std::unique_lock lock(mutex_);
  for (;;) {
    has_work_.wait(lock, [this] { return is_stopped_ || state_; });
    if (is_stopped_) return;
    forecast::State state = *std::exchange(state_, std::nullopt);
    const std::uint64_t term = state_term_;
    lock.unlock();
    const TimePoint until = parts_.real_clock.now() + kLongestPlan;
    forecast::Planned planned = forecast::planned(std::move(state), parts_.real_clock, [&] {
      return is_stopped_.load() || parts_.real_clock.now() > until;
    });
    lock.lock();
    planned_ = std::move(planned);
    planned_term_ = term;
    parts_.wake();
  }
}

}  // namespace berth::daemon
