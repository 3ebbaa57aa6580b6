#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "forecast/forecaster.h"
#include "ports/published.h"
#include "telemetry/metrics.h"

namespace berth::daemon {

// When jobs that wait will start: learned and published on the session thread, planned on a thread
// of its own, at low priority, from a copy (docs/design/forecast.md).
class Forecasts {
 public:
  struct Parts {
    const Clock& real_clock;  // the period goes by it
    telemetry::Metrics& metrics;
    ports::Published<views::StartTable>& published;
    std::function<void()> wake;  // the session thread, when something is planned. Any thread
    Duration period;
  };

  Forecasts(Parts parts, const forecast::Rules& rules);
  ~Forecasts() { stop(); }
  Forecasts(const Forecasts&) = delete;
  Forecasts& operator=(const Forecasts&) = delete;

  // --- session thread -----------------------------------------------------------------------
  void look_at(const std::vector<JobId>& changed, const Cluster& cluster, TimePoint now) {
    forecaster_.look_at(changed, cluster, now);
  }
  // Is it time to plan, and has the last plan come back?
  bool is_due();
  void begin(engine::Session& session);
  // Takes in the last plan: returns the promises that do not hold any more. None: there is no new
  // plan.
  std::optional<std::vector<forecast::Promises::Broken>> take(const Cluster& cluster,
                                                              TimePoint now);
  const std::shared_ptr<const views::StartTable>& table() const { return forecaster_.table(); }
  forecast::Forecaster& forecaster() { return forecaster_; }
  // Another leads: nothing is published any more.
  void stop_leading();

  // --- any thread ---------------------------------------------------------------------------
  void set_rules(const forecast::Rules& rules);
  // Cancels what is planned. Idempotent.
  void stop();

 private:
  std::optional<forecast::Rules> take_rules();
  void run();

  Parts parts_;
  forecast::Forecaster forecaster_;
  TimePoint begun_at_ = TimePoint::min();
  bool is_under_way_ = false;
  std::uint64_t term_ = 1;  // another after each time as a follower

  std::atomic<bool> is_stopped_ = false;
  std::mutex mutex_;  // guards all below
  std::condition_variable has_work_;
  std::optional<forecast::State> state_;
  std::uint64_t state_term_ = 0;
  std::optional<forecast::Planned> planned_;
  std::uint64_t planned_term_ = 0;
  std::optional<forecast::Rules> rules_;
  std::thread thread_;
};

}  // namespace berth::daemon
