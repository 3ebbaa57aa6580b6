#include "embedded/embedded_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "berth/base/thread_name.h"

namespace berth::embedded {
namespace {

bool is_over(const PodObject& pod) {
  return pod.phase == PodPhase::succeeded || pod.phase == PodPhase::failed;
}

// The classes of every cluster.
const PriorityClassObject kSystemClasses[] = {
    {"system-cluster-critical", 2'000'000'000},
    {"system-node-critical", 2'000'001'000},
};

std::optional<PodObject> find_value(const std::map<std::string, PodObject>& pods,
                                    const std::string& uid) {
  const auto found = pods.find(uid);
  if (found == pods.end()) return std::nullopt;
  return found->second;
}

}  // namespace

EmbeddedCluster::EmbeddedCluster(const PacedClock& clock, Duration grace)
    : clock_(clock), grace_(grace) {
  thread_ = std::thread([this] { run(); });
}

EmbeddedCluster::~EmbeddedCluster() {
  stop();
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Status EmbeddedCluster::start(ports::EventSink& sink) {
  {
    const std::lock_guard lock(mutex_);
    if (main_sink_ != nullptr) return Error{"the embedded cluster was started already", ""};
    main_sink_ = &sink;
    watchers_.add(sink, everything());
  }
  changed_.notify_all();
  return Done{};
}

bool EmbeddedCluster::is_synced() const {
  const std::lock_guard lock(mutex_);
  return main_sink_ != nullptr && watchers_.is_synced(*main_sink_);
}

void EmbeddedCluster::stop() {
  ports::EventSink* sink = nullptr;
  {
    const std::lock_guard lock(mutex_);
    sink = std::exchange(main_sink_, nullptr);
  }
  if (sink != nullptr) unwatch(*sink);
}

void EmbeddedCluster::watch(ports::EventSink& sink) {
  std::unique_lock lock(mutex_);
  watchers_.add(sink, everything());
  changed_.notify_all();
  watchers_.wait_until_synced(sink, lock);
}

void EmbeddedCluster::unwatch(ports::EventSink& sink) {
  std::unique_lock lock(mutex_);
  watchers_.remove(sink, lock);
}

void EmbeddedCluster::catch_up() {
  std::unique_lock lock(mutex_);
  carry_out_due(clock_.now());
  changed_.notify_all();
  watchers_.wait_until_delivered(lock);
}

void EmbeddedCluster::apply(std::vector<ClusterEvent> changes) {
  {
    const std::lock_guard lock(mutex_);
    // Classes first: admission of pods in the same set reads them.
    for (const ClusterEvent& change : changes) {
      const auto* const priority_class = std::get_if<PriorityClassObject>(&change);
      if (priority_class != nullptr) priority_classes_[priority_class->name] = *priority_class;
    }
    for (ClusterEvent& change : changes) {
      std::visit(
          [this](auto& object) {
            using Object = std::decay_t<decltype(object)>;
            if constexpr (std::is_same_v<Object, PlacementDropped> ||
                          std::is_same_v<Object, PlacementMoved> ||
                          std::is_same_v<Object, EvictionRefused> ||
                          std::is_same_v<Object, RightAnswer> ||
                          std::is_same_v<Object, NamingPolicy>) {
              return;
            } else if constexpr (requires { put(std::move(object)); }) {
              put(std::move(object));
            } else {
              drop(object);
            }
          },
          change);
    }
  }
  changed_.notify_all();
}

void EmbeddedCluster::bind(const ports::Binding& binding,
                           std::function<void(ports::BindOutcome)> done) {
  ports::BindOutcome outcome;
  {
    const std::lock_guard lock(mutex_);
    outcome.error = refusal(binding);
    outcome.bound = outcome.error.empty();
    if (outcome.bound) {
      PodObject& pod = pods_.at(binding.uid);
      if (pod.node_name.empty()) {
        pod.node_name = binding.node;
        pod.nominated_node.clear();
        set_running(pod);
        notify_watchers(pod);
      }
    }
  }
  changed_.notify_all();
  done(std::move(outcome));
}

std::optional<PodObject> EmbeddedCluster::pod(const std::string& full_name) const {
  const std::lock_guard lock(mutex_);
  const auto uid = pod_uids_.find(full_name);
  return uid == pod_uids_.end() ? std::nullopt : find_value(pods_, uid->second);
}

std::vector<PodObject> EmbeddedCluster::pods() const {
  const std::lock_guard lock(mutex_);
  std::vector<PodObject> all;
  for (const auto& [uid, pod] : pods_) all.push_back(pod);
  return all;
}

void EmbeddedCluster::run() {
  name_thread("cluster");
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    carry_out_due(clock_.now());
    watchers_.deliver(lock);
    const auto awaited = [this] {
      return stopping_ || watchers_.has_pending() ||
             (!due_.empty() && due_.begin()->first <= clock_.now());
    };
    if (due_.empty()) {
      changed_.wait(lock, [&] { return awaited() || !due_.empty(); });
    } else {
      const TimePoint next = due_.begin()->first;
      changed_.wait_until(lock, clock_.steady(next),
                          [&] { return awaited() || due_.empty() || due_.begin()->first < next; });
    }
  }
}

void EmbeddedCluster::carry_out_due(TimePoint now) {
  while (!due_.empty() && due_.begin()->first <= now) {
    const auto [due, uid] = due_.extract(due_.begin()).mapped();
    if (due == Due::removal) {
      const auto pod = pods_.find(uid);
      // By now, another pod may have the same uid.
      if (pod != pods_.end() && pod->second.terminating) remove_pod(uid);
      continue;
    }
    const auto pod = pods_.find(uid);
    if (pod == pods_.end() || pod->second.phase != PodPhase::running) continue;
    const PodObject& runs = pod->second;
    if (!runs.run_time || !runs.started || *runs.started + *runs.run_time > now) continue;
    pod->second.phase = PodPhase::succeeded;
    notify_watchers(pod->second);
  }
}

std::string EmbeddedCluster::refusal(const ports::Binding& binding) const {
  const std::string full_name = binding.name_space + "/" + binding.name;
  const auto uid = pod_uids_.find(full_name);
  if (uid == pod_uids_.end()) return fmt::format("pod \"{}\" not found", full_name);
  if (uid->second != binding.uid) {
    return fmt::format("pod \"{}\" has uid \"{}\", the binding names \"{}\"", full_name,
                       uid->second, binding.uid);
  }
  const PodObject& pod = pods_.at(uid->second);
  if (pod.node_name == binding.node && !binding.node.empty()) return {};
  if (!pod.node_name.empty()) {
    return fmt::format("pod \"{}\" is already assigned to node \"{}\"", full_name, pod.node_name);
  }
  if (pod.terminating) return fmt::format("pod \"{}\" is being deleted", full_name);
  if (is_over(pod)) return fmt::format("pod \"{}\" has finished", full_name);
  if (!pod.gates.empty()) {
    return fmt::format("pod \"{}\" has scheduling gate \"{}\"", full_name, pod.gates.front());
  }
  if (!nodes_.contains(binding.node)) return fmt::format("node \"{}\" not found", binding.node);
  return {};
}

void EmbeddedCluster::set_running(PodObject& pod) {
  pod.phase = PodPhase::running;
  if (!pod.started) pod.started = clock_.now();
  if (!pod.scheduled) pod.scheduled = clock_.now();
  if (pod.run_time) due_.emplace(*pod.started + *pod.run_time, std::pair(Due::run_ends, pod.uid));
}

void EmbeddedCluster::begin_removal(PodObject& pod) {
  if (pod.node_name.empty() || is_over(pod)) {
    const std::string uid = pod.uid;
    remove_pod(uid);  // no containers to stop
    return;
  }
  pod.terminating = true;
  due_.emplace(clock_.now() + grace_, std::pair(Due::removal, pod.uid));
  notify_watchers(pod);
}

void EmbeddedCluster::remove_pod(const std::string& uid) {
  const auto pod = pods_.find(uid);
  if (pod == pods_.end()) return;
  pod_uids_.erase(pod->second.full_name());
  pods_.erase(pod);
  notify_watchers(PodDeleted{uid});
}

void EmbeddedCluster::admit(PodObject& pod) const {
  if (pod.priority) return;
  for (const PriorityClassObject& system : kSystemClasses) {
    if (pod.priority_class == system.name) pod.priority = system.value;
  }
  for (const auto& [name, priority_class] : priority_classes_) {
    const bool applies =
        pod.priority_class.empty() ? priority_class.global_default : pod.priority_class == name;
    if (!applies) continue;
    pod.priority = priority_class.value;
    pod.never_preempts = pod.never_preempts || priority_class.never_preempts;
  }
}

void EmbeddedCluster::notify_watchers(ClusterEvent event) { watchers_.notify(event); }

}  // namespace berth::embedded
