#include "embedded/scheduling_loop.h"

#include <algorithm>
#include <utility>

#include "berth/base/thread_name.h"
#include "embedded/pod_json.h"

namespace berth::embedded {
namespace {

std::vector<std::string_view> names_of(const std::vector<const SchedulerCache::Node*>& nodes) {
  std::vector<std::string_view> names;
  names.reserve(nodes.size());
  for (const SchedulerCache::Node* node : nodes) names.push_back(node->object.name);
  return names;
}

}  // namespace

SchedulingLoop::SchedulingLoop(KubeSchedulerOptions options, EmbeddedCluster& cluster,
                               const ScaledClock& clock, std::unique_ptr<ExtenderClient> extender)
    : options_(std::move(options)),
      cluster_(cluster),
      clock_(clock),
      extender_(std::move(extender)),
      queue_(options_.initial_backoff, options_.max_backoff, options_.pops_from_backoff),
      binders_(options_.max_outstanding_binds) {}

SchedulingLoop::~SchedulingLoop() { stop(); }

void SchedulingLoop::start() {
  cluster_.watch(*this);  // scheduling starts with the full state
  thread_ = std::thread([this] { run(); });
}

void SchedulingLoop::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(inbox_mutex_);
    stopping_ = true;
  }
  posted_.notify_all();
  extender_->abort();
  cluster_.unwatch(*this);
  thread_.join();
  binders_.stop();
}

void SchedulingLoop::post(ClusterEvent event) {
  {
    const std::lock_guard lock(inbox_mutex_);
    inbox_.push_back(std::move(event));
  }
  posted_.notify_one();
}

KubeSchedulerCounts SchedulingLoop::counts() const {
  const std::lock_guard lock(counts_mutex_);
  return counts_;
}

void SchedulingLoop::run() {
  name_thread("stand-in");
  while (take_inbox()) {
    if (const auto uid = queue_.pop(clock_.now())) {
      schedule(*uid);
    } else {
      wait_for_input();
    }
  }
}

// False: stop.
bool SchedulingLoop::take_inbox() {
  std::deque<Input> inputs;
  {
    const std::lock_guard lock(inbox_mutex_);
    if (stopping_) return false;
    inputs.swap(inbox_);
  }
  for (Input& one : inputs) {
    std::visit([this](auto& what) { take(std::move(what)); }, one);
  }
  return true;
}

void SchedulingLoop::wait_for_input() {
  const std::optional<TimePoint> due = queue_.next_due();
  std::unique_lock lock(inbox_mutex_);
  const auto has_pending = [this] { return stopping_ || !inbox_.empty(); };
  if (due) {
    posted_.wait_until(lock, clock_.steady(*due), has_pending);
  } else {
    posted_.wait(lock, has_pending);
  }
}

void SchedulingLoop::report(BindEnd end) {
  {
    const std::lock_guard lock(inbox_mutex_);
    inbox_.push_back(std::move(end));
  }
  posted_.notify_one();
}

void SchedulingLoop::schedule(const std::string& uid) {
  const PodObject pod = pods_.at(uid);
  if (pod.terminating) {
    queue_.erase(uid);
    return;
  }
  count(&KubeSchedulerCounts::attempts);
  const CycleResult outcome = choose(pod);
  if (!outcome.node.empty()) {
    assume_and_bind(pod, outcome.node);
    return;
  }
  if (outcome.is_error) {
    count(&KubeSchedulerCounts::errors);
    queue_.fail(uid, clock_.now());
  } else {
    count(&KubeSchedulerCounts::rejections);
    queue_.reject(uid, outcome.rejectors, clock_.now());
  }
  const bool clears = outcome.is_error || options_.rejection_clears_nomination;
  if (clears && !pod.nominated_node.empty()) clear_nomination(uid);
}

SchedulingLoop::CycleResult SchedulingLoop::choose(const PodObject& pod) {
  const std::string json = pod_json(pod);
  if (const auto node = try_nominated(pod, json)) return {.node = *node};

  CycleResult outcome;
  const int percentage =
      is_managed(pod) ? options_.managed_percentage_of_nodes : options_.percentage_of_nodes;
  const Nodes feasible = cache_.sample(pod, percentage, outcome.rejectors);
  if (feasible.empty()) return outcome;  // the extender is not called

  const Result<Nodes> kept = filter(json, feasible);
  if (!kept) {
    outcome.is_error = true;
    return outcome;
  }
  if (kept->size() < feasible.size()) {
    outcome.rejectors = static_cast<Rejectors>(outcome.rejectors | kByExtender);
  }
  if (!kept->empty()) {
    outcome.node = kept->size() == 1 ? kept->front()->object.name : best(json, *kept);
  }
  return outcome;
}

// The fast path: only the nominated node. If it fails, the cycle goes on without it.
std::optional<std::string> SchedulingLoop::try_nominated(const PodObject& pod,
                                                         const std::string& json) {
  if (pod.nominated_node.empty()) return std::nullopt;
  const SchedulerCache::Node* const node = cache_.find(pod.nominated_node);
  if (node == nullptr || cache_.judge(pod, *node) != 0) return std::nullopt;
  const Result<Nodes> kept = filter(json, {node});
  if (!kept || kept->empty()) return std::nullopt;
  return pod.nominated_node;
}

Result<SchedulingLoop::Nodes> SchedulingLoop::filter(const std::string& json, const Nodes& nodes) {
  count(&KubeSchedulerCounts::filter_calls);
  const auto kept = extender_->filter(json, names_of(nodes));
  if (!kept) {
    if (options_.plan_is_ignorable) return nodes;
    return kept.error();
  }
  Nodes left;
  for (const std::size_t index : *kept) left.push_back(nodes[index]);
  return left;
}

std::string SchedulingLoop::best(const std::string& json, const Nodes& nodes) {
  count(&KubeSchedulerCounts::prioritize_calls);
  const auto scores = extender_->prioritize(json, names_of(nodes));
  if (!scores) return nodes.front()->object.name;  // as if this entry did not exist
  const auto highest = std::max_element(scores->begin(), scores->end());
  return nodes[static_cast<std::size_t>(highest - scores->begin())]->object.name;
}

void SchedulingLoop::assume_and_bind(const PodObject& pod, const std::string& node) {
  const std::uint64_t attempt = ++next_attempt_;
  cache_.place(pod, node);
  assumed_[pod.uid] = {node, attempt};
  count(&KubeSchedulerCounts::outstanding_binds);
  const ports::Binding binding{pod.name_space, pod.name, pod.uid, node};
  if (is_managed(pod)) {
    count(&KubeSchedulerCounts::bind_calls);
    binders_.run([this, binding, attempt] {
      const Status end = extender_->bind(binding);
      report({binding.uid, attempt, end ? std::string() : end.error().to_string()});
    });
  } else {
    cluster_.bind(binding, [this, binding, attempt](ports::BindOutcome outcome) {
      report({binding.uid, attempt, outcome.bound ? std::string() : outcome.error});
    });
  }
}

// The effect of a status patch. Our own copy does not wait for the informer.
void SchedulingLoop::clear_nomination(const std::string& uid) {
  const auto pod = pods_.find(uid);
  if (pod != pods_.end()) {
    pod->second.nominated_node.clear();
    cache_.nominate(pod->second, {});
  }
  cluster_.clear_nomination(uid);
}

bool SchedulingLoop::is_managed(const PodObject& pod) const {
  const auto& managed = options_.managed_schedulers;
  return std::find(managed.begin(), managed.end(), pod.scheduler_name) != managed.end();
}

void SchedulingLoop::count(Count which, std::int64_t change) {
  const std::lock_guard lock(counts_mutex_);
  counts_.*which += static_cast<std::uint64_t>(change);
}

}  // namespace berth::embedded
