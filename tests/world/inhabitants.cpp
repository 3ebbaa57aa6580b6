#include "world/inhabitants.h"

#include <algorithm>
#include <array>

namespace berth::world {
namespace {

constexpr std::int64_t kNodeCpu = 8'000;
constexpr std::array kQueues{"default", "research"};

}  // namespace

Inhabitants::Inhabitants(Agenda& agenda, Network& network, ApiServer& server)
    : agenda_(agenda), network_(network), server_(server) {
  server_.follow([this](const ApiServer::Change& change) {
    if (change.kind == Kind::pod) pod_changed(change);
  });
}

void Inhabitants::begin(std::size_t nodes, std::size_t jobs) {
  nodes_ = nodes;
  jobs_to_come_ = jobs;
  for (std::size_t i = 0; i < nodes; ++i) server_.put(node(i));
  for (const char* name : kQueues) {
    QueueObject queue;
    queue.name = queue.uid = name;
    queue.created = agenda_.now();
    server_.put(queue);
  }
  bring_job();
  second();
}

const Job* Inhabitants::job_of(const std::string& pod_uid) const {
  const auto name = owns_.find(pod_uid);
  if (name == owns_.end()) return nullptr;
  const auto job = jobs_.find(name->second);
  return job == jobs_.end() ? nullptr : &job->second;
}

NodeObject Inhabitants::node(std::size_t index) const {
  NodeObject node;
  node.name = "n" + std::to_string(index);
  node.uid = node.name + "-" + std::to_string(server_.version());
  node.created = agenda_.now();
  node.labels = {{"kubernetes.io/hostname", node.name}};
  node.allocatable = {{"cpu", kNodeCpu}, {"pods", 20}};
  return node;
}

// --- users -------------------------------------------------------------------------------------

void Inhabitants::bring_job() {
  if (has_stopped_ || jobs_to_come_ == 0) return;
  --jobs_to_come_;
  Job job;
  job.name = "j" + std::to_string(++last_job_);
  job.size = 1 + static_cast<std::int32_t>(agenda_.below(agenda_.happens(300) ? 16 : 5));
  job.minimum = agenda_.happens(200) ? 0 : job.size;
  if (job.minimum > 1 && agenda_.happens(300)) {
    job.minimum =
        1 + static_cast<std::int32_t>(agenda_.below(static_cast<std::uint64_t>(job.size)));
  }
  job.cpu = 500 * (1 + static_cast<std::int64_t>(agenda_.below(8)));
  job.priority = 100 * static_cast<std::int32_t>(agenda_.below(3));
  job.run_time = agenda_.between(5s, 120s);
  job.keeps_names = agenda_.happens(300);
  job.is_ours = !agenda_.happens(100);
  job.queue = kQueues[agenda_.below(kQueues.size())];
  if (!job.is_ours) job.minimum = 0;
  job.is_gated = gates_pods_ && job.minimum > 0 && agenda_.happens(500);
  job.pods.resize(static_cast<std::size_t>(job.size));
  job.has_succeeded.resize(static_cast<std::size_t>(job.size));
  agenda_.note("user brings " + job.name + ": " + std::to_string(job.size) + " pods of " +
               std::to_string(job.cpu) + "m, minimum " + std::to_string(job.minimum) +
               (job.is_ours ? "" : ", another scheduler's"));
  const std::string name = job.name;
  jobs_[name] = std::move(job);
  const Job& made = jobs_.at(name);
  if (made.minimum > 0) {
    put_group(made);
  }
  control(name);
  agenda_.after(agenda_.between(100ms, 20s), [this] { bring_job(); });
}

void Inhabitants::put_group(const Job& job) {
  PodGroupObject group;
  group.name_space = "default";
  group.name = job.name;
  group.uid = "group-" + job.name + "-" + std::to_string(++last_group_);
  group.created = agenda_.now();
  group.queue = job.queue;
  group.min_member = job.minimum;
  server_.put(group);
}

void Inhabitants::second() {
  if (has_stopped_) return;
  if (agenda_.happens(network_.faults.node_change)) change_node();
  if (agenda_.happens(network_.faults.job_change)) change_job();
  agenda_.after(1s, [this] { second(); });
}

void Inhabitants::change_node() {
  const std::size_t index = agenda_.below(nodes_);
  const std::string name = "n" + std::to_string(index);
  if (agenda_.happens(600)) {
    agenda_.note("user cordons " + name);
    server_.change<NodeObject>(name, [](NodeObject& each) { each.unschedulable = true; });
    return agenda_.after(agenda_.between(5s, 60s), [this, name] {
      agenda_.note("user uncordons " + name);
      server_.change<NodeObject>(name, [](NodeObject& each) { each.unschedulable = false; });
    });
  }
  if (!server_.all<NodeObject>().contains(name)) return;
  agenda_.note("node " + name + " is lost");
  server_.delete_node(name);
  agenda_.after(agenda_.between(5s, 60s), [this, index, name] {
    if (server_.all<NodeObject>().contains(name)) return;
    agenda_.note("node " + name + " is back");
    server_.put(node(index));
  });
}

void Inhabitants::change_job() {
  if (jobs_.empty()) return;
  auto each = jobs_.begin();
  std::advance(each, static_cast<std::ptrdiff_t>(agenda_.below(jobs_.size())));
  Job& job = each->second;
  if (job.is_over) return;
  if (job.minimum > 0 && agenda_.happens(400)) {
    job.minimum =
        1 + static_cast<std::int32_t>(agenda_.below(static_cast<std::uint64_t>(job.size)));
    agenda_.note("user sets the minimum of " + job.name + " to " + std::to_string(job.minimum));
    server_.change<PodGroupObject>(job.full_name(),
                                   [&](PodGroupObject& group) { group.min_member = job.minimum; });
    return;
  }
  if (job.minimum > 0 && agenda_.happens(200)) {
    agenda_.note("user makes the group of " + job.name + " anew");
    server_.erase<PodGroupObject>(job.full_name());
    return agenda_.after(agenda_.between(10ms, 1s), [this, name = job.name] {
      if (const Job& again = jobs_.at(name); !again.is_over) put_group(again);
    });
  }
  if (agenda_.happens(300)) {
    agenda_.note("user deletes a pod of " + job.name);
    const std::string uid = job.pods[agenda_.below(job.pods.size())];
    return server_.delete_pod(uid);
  }
  delete_job(job);
}

void Inhabitants::delete_job(Job& job) {
  agenda_.note("user deletes " + job.name);
  job.is_over = true;
  const std::vector<std::string> pods = job.pods;
  for (const std::string& uid : pods) server_.delete_pod(uid);
  if (job.minimum > 0) server_.erase<PodGroupObject>(job.full_name());
}

// --- controllers -------------------------------------------------------------------------------

void Inhabitants::control(const std::string& name) {
  Job& job = jobs_.at(name);
  if (job.is_over) return;
  const bool is_done = std::all_of(job.has_succeeded.begin(), job.has_succeeded.end(),
                                   [](bool each) { return each; });
  if (is_done) {
    agenda_.note(job.name + " has succeeded");
    job.is_over = true;
    return agenda_.after(agenda_.between(1s, 30s), [this, name] {
      Job& over = jobs_.at(name);
      const std::vector<std::string> pods = over.pods;
      for (const std::string& uid : pods) server_.delete_pod(uid);
      if (over.minimum > 0) server_.erase<PodGroupObject>(over.full_name());
    });
  }
  for (std::int32_t index = 0; index < job.size; ++index) {
    const auto at = static_cast<std::size_t>(index);
    if (job.pods[at].empty() && !job.has_succeeded[at]) create_pod(job, index);
  }
}

void Inhabitants::create_pod(Job& job, std::int32_t index) {
  if (agenda_.happens(network_.faults.refused_pod)) {
    return agenda_.after(agenda_.between(500ms, 3s), [this, name = job.name] { control(name); });
  }
  PodObject pod;
  pod.name_space = "default";
  pod.uid = "u" + std::to_string(++last_uid_);
  pod.name = job.name + "-" + std::to_string(index);
  if (!job.keeps_names) pod.name += "-" + pod.uid;
  pod.created = agenda_.now();
  pod.scheduler_name = job.is_ours ? "berth" : "default-scheduler";
  if (job.minimum > 0) pod.group = job.name;
  if (job.minimum == 0 && job.is_ours) pod.queue = pod.own_queue = job.queue;
  if (job.is_gated) pod.gates = {kPlanGate};
  pod.index = index;
  pod.priority = job.priority;
  pod.request = {{"cpu", job.cpu}, {"pods", 1}};
  job.pods[static_cast<std::size_t>(index)] = pod.uid;
  owns_[pod.uid] = job.name;
  server_.put(std::move(pod));
}

void Inhabitants::pod_changed(const ApiServer::Change& change) {
  const auto owner = owns_.find(change.key);
  if (owner == owns_.end()) return;
  Job& job = jobs_.at(owner->second);
  const auto at = std::find(job.pods.begin(), job.pods.end(), change.key);
  if (change.is_deletion()) {
    if (at != job.pods.end()) at->clear();
    owns_.erase(owner);
    return agenda_.after(agenda_.between(10ms, 2s), [this, name = job.name] { control(name); });
  }
  const PodObject& pod = std::get<PodObject>(change.event);
  if (pod.terminating) {
    // Some take their grace period, longer than another berthd needs to lead.
    const Duration longest = agenda_.happens(250) ? Duration(150s) : Duration(10s);
    return agenda_.after(agenda_.between(100ms, longest),
                         [this, uid = pod.uid] { server_.erase<PodObject>(uid); });
  }
  if (pod.phase == PodPhase::succeeded && at != job.pods.end()) {
    job.has_succeeded[static_cast<std::size_t>(at - job.pods.begin())] = true;
    return control(job.name);
  }
  if (pod.phase == PodPhase::failed) {
    return agenda_.after(agenda_.between(100ms, 3s),
                         [this, uid = pod.uid] { server_.erase<PodObject>(uid); });
  }
  if (!pod.node_name.empty() && pod.phase == PodPhase::pending) bound(pod);
}

// --- kubelets ----------------------------------------------------------------------------------

void Inhabitants::bound(const PodObject& pod) {
  agenda_.after(agenda_.between(100ms, 4s), [this, uid = pod.uid] { run(uid); });
}

void Inhabitants::run(const std::string& uid) {
  const PodObject* const pod = server_.find<PodObject>(uid);
  const Job* const job = job_of(uid);
  if (pod == nullptr || job == nullptr || pod->terminating || pod->phase != PodPhase::pending) {
    return;
  }
  const bool fails = agenda_.happens(network_.faults.pod_failure);
  const Duration length = fails ? agenda_.between(100ms, job->run_time) : job->run_time;
  server_.change<PodObject>(uid, [this](PodObject& each) {
    each.phase = PodPhase::running;
    each.started = agenda_.now();
  });
  work(uid, length, fails);
}

// Until the minimum runs, a member of a gang waits for the others.
void Inhabitants::work(const std::string& uid, Duration length, bool fails) {
  const PodObject* const pod = server_.find<PodObject>(uid);
  const auto owner = owns_.find(uid);
  if (pod == nullptr || owner == owns_.end() || pod->terminating) return;
  Job& job = jobs_.at(owner->second);
  const auto running = std::count_if(job.pods.begin(), job.pods.end(), [&](const auto& each) {
    const PodObject* const peer = server_.find<PodObject>(each);
    return peer != nullptr && peer->phase == PodPhase::running && !peer->terminating;
  });
  job.has_worked = job.has_worked || running >= job.minimum;
  if (!job.has_worked && !fails) {
    return agenda_.after(1s, [this, uid, length, fails] { work(uid, length, fails); });
  }
  agenda_.after(length, [this, uid, fails] {
    const PodObject* const running_pod = server_.find<PodObject>(uid);
    if (running_pod == nullptr || running_pod->terminating) return;
    server_.change<PodObject>(uid, [fails](PodObject& each) {
      each.phase = fails ? PodPhase::failed : PodPhase::succeeded;
    });
  });
}

}  // namespace berth::world
