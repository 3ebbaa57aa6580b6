#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/model/cluster.h"
#include "berth/model/plan.h"
#include "engine/scheduler.h"
#include "page/collector.h"
#include "page/history.h"
#include "page/parts.h"
#include "reconcile/waiting_jobs.h"
#include "reconcile/writes.h"

namespace berth::daemon {

// The session thread's part of the page: it remembers sessions, and hands out what has changed in
// the cluster when somebody has asked (docs/design/page.md).
class PageFeed final : public engine::SessionObserver {
 public:
  using Take = std::function<void(page::Batch)>;

  // `wake`: the session thread, from any thread. `next`: gets all times of actions, too.
  PageFeed(std::function<void()> wake, engine::SessionObserver& next)
      : wake_(std::move(wake)), next_(next) {}

  // `take` runs once on the session thread, or never after end(). One asks at a time. Any thread.
  void ask(Take take);
  const page::History& history() const { return history_; }

  // --- session thread -----------------------------------------------------------------------
  engine::SessionObserver& begin_session() {
    actions_.clear();
    return *this;
  }
  void action_done(std::string_view action, std::chrono::nanoseconds took) override;
  // After the plan was assumed.
  void session_done(const Plan& plan, const Cluster& cluster, std::size_t events, Duration took,
                    TimePoint now);
  // The reasons or the starts of these jobs may be others.
  void note(const std::vector<JobId>& jobs) { collector_.note(jobs); }
  // The eviction begins, and has ended.
  void begun(const PlannedEviction& eviction, const Cluster& cluster);
  void take(const reconcile::Ended& ended, TimePoint now);
  // Between sessions. `cluster`: null while we do not lead.
  void answer(const Cluster* cluster, const reconcile::WaitingJobs& waiting, TimePoint now);
  void stop_leading();
  void end();

 private:
  void sample_use(const Cluster& cluster, TimePoint now);

  const std::function<void()> wake_;
  engine::SessionObserver& next_;
  page::Collector collector_;
  page::History history_;
  std::vector<std::pair<std::string, Duration>> actions_;  // of the session under way
  TimePoint sampled_at_;
  std::map<std::string, page::EvictionRecord> under_way_;  // by uid of the victim
  std::map<std::string, TimePoint> scheduled_;             // likewise

  std::mutex mutex_;  // guards what follows
  Take take_;
};

}  // namespace berth::daemon
