#include "berth/engine/job_line.h"

#include <algorithm>
#include <utility>

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
  std::vector<std::size_t> place(session.cluster().queue_slots(), kNobody);
  for (const JobId job : jobs) {
    const QueueId queue = session.cluster().job(job).queue;
    std::size_t& at = place[queue.index()];
    if (at == kNobody) {
      at = queues_.size();
      queues_.push_back({queue, {}});
    }
    queues_[at].heap.push_back(job);
  }
  for (std::size_t q = 0; q < queues_.size(); ++q) heap_.push_back(q);
  put_in_order();
}

void JobLine::put_in_order() {
  for (QueueJobs& each : queues_) {
    std::make_heap(each.heap.begin(), each.heap.end(),
                   [this](JobId left, JobId right) { return later(left, right); });
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
  std::vector<JobId> ordered;
  ordered.reserve(jobs.size());
  JobLine line(session, std::move(jobs), what);
  line.is_moving_ = false;
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
  auto& jobs = queues_[current_].heap;
  std::pop_heap(jobs.begin(), jobs.end(),
                [this](JobId left, JobId right) { return later(left, right); });
  const JobId job = jobs.back();
  jobs.pop_back();
  return job;
}

void JobLine::rejoin(JobId job) {
  auto& jobs = queues_[current_].heap;
  jobs.push_back(job);
  std::push_heap(jobs.begin(), jobs.end(),
                 [this](JobId left, JobId right) { return later(left, right); });
}

std::vector<JobId> JobLine::dismiss_queue() { return std::exchange(queues_[current_].heap, {}); }

void JobLine::return_current() {
  if (current_ == kNobody || queues_[current_].heap.empty()) return;
  heap_.push_back(current_);
  std::push_heap(heap_.begin(), heap_.end(),
                 [this](std::size_t left, std::size_t right) { return later(left, right); });
}

bool JobLine::later(JobId left, JobId right) const {
  const Cluster& cluster = session_.cluster();
  return session_.comes_before(cluster.job(right), cluster.job(left));
}

bool JobLine::later(std::size_t left, std::size_t right) const {
  const Cluster& cluster = session_.cluster();
  const Queue& left_queue = cluster.queue(queues_[left].queue);
  const Queue& right_queue = cluster.queue(queues_[right].queue);
  const Order order = order_of(right_queue, left_queue);
  if (order != Order::equal) return order == Order::less;
  const JobId left_head = queues_[left].heap.front();
  const JobId right_head = queues_[right].heap.front();
  const Order heads =
      session_.ask(points::job_order, cluster.job(right_head), cluster.job(left_head));
  if (heads != Order::equal) return heads == Order::less;
  // Jobs that all plugins rank equal: the longer wait comes first, whatever the queue.
  return later(left_head, right_head);
}

Order JobLine::order_of(const Queue& left, const Queue& right) const {
  if (what_ == For::admission && !session_.is_silent(points::admission_order)) {
    return session_.ask(points::admission_order, left, right);
  }
  return session_.ask(points::queue_order, left, right);
}

}  // namespace berth::engine
