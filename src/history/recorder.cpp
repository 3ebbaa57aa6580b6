#include "history/recorder.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "history/lines.h"
#include "history/of_cluster.h"

namespace berth::history {

namespace {

// The latest placement of its pods; min: none has had a node.
TimePoint placement_of(const Job& job, const Cluster& cluster) {
  TimePoint latest = TimePoint::min();
  for (const TaskId id : job.tasks) {
    const Task& task = cluster.task(id);
    if (task.status != TaskStatus::failed) latest = std::max(latest, task.scheduled_at);
  }
  return latest;
}

TimePoint start_of(const Job& job, const Cluster& cluster, TimePoint now) {
  const TimePoint placement = placement_of(job, cluster);
  return placement == TimePoint::min() ? now : std::min(placement, now);
}

bool has_evicted(const Job& job, const Cluster& cluster) {
  return std::any_of(job.tasks.begin(), job.tasks.end(),
                     [&](TaskId id) { return cluster.task(id).is_evicted; });
}

}  // namespace

void Recorder::note(Objects& objects, const std::string& name, std::string text) {
  KnownObject& known = objects[name];
  if (known.text == text) return;
  known.text = std::move(text);
  known.is_dirty = true;
}

void Recorder::observe(const ClusterEvent& event) {
  if (const auto* const node = std::get_if<NodeObject>(&event)) {
    note(nodes_, node->name, node_text(*node));
  } else if (const auto* const gone = std::get_if<NodeDeleted>(&event)) {
    note(nodes_, gone->name, "");
  } else if (const auto* const queue = std::get_if<QueueObject>(&event)) {
    note(queues_, queue->name, queue_text(*queue));
  } else if (const auto* const left = std::get_if<QueueDeleted>(&event)) {
    note(queues_, left->name, "");
  }
}

void Recorder::look_at(const std::vector<JobId>& changed, const Cluster& cluster, TimePoint now) {
  if (!written_at_) {  // HISTORY-6: the recording begins
    written_at_ = now;
    put_({"", "", false, now});
    write_objects(cluster, now);
  }
  for (const JobId id : changed) look_at(id, cluster, now);
  if (now - *written_at_ < kPause) return;
  written_at_ = now;
  write_all(cluster, now);
}

void Recorder::finish(const Cluster& cluster, TimePoint now) {
  if (!written_at_) return;  // the cluster was never known as a whole
  write_all(cluster, now);
  put_({end_line(now), "", false, now});
}

void Recorder::look_at(JobId id, const Cluster& cluster, TimePoint now) {
  const Job& job = cluster.job(id);
  const bool is_there = job.exists && job.is_ours() && job.task_count() > 0;
  const auto known = jobs_.find(id);
  if (known != jobs_.end() && (!is_there || known->second.facts.uid != job.uid)) {
    const bool is_others = job.exists && !job.is_ours() && known->second.facts.uid == job.uid;
    if (!is_others) lose(known->second, now);
    dirty_.erase(id);
    jobs_.erase(known);
  }
  if (!is_there) return;
  const auto [at, is_new] = jobs_.try_emplace(id);
  follow(at->second, job, cluster, now);
  // One that was over when it was first seen ran before the recording, or is in it.
  if (is_new && at->second.is_done) at->second.written = State::over;
  if (state_of(at->second) == at->second.written) {
    dirty_.erase(id);
  } else {
    dirty_.insert(id);
  }
}

void Recorder::follow(KnownJob& known, const Job& job, const Cluster& cluster, TimePoint now) {
  JobFacts facts = facts_of(job);
  const JobFacts& before = known.facts;
  facts.started = before.started;
  facts.ended = before.ended;
  facts.limit = before.limit;
  facts.lost_runs = before.lost_runs;
  facts.was_evicted = before.was_evicted || has_evicted(job, cluster);
  known.facts = std::move(facts);
  std::int32_t live = 0;
  for (std::size_t s = 0; s < kTaskStatusCount; ++s) {
    if (is_live(static_cast<TaskStatus>(s))) live += job.count(static_cast<TaskStatus>(s));
  }
  if (live > known.most || known.pods.empty()) {
    known.most = live;
    known.pods = pods_text(pods_of(cluster, job));
    known.facts.limit = limit_of(cluster, job);
  }
  known.is_done = live == 0 && job.count(TaskStatus::releasing) == 0;
  note_run(known, job, cluster, now);
}

// HISTORY-5
void Recorder::note_run(KnownJob& known, const Job& job, const Cluster& cluster, TimePoint now) {
  JobFacts& facts = known.facts;
  const std::int32_t on_nodes = job.count(TaskStatus::bound) + job.count(TaskStatus::running);
  const std::int32_t ready =
      on_nodes + job.count(TaskStatus::succeeded) + job.count(TaskStatus::failed);
  const bool is_ready = on_nodes > 0 && ready >= facts.minimum;
  if (is_ready && (!facts.started || facts.ended)) {
    if (facts.started) ++facts.lost_runs;
    facts.started = start_of(job, cluster, now);
    facts.ended.reset();
    return;
  }
  // Between two sessions it may have come to its nodes and left them.
  const std::int32_t leaving = job.count(TaskStatus::releasing);
  const bool has_run = leaving > 0 && ready + leaving >= facts.minimum &&
                       placement_of(job, cluster) != TimePoint::min();
  if (!facts.started && (known.is_done || has_run)) {
    facts.started = start_of(job, cluster, now);
  }
  const bool may_go_on = is_ready || (on_nodes > 0 && leaving == 0);
  if (facts.started && !facts.ended && !may_go_on) facts.ended = now;
}

// It is gone.
void Recorder::lose(KnownJob& known, TimePoint now) {
  if (known.written == State::over) return;
  known.facts.was_deleted = !known.is_done;
  known.is_done = true;
  if (!known.facts.ended) known.facts.ended = now;
  write(known, now);
}

Recorder::State Recorder::state_of(const KnownJob& known) {
  if (known.is_done) return State::over;
  return known.facts.started && !known.facts.ended ? State::runs : State::waits;
}

void Recorder::write(KnownJob& known, TimePoint now) {
  JobFacts facts = known.facts;
  known.written = state_of(known);
  if (known.written == State::waits && facts.started) {
    ++facts.lost_runs;
    facts.started.reset();
    facts.ended.reset();
  }
  put_({job_line(facts, known.pods, now), "", false, now});
}

void Recorder::write_all(const Cluster& cluster, TimePoint now) {
  write_objects(cluster, now);
  for (const JobId id : std::exchange(dirty_, {})) write(jobs_.at(id), now);
}

void Recorder::write_objects(const Cluster& cluster, TimePoint now) {
  const auto write_changed = [&](Objects& objects, const char* about, Kind gone, auto line_of) {
    for (auto at = objects.begin(); at != objects.end();) {
      const auto& [name, known] = *at;
      const bool is_gone = known.text.empty();
      if (std::exchange(at->second.is_dirty, false)) {
        put_({is_gone ? gone_line(gone, name, now) : line_of(name, known.text), about + name,
              is_gone, now});
      }
      at = is_gone ? objects.erase(at) : std::next(at);
    }
  };
  write_changed(nodes_, "Node/", Kind::node_gone, [&](const auto& name, const auto& text) {
    const NodeId id = cluster.find_node(name);
    return node_line(text, id.is_valid() ? taken_by_others(cluster, id) : NamedAmounts(), now);
  });
  write_changed(queues_, "Queue/", Kind::queue_gone,
                [&](const auto&, const auto& text) { return queue_line(text, now); });
}

}  // namespace berth::history
