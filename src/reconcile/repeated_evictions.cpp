#include "reconcile/repeated_evictions.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "berth/base/text.h"
#include "reconcile/reservation_marks.h"

namespace berth::reconcile {

namespace {

using views::EvictedJobs;

constexpr std::size_t kJobsMost = 4'096;
constexpr std::size_t kTimesMost = EvictedJobs::kWithin / EvictedJobs::kOneTime;
constexpr Duration kForgetEvery = std::chrono::seconds(1);

}  // namespace

std::size_t RepeatedEvictions::History::pods() const {
  std::size_t sum = 0;
  for (const Time& time : times) sum += time.pods;
  return sum;
}

void RepeatedEvictions::begun(const Task& victim, const Job& job,
                              const OwnerReference* controller) {
  Evicted evicted{job.name, "PodGroup", ref_of(job)};
  if (job.is_single && controller != nullptr) {
    const std::string name_space(name_space_of(victim));
    evicted = {name_space + "/" + controller->name, controller->kind,
               ref_of(*controller, name_space)};
  } else if (job.is_single) {
    evicted.kind = "Pod";
  }
  under_way_.insert_or_assign(victim.uid, std::move(evicted));
}

void RepeatedEvictions::take(const Ended& ended, TimePoint now) {
  const auto* const eviction = std::get_if<ports::Eviction>(&ended.write.content);
  if (eviction == nullptr) return;
  auto found = under_way_.extract(ended.write.object.uid);
  if (found.empty() || !ended.is(ports::WriteOutcome::Result::done)) return;
  Evicted& job = found.mapped();
  const std::string key = job.kind + " " + job.name;
  if (!jobs_.contains(key)) make_room();
  History& history = jobs_[key];
  history.job = std::move(job);
  history.why = eviction->reason;
  std::deque<Time>& times = history.times;
  if (times.empty() || now - times.back().at >= EvictedJobs::kOneTime) times.push_back({now, 0});
  if (times.size() > kTimesMost) times.pop_front();
  ++times.back().pods;
  has_news_ = true;
  if (now - forgotten_at_ >= kForgetEvery) forget(now);
  announce(history, now);
}

// The job whose last eviction is the longest ago gives its place away.
void RepeatedEvictions::make_room() {
  if (jobs_.size() < kJobsMost) return;
  jobs_.erase(std::min_element(jobs_.begin(), jobs_.end(), [](const auto& left, const auto& right) {
    return left.second.times.back().at < right.second.times.back().at;
  }));
}

void RepeatedEvictions::forget(TimePoint now) {
  forgotten_at_ = now;
  for (auto entry = jobs_.begin(); entry != jobs_.end();) {
    History& history = entry->second;
    std::deque<Time>& times = history.times;
    while (!times.empty() && now - times.front().at >= EvictedJobs::kWithin) {
      times.pop_front();
      has_news_ = true;
    }
    if (times.size() < EvictedJobs::kRepeatedlyFrom) history.announced = 0;
    entry = times.empty() ? jobs_.erase(entry) : std::next(entry);
  }
}

// EVENT-9. At five times, at ten, at twenty: neither the log nor the events become many.
void RepeatedEvictions::announce(History& history, TimePoint now) {
  const std::size_t times = history.times.size();
  if (times < EvictedJobs::kRepeatedlyFrom || times < 2 * history.announced) return;
  history.announced = times;
  const std::string text = "evicted " + std::to_string(times) + " times within an hour, " +
                           count_text(history.pods(), "pod") + " in all; the last time " +
                           history.why;
  events_.publish(history.job.object, {true, "EvictedRepeatedly", text}, now);
  events_.log(history.job.kind + " " + history.job.name + ": " + text);
}

std::shared_ptr<const EvictedJobs> RepeatedEvictions::take_news(TimePoint now) {
  if (!jobs_.empty() && now - forgotten_at_ >= kForgetEvery) forget(now);
  if (!std::exchange(has_news_, false)) return nullptr;
  auto made = std::make_shared<EvictedJobs>();
  made->at = now;
  for (const auto& [key, history] : jobs_) {
    const std::size_t times = history.times.size();
    if (times >= EvictedJobs::kRepeatedlyFrom) ++made->repeatedly;
    if (times < 2) continue;
    made->rows.push_back({history.job.name, history.job.kind, times, history.pods(),
                          history.times.front().at, history.times.back().at, history.why});
  }
  std::stable_sort(made->rows.begin(), made->rows.end(),
                   [](const auto& left, const auto& right) { return left.times > right.times; });
  if (made->rows.size() > EvictedJobs::kRowsMost) made->rows.resize(EvictedJobs::kRowsMost);
  return made;
}

void RepeatedEvictions::stop_leading() {
  under_way_.clear();
  jobs_.clear();
  has_news_ = true;
}

}  // namespace berth::reconcile
