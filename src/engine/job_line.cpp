#include "berth/engine/job_line.h"

#include <algorithm>
#include <utility>

#include "engine/memory.h"

namespace berth::engine {

namespace {

constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

}  // namespace

JobLine::JobLine(Session& session, std::vector<JobId> jobs, For what)
    : session_(session),
      what_(what),
      is_moving_(what == For::eviction || session.ask(points::queue_order_moves) ||
                 (what == For::admission && !session.queues().is_flat())),
      current_(kNobody) {
  const Cluster& cluster = session.cluster();
  std::vector<std::size_t> place(cluster.queue_slots(), kNobody);
  for (const JobId job : jobs) {
    const QueueId queue = cluster.job(job).queue;
    std::size_t& at = place[queue.index()];
    if (at != kNobody) continue;
    at = queues_.size();
    queues_.push_back({queue, {}, 0});
  }
  session.memory().line.restore(jobs);
  for (const JobId job : jobs) {
    queues_[place[cluster.job(job).queue.index()]].jobs.push_back(job);
  }
  for (std::size_t q = 0; q < queues_.size(); ++q) heap_.push_back(q);
  put_in_order();
  remember();
}

std::vector<JobId> JobLine::QueueJobs::rest() const {
  return {jobs.begin() + static_cast<std::ptrdiff_t>(next), jobs.end()};
}

// The longest line of a session helps the next one.
void JobLine::remember() const {
  Memory& memory = session_.memory();
  std::size_t count = 0;
  for (const QueueJobs& each : queues_) count += each.jobs.size();
  if (count <= memory.longest_line.size()) return;
  memory.longest_line.clear();
  for (const QueueJobs& each : queues_) {
    memory.longest_line.insert(memory.longest_line.end(), each.jobs.begin(), each.jobs.end());
  }
}

void JobLine::put_in_order() {
  for (QueueJobs& each : queues_) {
    each.jobs.erase(each.jobs.begin(), each.jobs.begin() + static_cast<std::ptrdiff_t>(each.next));
    each.next = 0;
    sort_nearly_sorted(each.jobs, [this](JobId left, JobId right) { return earlier(left, right); });
  }
  heapify_queues();
}

// Only the queue being served has changed since, and it is back in its place. Where some queues are
// below others, the order of equal ones is not transitive, and a heap depends on its past.
bool JobLine::is_as_heapified() const {
  return heapified_at_ == session_.cluster().stamp() && session_.queues().is_flat();
}

void JobLine::heapify_queues() {
  heapified_at_ = session_.cluster().stamp();
  std::make_heap(heap_.begin(), heap_.end(),
                 [this](std::size_t left, std::size_t right) { return later(left, right); });
}

std::vector<JobId> JobLine::in_order(Session& session, std::vector<JobId> jobs, For what) {
  const std::size_t count = jobs.size();
  JobLine line(session, std::move(jobs), what);
  if (line.queues_.size() == 1) return std::move(line.queues_.front().jobs);
  line.is_moving_ = false;
  std::vector<JobId> ordered;
  ordered.reserve(count);
  for (JobId job = line.next(); job.is_valid(); job = line.next()) ordered.push_back(job);
  return ordered;
}

// Unless a plugin or the caller says otherwise, only the job and the queue being served change, and
// they are out of their heaps meanwhile, so the comparisons that shaped a heap stay true.
JobId JobLine::next() {
  return_current();
  if (heap_.empty()) return JobId();
  if (is_moving_ && !is_as_heapified()) heapify_queues();
  std::pop_heap(heap_.begin(), heap_.end(),
                [this](std::size_t left, std::size_t right) { return later(left, right); });
  current_ = heap_.back();
  heap_.pop_back();
  QueueJobs& queue = queues_[current_];
  return queue.jobs[queue.next++];
}

void JobLine::rejoin(JobId job) {
  QueueJobs& queue = queues_[current_];
  const auto first = queue.jobs.begin() + static_cast<std::ptrdiff_t>(queue.next);
  const auto place =
      std::upper_bound(first, queue.jobs.end(), job,
                       [this](JobId left, JobId right) { return earlier(left, right); });
  if (queue.next == 0) {
    queue.jobs.insert(place, job);
    return;
  }
  *std::move(first, place, first - 1) = job;
  --queue.next;
}

std::vector<JobId> JobLine::dismiss_queue() {
  QueueJobs& queue = queues_[current_];
  std::vector<JobId> rest = queue.rest();
  queue.next = queue.jobs.size();
  return rest;
}

void JobLine::return_current() {
  if (current_ == kNobody || queues_[current_].is_empty()) return;
  heap_.push_back(current_);
  std::push_heap(heap_.begin(), heap_.end(),
                 [this](std::size_t left, std::size_t right) { return later(left, right); });
}

bool JobLine::earlier(JobId left, JobId right) const {
  const Cluster& cluster = session_.cluster();
  return session_.comes_before(cluster.job(left), cluster.job(right));
}

bool JobLine::later(std::size_t left, std::size_t right) const {
  const Cluster& cluster = session_.cluster();
  const Queue& left_queue = cluster.queue(queues_[left].queue);
  const Queue& right_queue = cluster.queue(queues_[right].queue);
  const Order order = order_of(right_queue, left_queue);
  if (order != Order::equal) return order == Order::less;
  const JobId left_head = queues_[left].first();
  const JobId right_head = queues_[right].first();
  const Order heads =
      session_.ask(points::job_order, cluster.job(right_head), cluster.job(left_head));
  if (heads != Order::equal) return heads == Order::less;
  // Jobs that all plugins rank equal: the longer wait comes first, whatever the queue.
  return earlier(right_head, left_head);
}

Order JobLine::order_of(const Queue& left, const Queue& right) const {
  if (what_ == For::admission && !session_.is_silent(points::admission_order)) {
    return session_.ask(points::admission_order, left, right);
  }
  return session_.ask(points::queue_order, left, right);
}

}  // namespace berth::engine
