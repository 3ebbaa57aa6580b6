#include "forecast/state.h"

#include <algorithm>
#include <limits>
#include <map>

#include "berth/engine/feasibility.h"
#include "berth/engine/job_line.h"
#include "berth/engine/need.h"
#include "berth/engine/points.h"

namespace berth::forecast {

namespace {

using namespace engine;

constexpr std::int64_t kNoBound = std::numeric_limits<std::int64_t>::max();

class Reader {
 public:
  Reader(Session& session, const Rules& rules, const ExpectedRun& expected)
      : session_(session),
        cluster_(session.cluster()),
        expected_(expected),
        ends_(cluster_.job_slots()) {
    state_.now = session.now();
    state_.rules = rules;
    state_.nodes = cluster_.node_count();
    state_.dimensions = cluster_.dimensions().size();
  }

  State state() {
    read_queues();
    read_waiting();
    read_nodes();
    return std::move(state_);
  }

 private:
  struct JobEnd {
    bool is_known = false;
    TimePoint at;  // max: nobody knows
  };

  std::uint32_t kind_of(ShapeId shape, QueueId queue, bool waits) {
    // Pods of one shape may go to the same nodes, unless nodes are kept for queues.
    if (!waits || cluster_.locks().for_queues() == 0) queue = QueueId();
    const auto [entry, is_new] = kinds_.try_emplace({shape, queue}, state_.kinds.size());
    if (is_new) {
      PodKind& kind = state_.kinds.emplace_back();
      for (const auto& [dimension, amount] : cluster_.shape(shape).requested) {
        kind.request.emplace_back(static_cast<std::uint32_t>(dimension.index()), amount);
      }
    }
    PodKind& kind = state_.kinds[entry->second];
    if (waits && kind.passes.empty()) {
      kind.passes = session_.passing(shape);
      for (std::size_t n = 0; n < kind.passes.size() && queue.is_valid(); ++n) {
        if (cluster_.queue_in_the_way(NodeId(n), queue).is_valid()) kind.passes[n] = 0;
      }
    }
    return static_cast<std::uint32_t>(entry->second);
  }

  // --- queues -----------------------------------------------------------------------------

  void read_queues() {
    state_.queues.resize(cluster_.queue_slots());
    for (std::size_t q = 0; q < cluster_.queue_slots(); ++q) {
      const Queue& queue = cluster_.queue(QueueId(q));
      QueueRoom& room = state_.queues[q];
      room.is_fifo = queue.is_fifo;
      room.has.assign(state_.dimensions, 0);
      room.most.assign(state_.dimensions, kNoBound);
      for (std::size_t d = 0; d < state_.dimensions; ++d) {
        room.has[d] = queue.allocated[Dimension(d)];
      }
      if (queue.above.is_valid()) room.above = static_cast<std::uint32_t>(queue.above.index());
    }
    add_to_those_above();
    const QueueShares* const shares = session_.plan().shares.get();
    if (shares == nullptr) return;
    for (std::size_t row = 1; row < shares->rows.size(); ++row) {
      QueueRoom& room = state_.queues[shares->rows[row].queue.index()];
      for (std::size_t d = 0; d < std::min(state_.dimensions, shares->dimensions); ++d) {
        room.most[d] = shares->at(shares->real_capability, row, Dimension(d));
      }
    }
  }

  // A queue's own jobs, and those of all queues below.
  void add_to_those_above() {
    for (std::size_t q = 0; q < state_.queues.size(); ++q) {
      const Resources& own = cluster_.queue(QueueId(q)).allocated;
      for (std::uint32_t up = state_.queues[q].above; up != kNone; up = state_.queues[up].above) {
        for (std::size_t d = 0; d < state_.dimensions; ++d) {
          state_.queues[up].has[d] += own[Dimension(d)];
        }
      }
    }
  }

  // --- jobs that wait ---------------------------------------------------------------------

  bool lacks_only_room(const Job& job) {
    if (!job.is_ours() || !job.queue.is_valid() || job.barred_by.is_valid()) return false;
    if (job.unplaced_count() == 0 || job.placed_count() >= job.min_available) return false;
    if (cluster_.queue(job.queue).state != QueueState::open) return false;
    return static_cast<bool>(session_.feasibility().of(job.id)) &&
           static_cast<bool>(session_.ask(points::job_valid, job));
  }

  void read_waiting() {
    std::vector<JobId> jobs;
    for (const JobId id : cluster_.open_jobs()) {
      if (lacks_only_room(cluster_.job(id))) jobs.push_back(id);
    }
    jobs = JobLine::in_order(session_, std::move(jobs), JobLine::For::service);
    std::stable_partition(jobs.begin(), jobs.end(),
                          [&](JobId id) { return cluster_.job(id).election.has_value(); });
    std::map<JobId, std::uint32_t> targets;
    for (const JobId id : jobs) {
      const Job& job = cluster_.job(id);
      WaitingJob waiting = waiting_job(job);
      if (waiting.parts.empty()) continue;
      if (job.election) targets.emplace(id, state_.waiting.size());
      state_.waiting.push_back(std::move(waiting));
    }
    state_.kept_for.assign(state_.nodes, kNone);
    for (std::size_t n = 0; n < state_.nodes; ++n) {
      const auto target = targets.find(cluster_.locks().target(NodeId(n)));
      if (target != targets.end()) state_.kept_for[n] = target->second;
    }
  }

  WaitingJob waiting_job(const Job& job) {
    WaitingJob waiting;
    waiting.id = job.id;
    waiting.name = job.name;
    waiting.uid = job.uid;
    waiting.queue = static_cast<std::uint32_t>(job.queue.index());
    waiting.priority = job.priority;
    if (job.election) waiting.target_since = job.election->since;
    waiting.since = job.first_seen;
    waiting.promised = job.promised_start;
    waiting.is_plain = job.topology.rules.empty();
    const std::vector<TaskId> lacking = lacking_members(session_, job);
    for (const Need::Part& part : need_of(session_, job, lacking).parts) {
      waiting.parts.push_back({kind_of(part.shape, job.queue, true), part.count});
      const Shape& shape = cluster_.shape(part.shape);
      waiting.is_plain = waiting.is_plain && !shape.terms.decide() && !shape.has_host_ports &&
                         !shape.has_volumes && !shape.is_hint;
    }
    for (const TaskId id : lacking) {
      const Task& task = cluster_.task(id);
      const Duration stay = longest_stay(cluster_, task, state_.now, state_.rules.trust);
      waiting.stay = std::max(waiting.stay, stay);
    }
    const std::optional<Duration> run = expected_(job, cluster_, Duration());
    waiting.run = std::min(waiting.stay, run.value_or(Duration::max()));
    return waiting;
  }

  // --- nodes and pods that run ------------------------------------------------------------

  void read_nodes() {
    state_.idle.resize(state_.nodes * state_.dimensions);
    for (std::size_t n = 0; n < state_.nodes; ++n) {
      for (std::size_t d = 0; d < state_.dimensions; ++d) {
        state_.idle[n * state_.dimensions + d] = cluster_.available().at(NodeId(n), Dimension(d));
      }
      for (const TaskId id : cluster_.node(NodeId(n)).tasks) {
        const Task& task = cluster_.task(id);
        if (occupies_node(task.status) && !task.is_of_node) read_pod(task, n);
      }
    }
  }

  void read_pod(const Task& task, std::size_t node) {
    RunningPods pods;
    pods.node = static_cast<std::uint32_t>(node);
    pods.kind = kind_of(task.shape, QueueId(), false);
    pods.gone_by = gone_by(cluster_, task, state_.now, state_.rules.trust);
    pods.expected = pods.gone_by;
    if (task.job.is_valid()) {
      const Job& job = cluster_.job(task.job);
      if (job.queue.is_valid()) pods.queue = static_cast<std::uint32_t>(job.queue.index());
      if (task.status != TaskStatus::releasing) {
        pods.expected = std::min(pods.expected, expected_end(job, task));
      }
    }
    state_.running.push_back(pods);
  }

  // Its pods end together.
  TimePoint expected_end(const Job& job, const Task& task) {
    JobEnd& end = ends_[job.id.index()];
    if (std::exchange(end.is_known, true)) return end.at;
    const TimePoint since = std::max(task.started, task.scheduled_at);
    const TimePoint start = since == TimePoint::min() ? state_.now : std::min(since, state_.now);
    const std::optional<Duration> run = expected_(job, cluster_, state_.now - start);
    end.at = run ? std::max(later(start, *run), state_.now + Duration(1)) : TimePoint::max();
    return end.at;
  }

  Session& session_;
  const Cluster& cluster_;
  const ExpectedRun& expected_;
  std::map<std::pair<ShapeId, QueueId>, std::size_t> kinds_;
  std::vector<JobEnd> ends_;  // by job
  State state_;
};

}  // namespace

State state_of(engine::Session& session, const Rules& rules, const ExpectedRun& expected) {
  return Reader(session, rules, expected).state();
}

}  // namespace berth::forecast
