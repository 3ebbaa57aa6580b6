#include "world/inhabitants.h"

#include <algorithm>
#include <array>

namespace berth::world {
namespace {

constexpr std::array kQueues{"default", "research"};
constexpr std::int32_t kSizeMost = 16;

// Of one in a thousand: the rest are users' own.
constexpr std::array<std::pair<std::uint64_t, Maker>, 4> kMakers{
    {{150, Maker::volcano}, {150, Maker::kubeflow}, {100, Maker::ray}, {150, Maker::owner}}};

Maker maker_of(std::uint64_t dice) {
  for (const auto& [share, maker] : kMakers) {
    if (dice < share) return maker;
    dice -= share;
  }
  return Maker::user;
}

// As each operator names it.
std::string group_name(const Job& job) {
  const std::string prefix = job.maker == Maker::ray ? "default/ray-" : "default/";
  const std::string suffix = job.maker == Maker::volcano ? "-5f7e"
                             : job.maker == Maker::ray   ? "-pg"
                                                         : "";
  return prefix + job.name + suffix;
}

}  // namespace

Inhabitants::Inhabitants(Agenda& agenda, Network& network, ApiServer& server)
    : agenda_(agenda), network_(network), server_(server) {
  server_.follow([this](const ApiServer::Change& change) {
    if (change.kind == Kind::pod) pod_changed(change);
    if (change.kind == Kind::group) group_changed(change);
    const bool may_orphan =
        change.kind == Kind::owner ? change.is_deletion() : change.kind == Kind::group;
    if (may_orphan) collect();
  });
}

void Inhabitants::begin(std::size_t nodes, std::size_t jobs) {
  nodes_ = nodes;
  jobs_to_come_ = jobs;
  for (std::size_t i = 0; i < nodes; ++i) server_.put(node(i));
  for (const char* name : kQueues) put_queue(name);
  bring_job();
  second();
}

void Inhabitants::stop() {
  has_stopped_ = true;
  for (std::size_t i = 0; i < nodes_; ++i) {
    server_.change<NodeObject>("n" + std::to_string(i),
                               [](NodeObject& node) { node.unschedulable = false; });
  }
  for (const char* name : kQueues) {
    put_queue(name);
    server_.change<QueueObject>(name, [](QueueObject& queue) {
      queue.capability.clear();
      queue.guarantee.clear();
      queue.parent.clear();
      queue.state = QueueState::open;
    });
  }
}

void Inhabitants::delete_all_jobs() {
  for (auto& [name, job] : jobs_) {
    if (!job.is_over) remove(job);
  }
}

const Job* Inhabitants::job_of(const std::string& pod_uid) const {
  const auto name = owns_.find(pod_uid);
  if (name == owns_.end()) return nullptr;
  const auto job = jobs_.find(name->second);
  return job == jobs_.end() ? nullptr : &job->second;
}

const PodGroupObject* Inhabitants::group_of(const Job& job) const {
  if (job.owner.empty()) return server_.find<PodGroupObject>(job.group);
  for (const auto& [name, group] : server_.all<PodGroupObject>()) {
    if (job_of_group(group.object) == &job) return &group.object;
  }
  return nullptr;
}

const Job* Inhabitants::job_of_group(const PodGroupObject& group) const {
  const auto is_its = [&](const auto& each) {
    const Job& job = each.second;
    if (!group.is_made_by_berth) return job.group == group.full_name();
    return group.owner_uid == (job.set.empty() ? job.owner : job.set);
  };
  const auto found = std::find_if(jobs_.begin(), jobs_.end(), is_its);
  return found == jobs_.end() ? nullptr : &found->second;
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
  job.created = agenda_.now();
  job.size = 1 + static_cast<std::int32_t>(agenda_.below(agenda_.happens(300) ? kSizeMost : 5));
  job.minimum = agenda_.happens(200) ? 0 : job.size;
  if (job.minimum > 1 && agenda_.happens(300)) {
    job.minimum =
        1 + static_cast<std::int32_t>(agenda_.below(static_cast<std::uint64_t>(job.size)));
  }
  job.cpu = 500 * (1 + static_cast<std::int64_t>(agenda_.below(8)));
  job.priority = 100 * static_cast<std::int32_t>(agenda_.below(3));
  job.run_time = agenda_.between(5s, 120s);
  job.is_ours = !agenda_.happens(100);
  job.queue = kQueues[agenda_.below(kQueues.size())];
  if (!job.is_ours) job.minimum = 0;
  const Maker maker = maker_of(agenda_.below(1000));
  const bool has_group = job.minimum > 0 && maker != Maker::owner;
  if (job.is_ours && (has_group || maker == Maker::owner)) job.maker = maker;
  job.keeps_names = job.maker == Maker::kubeflow || agenda_.happens(300);
  if (has_group) job.group = group_name(job);
  if (job.maker == Maker::owner) job.owner = "job-" + job.name;
  if (job.maker == Maker::owner && agenda_.happens(400)) job.set = "set-" + job.name;
  job.is_gated = gates_pods_ && job.minimum > 0 && agenda_.happens(500);
  job.pods.resize(static_cast<std::size_t>(job.size));
  job.has_succeeded.resize(static_cast<std::size_t>(job.size));
  constexpr std::array kWords{"", " by Volcano", " by Kubeflow", " by KubeRay", " without a group"};
  agenda_.note("user brings " + job.name + ": " + std::to_string(job.size) + " pods of " +
               std::to_string(job.cpu) + "m in " + job.queue + ", minimum " +
               std::to_string(job.minimum) + kWords.at(static_cast<std::size_t>(job.maker)) +
               (job.is_ours ? "" : ", another scheduler's"));
  const std::string name = job.name;
  jobs_[name] = std::move(job);
  make(jobs_.at(name));
  if (agenda_.happens(network_.faults.budget)) protect(jobs_.at(name));
  agenda_.after(agenda_.between(100ms, 20s), [this] { bring_job(); });
}

void Inhabitants::protect(const Job& job) {
  const auto away = static_cast<std::int32_t>(agenda_.below(static_cast<std::uint64_t>(job.size)));
  agenda_.note("user protects " + job.name + ": at most " + std::to_string(away) + " pods away");
  budgets_.protect(job, away);
}

void Inhabitants::second() {
  if (has_stopped_) return;
  if (agenda_.happens(network_.faults.node_change)) change_node();
  if (agenda_.happens(network_.faults.queue_change)) change_queue();
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

void Inhabitants::put_queue(const std::string& name) {
  if (server_.all<QueueObject>().contains(name)) return;
  agenda_.note("user makes queue " + name);
  QueueObject queue;
  queue.name = name;
  queue.uid = "u" + std::to_string(++last_uid_);
  queue.created = agenda_.now();
  server_.put(queue);
}

void Inhabitants::change_queue() {
  const char* const name = kQueues[agenda_.below(kQueues.size())];
  const char* const parent = kQueues[agenda_.below(kQueues.size())];  // a circle, too
  const std::uint64_t what = agenda_.below(7);
  const auto amount = static_cast<std::int64_t>(agenda_.below(nodes_ * 10)) * kNodeCpu / 10;
  if (what == 5) {
    agenda_.note(std::string("user deletes queue ") + name);
    server_.erase<QueueObject>(name);
    return agenda_.after(agenda_.between(5s, 60s), [this, name] { put_queue(name); });
  }
  agenda_.note(std::string("user edits queue ") + name);
  server_.change<QueueObject>(name, [&](QueueObject& queue) {
    if (what == 0) queue.weight = 1 + static_cast<std::int32_t>(amount / kNodeCpu);
    if (what == 1) queue.capability = {{"cpu", amount}};
    if (what == 2) queue.capability.clear();
    if (what == 3) queue.state = QueueState::closed;
    if (what == 4) queue.parent = parent;
    if (what == 6) queue.guarantee = {{"cpu", amount}};
  });
  if (what < 3) return;
  agenda_.after(agenda_.between(5s, 60s), [this, name, what] {
    server_.change<QueueObject>(name, [&](QueueObject& each) {
      if (what == 3) each.state = QueueState::open;
      if (what == 4) each.parent.clear();
      if (what == 6) each.guarantee.clear();
    });
  });
}

void Inhabitants::change_job() {
  if (jobs_.empty()) return;
  auto each = jobs_.begin();
  std::advance(each, static_cast<std::ptrdiff_t>(agenda_.below(jobs_.size())));
  Job& job = each->second;
  if (job.is_over) return;
  if (job.minimum > 0 && agenda_.happens(500)) return change_group(job);
  if (agenda_.happens(300)) return scale(job);
  if (agenda_.happens(300)) {
    agenda_.note("user deletes a pod of " + job.name);
    const std::string uid = job.pods[agenda_.below(job.pods.size())];
    return server_.delete_pod(uid);
  }
  agenda_.note("user deletes " + job.name);
  remove(job);
}

void Inhabitants::change_group(Job& job) {
  const auto size = static_cast<std::uint64_t>(job.size);
  if (job.maker == Maker::owner && agenda_.happens(300)) return misspell_gang(job);
  if (job.group.empty() || agenda_.happens(700)) {
    return set_minimum(job, 1 + static_cast<std::int32_t>(agenda_.below(size)));
  }
  agenda_.note("user makes the group of " + job.name + " anew");
  server_.erase<PodGroupObject>(job.group);
  agenda_.after(agenda_.between(10ms, 1s), [this, name = job.name] {
    if (const Job& again = jobs_.at(name); !again.is_over) put_group(again);
  });
}

// Of Kubeflow's, only the group, which the operator takes back.
void Inhabitants::set_minimum(Job& job, std::int32_t minimum) {
  agenda_.note("user sets the minimum of " + job.name + " to " + std::to_string(minimum));
  if (job.maker != Maker::kubeflow) job.minimum = minimum;
  if (!job.owner.empty()) return put_owner(job, "");
  server_.change<PodGroupObject>(job.group, [&](PodGroupObject& group) {
    group.min_member = minimum;
    if (job.maker == Maker::volcano) group.min_task_member.begin()->second = minimum;
  });
}

void Inhabitants::misspell_gang(const Job& job) {
  agenda_.note("user misspells the annotation of " + job.name);
  put_owner(job, "many");
  agenda_.after(agenda_.between(5s, 60s), [this, name = job.name] {
    if (const Job& its = jobs_.at(name); !its.is_over) put_owner(its, "");
  });
}

void Inhabitants::scale(Job& job) {
  const std::int32_t size = 1 + static_cast<std::int32_t>(agenda_.below(kSizeMost));
  agenda_.note("user scales " + job.name + " to " + std::to_string(size));
  const bool is_whole = job.minimum == job.size;
  const std::vector<std::string> pods = job.pods;
  job.size = size;
  job.pods.resize(static_cast<std::size_t>(size));
  job.has_succeeded.resize(static_cast<std::size_t>(size));
  if (job.minimum > size || (is_whole && !job.owner.empty())) {
    job.minimum = std::min(job.minimum, size);
    if (is_whole && !job.owner.empty()) job.minimum = size;
    server_.change<PodGroupObject>(job.group, [&](PodGroupObject& group) {
      group.min_member = job.minimum;
      if (job.maker == Maker::volcano) group.min_task_member.begin()->second = job.minimum;
    });
  }
  if (!job.owner.empty()) put_owner(job, "");
  for (std::size_t i = job.pods.size(); i < pods.size(); ++i) server_.delete_pod(pods[i]);
  control(job.name);
}

}  // namespace berth::world
