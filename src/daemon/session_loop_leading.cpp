#include <utility>

#include "daemon/session_loop.h"
#include "daemon/usage_text.h"

// To begin and to cease to lead.

namespace berth::daemon {

void SessionLoop::start_leading(std::uint64_t epoch) {
  {
    const std::lock_guard lock(mutex_);
    wanted_epoch_ = epoch;
    has_stopped_leading_ = false;
  }
  parts_.events.wake();
}

void SessionLoop::stop_leading() {
  std::unique_lock lock(mutex_);
  wanted_epoch_ = 0;
  parts_.events.wake();
  stopped_leading_.wait(
      lock, [this] { return has_stopped_leading_ || stopping_ || !thread_.joinable(); });
}

// LEASE-3. 0: we do not lead. The election may not have noticed yet that a term is over.
std::uint64_t SessionLoop::wanted_epoch(bool is_synced) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(is_kube_scheduler_new_, false)) {
    steering_.kube_scheduler_changed();
    mirror_.hasten_all();
  }
  const bool is_wanted =
      is_synced && wanted_epoch_ != 0 && ports::Term(parts_.leadership, wanted_epoch_).holds();
  return is_wanted ? wanted_epoch_ : 0;
}

// Whether we lead.
bool SessionLoop::adopt_leadership(bool is_synced) {
  const std::uint64_t wanted = wanted_epoch(is_synced);
  if (wanted == 0) catch_up_.give_up();
  if (epoch_ != 0 && wanted != epoch_) {
    learned_.stop_leading(term().holds(), parts_.clock.now());
    epoch_ = 0;
    is_session_due_ = true;
    cease_to_lead();
  }
  if (epoch_ == 0 && wanted != 0 && has_caught_up(wanted)) {
    epoch_ = wanted;
    is_session_due_ = true;
    begin_to_lead();
  }
  const bool is_ending = learned_.is_ending(parts_.clock.now());
  const std::lock_guard lock(mutex_);
  has_stopped_leading_ = epoch_ == 0 && wanted_epoch_ == 0 && !is_ending;
  if (has_stopped_leading_) stopped_leading_.notify_all();
  return epoch_ != 0;
}

bool SessionLoop::has_caught_up(std::uint64_t epoch) {
  const auto is_bound = [this](const std::string& uid) {
    return observed_.pod(uid) == nullptr && mirror_.find_task(uid).is_valid();
  };
  return catch_up_.has_ended(epoch, is_bound, parts_.real_clock->now());
}

// CLAIM-8, STEER-10. Of what the earlier leader planned, its claims stand.
void SessionLoop::begin_to_lead() {
  const TimePoint now = parts_.clock.now();
  gangs_.settle(now);
  mirror_.settle(now);  // groups that are ours take over the API's state
  mirror_.follow_api_phases(false);
  writes_.start_leading(epoch_);
  steering_.start_leading();
  mirror_.restore_claims(now);
  const std::vector<JobId> changed(changed_while_standing_by_.begin(),
                                   changed_while_standing_by_.end());
  reconciler_.look_at(changed);
  announcer_.announce_unclaimed(changed, mirror_.cluster(), now);
  changed_while_standing_by_.clear();
  gangs_.start_leading();
  begin_to_forecast(now);
  learned_.start_leading(epoch_, now);
  parts_.log("leading with epoch " + std::to_string(epoch_));
}

// LEARN-6. Use is counted always, and kept where it decides something.
void SessionLoop::learn_use() {
  learned_.add(
      "fair-share",
      [this](TimePoint now) {
        if (!scheduler_.has_plugin("fairshare")) return std::string();
        return usage_text(mirror_.cluster().usage(), now);
      },
      [this](const std::string& text, TimePoint now) {
        return restore_usage(text, mirror_.mutable_usage(), now);
      });
}

void SessionLoop::cease_to_lead() {
  const TimePoint now = parts_.clock.now();
  mirror_.follow_api_phases(true);
  attempts_.clear();
  stale_plans_.stop_leading();
  unclaimed_plans_.stop_leading();
  mirror_.forget_plans();
  writes_.stop_leading();
  steering_.stop_leading();
  reconciler_.stop_leading();
  gangs_.stop_leading();
  announcer_.stop_leading();
  evictions_.stop_leading();
  evicted_work_.stop_leading();
  publish_evicted(nullptr);
  parts_.metrics.stop_leading();
  if (parts_.page != nullptr) parts_.page->stop_leading();
  views_.stop_leading(now);
  if (parts_.forecasts != nullptr) parts_.forecasts->stop_leading();
  published_stamp_ = 0;
  parts_.published.store(std::make_shared<const ports::PlanTable>());
  parts_.on_published();
  publish_shown();  // VIEW-10
}

void SessionLoop::stand_by() {
  const TimePoint now = parts_.clock.now();
  gangs_.settle(now);
  gangs_.stand_by();
  settle_and_ask(now);
  const std::vector<JobId> changed = mirror_.take_changes();
  changed_while_standing_by_.insert(changed.begin(), changed.end());
  broken_gangs_.stand_by(mirror_.cluster(), changed, now);
  record(changed, now);
  mirror_.take_phase_changes();
}

}  // namespace berth::daemon
