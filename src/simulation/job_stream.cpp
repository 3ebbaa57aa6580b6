#include "simulation/job_stream.h"

#include <algorithm>
#include <map>
#include <queue>
#include <random>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "engine/scheduler.h"
#include "mirror/memory_cluster.h"
#include "simulation/kept_room.h"
#include "simulation/stream_objects.h"
#include "simulation/trial.h"

namespace berth::simulation {

namespace {

constexpr TimePoint kBeginning{std::chrono::hours(24 * 365 * 30)};
constexpr Duration kTick = std::chrono::minutes(1);
constexpr std::size_t kSessionsAtOnceMost = 100'000;
constexpr std::size_t kSessionsUnseenMost = 1'000;  // from report to report
// For so long, jobs on an idle machine wait for what the clock alone may bring.
constexpr Duration kIdleMost = std::chrono::hours(24 * 7);

class Stream {
 public:
  Stream(StreamRequest& request, engine::Scheduler& scheduler)
      : request_(request),
        scheduler_(scheduler),
        memory_(mirror_options(request.config)),
        chances_(request.troubles.seed) {
    for (const ClusterEvent& other : request.others) memory_.apply(other);
    for (const NodeChange& each : request.node_changes) {
      outages_.emplace(kBeginning + each.at, Outage{each.node, each.comes, true});
      if (each.comes) absent_.insert(each.node);
    }
    changes_left_ = outages_.size();
    const std::vector<NodeObject> nodes = nodes_with_locks(request, kBeginning);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      node_index_.emplace(nodes[n].name, static_cast<std::int32_t>(n));
      if (absent_.contains(n)) continue;
      memory_.apply(nodes[n]);
      plan_outage(n);
    }
    states_.resize(request.jobs.size());
    result_.jobs.resize(request.jobs.size());
    for (const auto& action : request.config.session.actions) {
      is_clocked_ = is_clocked_ || !(action.name == "allocate" || action.name == "backfill");
    }
  }

  StreamResult run() {
    while (const std::optional<TimePoint> next = next_event()) {
      if (*next - kBeginning > request_.give_up_after) break;
      if (!is_idle()) busy_until_ = *next;
      if (*next - busy_until_ > kIdleMost) break;
      kept_.pass(*next - now_);
      now_ = *next;
      end_those_that_are_done();
      lose_nodes();
      cancel_those_that_leave();
      take_in_those_that_come();
      decide();
      show_those_that_wait();
      memory_.mirror().count_usage(now_);
      kept_.look_at(memory_.cluster());
      if (!report_progress()) break;
    }
    result_.until = now_ - kBeginning;
    result_.idle_kept = kept_.node_seconds();
    return std::move(result_);
  }

 private:
  enum class State : std::uint8_t { to_come, waits, runs, is_over };
  struct JobState {
    State state = State::to_come;
    std::uint32_t epoch = 0;  // starts so far
    TimePoint start;
    Duration done{};  // of its work, before this start
  };
  struct Outage {
    std::size_t node = 0;
    bool is_back = false;    // it ends
    bool is_wanted = false;  // a change of the request
  };
  struct End {
    TimePoint at;
    std::size_t job = 0;
    std::uint32_t epoch = 0;
    bool is_failure = false;
    bool operator>(const End& other) const {
      return std::tie(at, job) > std::tie(other.at, other.job);
    }
  };

  std::optional<TimePoint> next_event() const {
    TimePoint next = TimePoint::max();
    if (next_job_ < request_.jobs.size()) {
      next = kBeginning + request_.jobs[next_job_].submit;
    }
    if (!ends_.empty()) next = std::min(next, ends_.top().at);
    if (!cancellations_.empty()) next = std::min(next, cancellations_.begin()->first);
    if (waiting_ > 0 && wake_at_) next = std::min(next, *wake_at_);
    const bool is_over = next == TimePoint::max() && waiting_ == 0;
    if (!is_over && !outages_.empty()) next = std::min(next, outages_.begin()->first);
    if (next == TimePoint::max()) return std::nullopt;
    return next;
  }

  // Nothing runs, comes or leaves.
  bool is_idle() const {
    return ends_.empty() && cancellations_.empty() && next_job_ == request_.jobs.size() &&
           changes_left_ == 0;
  }

  void end_those_that_are_done() {
    while (!ends_.empty() && ends_.top().at <= now_) {
      const End end = ends_.top();
      ends_.pop();
      JobState& state = states_[end.job];
      if (state.state != State::runs || state.epoch != end.epoch) continue;
      if (end.is_failure) {
        restart(end.job);
        continue;
      }
      result_.jobs[end.job].end = now_ - kBeginning;
      if (request_.observer != nullptr) request_.observer->ends(end.job, now_ - state.start);
      leave(end.job);
      state.state = State::is_over;
      ++done_;
    }
  }

  void cancel_those_that_leave() {
    while (!cancellations_.empty() && cancellations_.begin()->first <= now_) {
      const std::size_t job = cancellations_.extract(cancellations_.begin()).mapped();
      if (states_[job].state != State::waits) continue;
      result_.jobs[job].was_cancelled = true;
      leave(job);
      states_[job].state = State::is_over;
      --waiting_;
      ++done_;
    }
  }

  void take_in_those_that_come() {
    for (; next_job_ < request_.jobs.size(); ++next_job_) {
      const StreamJob& job = request_.jobs[next_job_];
      if (kBeginning + job.submit > now_) break;
      add_group(next_job_);
      add_pods(next_job_);
      came_.push_back(next_job_);
      start_where_it_is(next_job_);
      if (job.cancelled_after) cancellations_.emplace(now_ + *job.cancelled_after, next_job_);
    }
  }

  void add_group(std::size_t index) {
    const StreamJob& job = request_.jobs[index];
    PodGroupObject group = group_of(job, index, kBeginning);
    if (job.limit) group.time_limit = *job.limit + request_.troubles.startup + ran_before(index);
    memory_.apply(group);
  }

  // It counts for a start anew.
  Duration ran_before(std::size_t index) const {
    return states_[index].epoch == 0 ? Duration() : request_.jobs[index].ran;
  }

  std::string uid_of(std::size_t job, std::int32_t pod) const {
    return pod_uid(job, states_[job].epoch, pod);
  }

  void add_pods(std::size_t index) {
    const StreamJob& job = request_.jobs[index];
    ClusterEvent event;
    PodObject& pod = event.emplace<PodObject>();
    pod.name_space = job.name_space;
    pod.group = job.name;
    pod.created = now_ - job.waited;
    pod.scheduler_name = request_.config.scheduler_names.front();
    pod.priority = job.priority;
    for (std::int32_t i = 0; i < job.pods; ++i) {
      pod.name = job.name + "-" + std::to_string(i);
      pod.index = i;
      give_shape(job, i, pod);
      pod.uid = uid_of(index, i);
      memory_.apply(event);
    }
    states_[index].state = State::waits;
    ++waiting_;
  }

  void start_where_it_is(std::size_t index) {
    const std::vector<std::string>& places = request_.jobs[index].places;
    for (std::size_t i = 0; i < places.size(); ++i) {
      start(uid_of(index, static_cast<std::int32_t>(i)), places[i]);
    }
  }

  void remove_pods(std::size_t index) {
    for (std::int32_t i = 0; i < request_.jobs[index].pods; ++i) {
      memory_.apply(PodDeleted{uid_of(index, i)});
    }
  }

  void leave(std::size_t index) {
    remove_pods(index);
    const StreamJob& job = request_.jobs[index];
    memory_.apply(PodGroupDeleted{job.name_space + "/" + job.name});
  }

  void decide() {
    wake_at_.reset();
    if (result_.sessions == 0) restore_promises(request_, next_job_, now_, memory_.mirror());
    for (std::size_t i = 0; i < kSessionsAtOnceMost && waiting_ > 0; ++i) {
      memory_.mirror().settle(now_);
      Plan plan = scheduler_.run_without_reasons(memory_.mirror().cluster_for_session(), now_);
      ++result_.sessions;
      const TimePoint holds_until = plan.holds_until;
      if (carry_out(std::move(plan))) continue;
      if (holds_until != TimePoint::max()) wake_at_ = std::max(holds_until, now_ + Duration(1));
      if (is_clocked_) wake_at_ = std::min(wake_at_.value_or(TimePoint::max()), now_ + kTick);
      return;
    }
  }

  void show_those_that_wait() {
    std::erase_if(came_, [&](std::size_t job) { return states_[job].state != State::waits; });
    if (request_.observer != nullptr && !came_.empty()) {
      request_.observer->waits(came_, [&](const auto& look) {
        memory_.mirror().settle(now_);
        scheduler_.inspect(memory_.mirror().cluster_for_session(), now_, look);
      });
    }
    came_.clear();
  }

  // Has anything changed by it?
  bool carry_out(Plan plan) {
    mirror::Mirror& mirror = memory_.mirror();
    const Cluster& cluster = mirror.cluster();
    std::vector<std::pair<std::string, std::string>> starts;
    for (const auto& [task, node] : plan.binds) {
      starts.emplace_back(cluster.task(task).uid, cluster.node(node).name);
    }
    std::set<std::size_t> evicted;
    for (const PlannedEviction& each : plan.evictions) {
      evicted.insert(job_of(cluster.task(each.task).uid));
    }
    plan.binds.clear();
    mirror.assume(plan, now_);
    mirror.assume_reservations(plan, now_);
    for (const auto& [uid, node] : starts) start(uid, node);
    for (const std::size_t job : evicted) restart(job);
    return !starts.empty() || !evicted.empty() || !plan.admitted.empty() ||
           !plan.returned.empty() || !plan.ended.empty();
  }

  void start(const std::string& uid, const std::string& node) {
    memory_.start(uid, node, now_);
    const std::size_t index = job_of(uid);
    JobState& state = states_[index];
    StreamOutcome& outcome = result_.jobs[index];
    if (state.state == State::waits) {
      state.state = State::runs;
      state.start = now_;
      outcome.start = now_ - kBeginning;
      outcome.nodes.clear();
      --waiting_;
      if (request_.observer != nullptr) request_.observer->starts(index, now_);
      plan_end(index);
    }
    outcome.nodes.push_back(node_index_.at(node));
  }

  void plan_end(std::size_t index) {
    if (request_.jobs[index].never_ends) return;
    const JobState& state = states_[index];
    const StreamTroubles& troubles = request_.troubles;
    const Duration takes =
        troubles.startup + request_.jobs[index].run + ran_before(index) - state.done;
    const bool fails = chances_() % 1000 < static_cast<std::uint64_t>(troubles.failures_per_mille);
    ends_.push({now_ + (fails ? part_of(takes) : takes), index, state.epoch, fails});
  }

  // Anything up to it.
  Duration part_of(Duration time) {
    const auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(1, time.count()));
    return Duration(static_cast<std::int64_t>(chances_() % most));
  }

  void plan_outage(std::size_t node) {
    const Duration between = request_.troubles.between_node_failures;
    if (between > Duration()) outages_.emplace(now_ + part_of(2 * between), Outage{node});
  }

  void lose_nodes() {
    while (!outages_.empty() && outages_.begin()->first <= now_) {
      const Outage outage = outages_.extract(outages_.begin()).mapped();
      if (outage.is_wanted) --changes_left_;
      if (outage.is_back) {
        if (outage.is_wanted) absent_.erase(outage.node);
        if (absent_.contains(outage.node)) continue;
        memory_.apply(request_.nodes[outage.node]);
        plan_outage(outage.node);
        continue;
      }
      if (!outage.is_wanted && absent_.contains(outage.node)) continue;
      lose(outage.node);
      if (outage.is_wanted) {
        absent_.insert(outage.node);
      } else {
        outages_.emplace(now_ + request_.troubles.repair, Outage{outage.node, true});
      }
    }
  }

  void lose(std::size_t node) {
    for (std::size_t job = 0; job < next_job_; ++job) {
      const auto& nodes = result_.jobs[job].nodes;
      if (states_[job].state != State::runs) continue;
      const bool is_there =
          std::find(nodes.begin(), nodes.end(), static_cast<std::int32_t>(node)) != nodes.end();
      if (is_there) restart(job);
    }
    memory_.apply(NodeDeleted{request_.nodes[node].name});
  }

  void restart(std::size_t index) {
    JobState& state = states_[index];
    if (state.state != State::runs) return;
    const StreamJob& job = request_.jobs[index];
    Duration lost = now_ - state.start + (state.epoch == 0 ? job.ran : Duration());
    if (request_.troubles.victims_go_on) {
      const Duration work = std::max(Duration(), lost - request_.troubles.startup);
      state.done += work;
      lost -= work;
    }
    StreamOutcome& outcome = result_.jobs[index];
    outcome.lost += lost;
    outcome.earlier.emplace_back(state.start - kBeginning, now_ - kBeginning);
    outcome.start.reset();
    remove_pods(index);
    ++state.epoch;
    if (job.ran > Duration()) add_group(index);  // of its whole limit
    add_pods(index);
  }

  bool report_progress() {
    if (!request_.on_progress) return true;
    if (done_ < next_report_ && result_.sessions < next_look_) return true;
    next_report_ = done_ + 100;
    next_look_ = result_.sessions + kSessionsUnseenMost;
    result_.was_stopped = !request_.on_progress(done_);
    return !result_.was_stopped;
  }

  StreamRequest& request_;
  engine::Scheduler& scheduler_;
  mirror::MemoryCluster memory_;
  std::unordered_map<std::string, std::int32_t> node_index_;  // look-up only
  std::vector<JobState> states_;
  StreamResult result_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::multimap<TimePoint, std::size_t> cancellations_;
  std::multimap<TimePoint, Outage> outages_;
  std::set<std::size_t> absent_;  // nodes that have not come yet, or are gone for good
  std::size_t changes_left_ = 0;  // of nodes, that were asked for
  std::mt19937_64 chances_;
  KeptRoom kept_;
  TimePoint now_ = kBeginning;
  TimePoint busy_until_ = kBeginning;
  std::optional<TimePoint> wake_at_;
  std::vector<std::size_t> came_;  // at this instant
  std::size_t next_job_ = 0;
  std::size_t waiting_ = 0;  // jobs
  std::size_t done_ = 0;
  std::size_t next_report_ = 0;  // by jobs that are done
  std::size_t next_look_ = 0;    // by sessions
  bool is_clocked_ = false;      // an action decides by the clock
};

}  // namespace

Result<StreamResult> run_stream(StreamRequest request) {
  Result<engine::Scheduler> scheduler = engine::Scheduler::create(request.config.session);
  if (!scheduler) return scheduler.error();
  StreamResult result = Stream(request, *scheduler).run();
  for (StreamOutcome& each : result.jobs) std::sort(each.nodes.begin(), each.nodes.end());
  return result;
}

}  // namespace berth::simulation
