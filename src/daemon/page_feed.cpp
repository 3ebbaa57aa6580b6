#include "daemon/page_feed.h"

#include <algorithm>
#include <variant>

#include "berth/model/dimensions.h"
#include "views/lost_work.h"

namespace berth::daemon {

namespace {

constexpr Duration kBetweenSamples = std::chrono::seconds(5);  // PAGE-7
constexpr std::int64_t kWhole = 1'000'000;

// PAGE-8. Of the jobs of which the minimum has its places by this plan.
std::vector<Duration> waits_of(const Plan& plan, const Cluster& cluster, TimePoint now) {
  std::map<JobId, std::int32_t> placed;
  for (const Placement& each : plan.binds) ++placed[cluster.task(each.task).job];
  std::vector<Duration> waits;
  for (const auto& [id, count] : placed) {
    const Job& job = cluster.job(id);
    const std::int32_t after = job.placed_count();
    if (after < job.min_available || after - count >= job.min_available) continue;
    waits.push_back(std::max(Duration(), now - std::max(job.first_seen, job.ran_until)));
  }
  return waits;
}

std::vector<std::int64_t> parts_of(const Resources& used, const Cluster& cluster,
                                   const std::vector<Dimension>& dimensions) {
  std::vector<std::int64_t> parts;
  for (const Dimension d : dimensions) {
    const auto total =
        static_cast<double>(std::max<std::int64_t>(cluster.total_allocatable()[d], 1));
    parts.push_back(static_cast<std::int64_t>(static_cast<double>(used[d]) / total * kWhole));
  }
  return parts;
}

}  // namespace

void PageFeed::ask(Take take) {
  {
    const std::lock_guard lock(mutex_);
    take_ = std::move(take);
  }
  wake_();
}

void PageFeed::action_done(std::string_view action, std::chrono::nanoseconds took) {
  next_.action_done(action, took);
  actions_.emplace_back(action, took);
}

void PageFeed::session_done(const Plan& plan, const Cluster& cluster, std::size_t events,
                            Duration took, TimePoint now) {
  if (plan.order) collector_.note_order(*plan.order);
  page::SessionRecord record{.at = now,
                             .took = took,
                             .events = events,
                             .binds = plan.binds.size(),
                             .pipelined = plan.pipelined.size(),
                             .admitted = plan.admitted.size(),
                             .evictions = plan.evictions.size(),
                             .waiting_jobs = plan.refusals.size(),
                             .actions = std::exchange(actions_, {}),
                             .waits = waits_of(plan, cluster, now)};
  for (const JobId id : cluster.open_jobs()) {
    record.waiting_pods += static_cast<std::size_t>(cluster.job(id).count(TaskStatus::pending));
  }
  history_.add(record);
  if (now - sampled_at_ >= kBetweenSamples || now < sampled_at_) sample_use(cluster, now);
}

void PageFeed::sample_use(const Cluster& cluster, TimePoint now) {
  sampled_at_ = now;
  const std::vector<Dimension> dimensions = page::shown_resources(cluster);
  page::UseSample sample;
  for (const Dimension d : dimensions) sample.resources.push_back(cluster.dimensions().name(d));
  sample.all = parts_of(cluster.total_used(), cluster, dimensions);
  for (std::size_t q = 0; q < cluster.queue_slots(); ++q) {
    const Queue& queue = cluster.queue(QueueId(q));
    if (!queue.exists || queue.allocated.is_zero()) continue;
    sample.queues.emplace_back(queue.name, parts_of(queue.allocated, cluster, dimensions));
  }
  history_.add(now, std::move(sample));
}

void PageFeed::begun(const PlannedEviction& eviction, const Cluster& cluster) {
  const Task& victim = cluster.task(eviction.task);
  const Job& job = cluster.job(victim.job);
  page::EvictionRecord record;
  record.pod = victim.name;
  record.job = job.name;
  record.queue = job.queue_name;
  if (eviction.node.is_valid()) record.node = cluster.node(eviction.node).name;
  record.claimant = eviction.beneficiary_name(cluster);
  record.action = eviction.action;
  record.as = to_string(eviction.as);
  record.why = eviction.text(cluster);
  record.room = request_of(cluster.dimensions(), cluster.shape(victim.shape));
  scheduled_.insert_or_assign(victim.uid, victim.scheduled_at);
  under_way_.insert_or_assign(victim.uid, std::move(record));
}

// PAGE-6
void PageFeed::take(const reconcile::Ended& ended, TimePoint now) {
  if (!std::holds_alternative<ports::Eviction>(ended.write.content)) return;
  auto found = under_way_.extract(ended.write.object.uid);
  const auto scheduled = scheduled_.extract(ended.write.object.uid);
  if (found.empty() || !ended.is(ports::WriteOutcome::Result::done)) return;
  page::EvictionRecord& record = found.mapped();
  record.at = now;
  record.age = views::age_of(scheduled.mapped(), now);
  history_.add(std::move(record));
}

void PageFeed::answer(const Cluster* cluster, const reconcile::WaitingJobs& waiting,
                      TimePoint now) {
  Take take;
  {
    const std::lock_guard lock(mutex_);
    take = std::exchange(take_, nullptr);
  }
  if (take == nullptr) return;
  if (cluster == nullptr) {
    page::Batch batch;
    batch.leads = false;
    batch.now = now;
    collector_.forget();
    return take(std::move(batch));
  }
  const page::Collector::Reasons reasons{
      [&waiting](JobId id) {
        const std::optional<Reason> reason = waiting.reason_of(id);
        return reason ? std::string(code(*reason)) : std::string();
      },
      [&waiting](JobId id) { return waiting.of(id); }};
  take(collector_.collect(*cluster, reasons, now));
}

void PageFeed::stop_leading() {
  collector_.forget();
  under_way_.clear();
  scheduled_.clear();
}

void PageFeed::end() {
  const std::lock_guard lock(mutex_);
  take_ = nullptr;
}

}  // namespace berth::daemon
