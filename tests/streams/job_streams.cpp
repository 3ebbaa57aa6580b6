#include "streams/job_streams.h"

#include <chrono>
#include <utility>

#include "berth/base/check.h"
#include "conf/default_config.h"
#include "engine/scheduler.h"
#include "mirror/mirror.h"
#include "simulation/cluster_copy.h"
#include "simulation/trial.h"
#include "support/objects.h"
#include "support/world.h"

namespace berth::support {

namespace {

constexpr Duration kPeriod = std::chrono::seconds(1);
constexpr std::size_t kSessionsToStart = 3;

class Generator {
 public:
  Generator(std::uint64_t seed, StreamKind kind)
      : random_(seed * 0x9e3779b97f4a7c15u + 25), is_varied_(kind == StreamKind::varied) {}

  std::vector<ClusterEvent> make(Duration length) {
    const std::int64_t nodes = between(4, 12);
    for (std::int64_t n = 0; n < nodes; ++n) {
      NodeObject object = node("n" + std::to_string(n), one_of({8, 16}));
      if (is_varied_) object.labels["pool"] = one_of({0, 1}) == 0 ? "x" : "y";
      objects_.emplace_back(std::move(object));
    }
    add_queues();
    for (std::int32_t priority = 0; priority < 3; ++priority) {
      PriorityClassObject object;
      object.name = "p" + std::to_string(priority);
      object.value = priority;
      object.never_preempts = is_varied_ && priority == 1 && is_one_in(4);
      objects_.emplace_back(object);
    }
    for (TimePoint at = second(0); at < TimePoint() + length; at += 2 * kPeriod) {
      is_varied_&& is_one_in(4) ? single(at) : gang(at);
    }
    return std::move(objects_);
  }

 private:
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(below(random_, static_cast<std::size_t>(most - least + 1)));
  }
  std::int64_t one_of(const std::vector<std::int64_t>& values) {
    return values[below(random_, values.size())];
  }
  bool is_one_in(std::int64_t n) { return between(1, n) == 1; }

  void add_queues() {
    const std::int32_t weight = one_of({1, 3}) == 1 ? 1 : 3;
    queues_ = {"a", "b"};
    for (const char* const name : {"a", "b"}) {
      QueueObject queue = mirror::bare_queue(name);
      queue.weight = *name == 'a' ? 1 : weight;
      if (is_varied_) vary(queue);
      objects_.emplace_back(queue);
    }
    if (!is_varied_ || is_one_in(2)) return;
    queues_ = {"a", "b1", "b2"};
    for (const char* const name : {"b1", "b2"}) {
      QueueObject queue = mirror::bare_queue(name);
      queue.parent = "b";
      vary(queue);
      objects_.emplace_back(queue);
    }
  }

  void vary(QueueObject& queue) {
    queue.reclaimable = !is_one_in(4);
    queue.is_fifo = is_one_in(6);
    if (is_one_in(3)) queue.guarantee = {{"cpu", between(2, 10) * 1000}};
    if (is_one_in(4)) queue.capability = {{"cpu", between(16, 48) * 1000}};
  }

  struct Terms {
    TimePoint at;
    std::int32_t priority = 0;
    Duration run_time{};
    std::string pool;
    EvictionTerms eviction;
  };

  Terms terms(TimePoint at, std::int32_t priority, Duration run_time) {
    Terms terms{at, priority, run_time, {}, {}};
    if (!is_varied_) return terms;
    if (is_one_in(4)) terms.pool = is_one_in(2) ? "x" : "y";
    if (is_one_in(8)) terms.eviction.cooldown = std::chrono::seconds(between(5, 60));
    return terms;
  }

  void add(PodObject object, const Terms& terms) {
    object.created = terms.at;
    object.priority = terms.priority;
    object.priority_class = "p" + std::to_string(terms.priority);
    object.run_time = terms.run_time;
    object.eviction = terms.eviction;
    if (is_varied_ && is_one_in(16)) object.eviction.preemptable = false;
    if (!terms.pool.empty()) object.constraints.node_selector = {{"pool", terms.pool}};
    objects_.emplace_back(std::move(object));
  }

  void single(TimePoint at) {
    PodObject object = pod("", singles_++, one_of({1, 2, 4, 8}));
    object.queue = queues_[below(random_, queues_.size())];
    const auto priority = static_cast<std::int32_t>(between(0, 2));
    add(std::move(object), terms(at, priority, std::chrono::seconds(between(10, 200))));
  }

  void gang(TimePoint at) {
    const std::string name = "g" + std::to_string(gangs_++);
    const auto size = static_cast<int>(between(1, 12));
    PodGroupObject object = group(name, one_of({1, 2}) == 1 ? size : (size + 1) / 2);
    object.created = at;
    object.queue = queues_[below(random_, queues_.size())];
    const auto priority = static_cast<std::int32_t>(between(0, 2));
    object.priority_class = "p" + std::to_string(priority);
    objects_.emplace_back(object);
    const std::int64_t cpu = one_of({1, 2, 4});
    const Terms of_all = terms(at, priority, std::chrono::seconds(between(10, 200)));
    for (int i = 0; i < size; ++i) {
      const bool is_larger = is_varied_ && i == 0 && is_one_in(4);
      add(pod(name, i, is_larger ? 2 * cpu : cpu), of_all);
    }
  }

  Random random_;
  bool is_varied_;
  std::vector<ClusterEvent> objects_;
  std::vector<std::string> queues_;  // with jobs
  int gangs_ = 0;
  int singles_ = 0;
};

// Follows the claimants and the work of one stream.
class Watcher {
 public:
  Watcher(simulation::ClusterCopy& copy, StreamOutcome& outcome) : copy_(copy), outcome_(outcome) {}

  // Before the plan is carried out.
  void note(const Plan& plan, std::size_t cycle, TimePoint now) {
    for (const PlannedEviction& each : plan.evictions) {
      const PodObject& victim = copy_.pod(each.task);
      ++outcome_.evictions;
      outcome_.lost += work_of(victim, now);
      if (!each.beneficiary.is_valid()) continue;
      const Job& job = copy_.cluster().job(each.beneficiary);
      if (victim.started.value_or(TimePoint()) > job.created) ++outcome_.started_in_vain;
      Claimant& claimant = claimants_[each.beneficiary];
      if (claimant.sets.empty() || claimant.sets.back().cycle != cycle) {
        claimant.sets.push_back({cycle, 0});
      }
      ++claimant.sets.back().pods;
    }
  }

  // After it.
  void look(std::size_t cycle, TimePoint now) {
    const Cluster& cluster = copy_.cluster();
    for (std::size_t j = 0; j < cluster.job_slots(); ++j) {
      const Job& job = cluster.job(JobId(j));
      if (!job.exists) continue;
      const bool has_started = job.placed_count() >= job.min_available;
      if (waits_.contains(job.id) || !has_started) continue;
      waits_[job.id] = now - job.created;
    }
    for (auto next = claimants_.begin(); next != claimants_.end();) {
      const auto entry = next++;
      const Job& job = cluster.job(entry->first);
      if (job.placed_count() < job.min_available) continue;
      judge(job, entry->second, cycle, true);
      claimants_.erase(entry);
    }
  }

  void finish(std::size_t cycle, TimePoint now) {
    const Cluster& cluster = copy_.cluster();
    for (const auto& [id, claimant] : claimants_) {
      if (cycle - claimant.sets.back().cycle < kSessionsToStart) continue;
      judge(cluster.job(id), claimant, cycle, false);
    }
    for (std::size_t j = 0; j < cluster.job_slots(); ++j) {
      const Job& job = cluster.job(JobId(j));
      if (!job.exists) continue;
      const auto waited = waits_.find(job.id);
      StreamOutcome::Waits& waits = outcome_.waits[job.priority];
      ++waits.jobs;
      waits.sum += waited == waits_.end() ? now - job.created : waited->second;
      for (const TaskId id : job.tasks) {
        const PodObject& each = copy_.pod(id);
        if (each.started) outcome_.done += work_of(each, now);
      }
    }
    outcome_.done += outcome_.lost;
  }

 private:
  struct Set {
    std::size_t cycle = 0;
    int pods = 0;
  };
  struct Claimant {
    std::vector<Set> sets;  // by session, since it last had its minimum
  };

  static std::int64_t work_of(const PodObject& pod, TimePoint now) {
    const TimePoint began = pod.started.value_or(now);
    const Duration ran = std::min(now - began, pod.run_time.value_or(now - began));
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(ran).count();
    return seconds * pod.request.at("cpu") / 1000;
  }

  void judge(const Job& job, const Claimant& claimant, std::size_t cycle, bool has_started) {
    std::string text;
    for (const Set& set : claimant.sets) {
      if (has_started && cycle - set.cycle <= kSessionsToStart) continue;
      outcome_.in_vain += set.pods;
      text += " " + std::to_string(set.pods) + " pods left for it in session " +
              std::to_string(set.cycle) + ";";
    }
    if (claimant.sets.size() > 1) {
      ++outcome_.second_sets;
      text += " " + std::to_string(claimant.sets.size()) + " sessions evicted for it;";
    }
    if (text.empty()) return;
    outcome_.faults.push_back(
        job.name + ":" + text +
        (has_started ? " it started in session " + std::to_string(cycle) : " it never started"));
  }

  simulation::ClusterCopy& copy_;
  StreamOutcome& outcome_;
  std::map<JobId, Claimant> claimants_;  // that wait
  std::map<JobId, Duration> waits_;      // until their first start
};

}  // namespace

std::vector<ClusterEvent> job_stream(std::uint64_t seed, Duration length, StreamKind kind) {
  return Generator(seed, kind).make(length);
}

StreamOutcome play_stream(const conf::Config& config, std::uint64_t seed, Duration length,
                          StreamKind kind, const Look& look) {
  Result<engine::Scheduler> scheduler = engine::Scheduler::create(config.session);
  BERTH_CHECK(scheduler.has_value());
  simulation::ClusterCopy copy(job_stream(seed, length, kind), simulation::mirror_options(config),
                               second(0));
  StreamOutcome outcome;
  Watcher watcher(copy, outcome);
  TimePoint now = second(0);
  std::size_t cycle = 1;
  for (; now < TimePoint() + length; ++cycle, now += kPeriod) {
    copy.begin_cycle(now);
    const Plan plan = scheduler->run(copy.cluster_for_session(), now);
    watcher.note(plan, cycle, now);
    copy.carry_out(plan, now);
    watcher.look(cycle, now);
    if (look) look(copy.cluster(), plan, now);
  }
  watcher.finish(cycle, now);
  return outcome;
}

conf::Config shipped_config() {
  auto config =
      conf::load_config(conf::default_config_text(), "the default",
                        {engine::action_names(), engine::plugin_names(), engine::points::names()});
  BERTH_CHECK(config.has_value());
  return std::move(config).value();
}

StreamOutcome& StreamOutcome::operator+=(const StreamOutcome& other) {
  evictions += other.evictions;
  in_vain += other.in_vain;
  second_sets += other.second_sets;
  started_in_vain += other.started_in_vain;
  done += other.done;
  lost += other.lost;
  for (const auto& [priority, each] : other.waits) {
    waits[priority].jobs += each.jobs;
    waits[priority].sum += each.sum;
  }
  faults.insert(faults.end(), other.faults.begin(), other.faults.end());
  return *this;
}

}  // namespace berth::support
