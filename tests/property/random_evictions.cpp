#include "property/random_evictions.h"

#include <algorithm>
#include <iterator>

#include "support/relation_text.h"
#include "support/volume_text.h"

namespace berth::support {

namespace {

const char* const kTiersThatEvict[] = {
    "tiers priority gang conformance elastic / overcommit predicates proportion nodeorder",
    "tiers priority gang conformance elastic / overcommit predicates proportion(lend=true) binpack",
    "tiers priority gang / predicates proportion nodeorder",
    "tiers priority gang elastic / predicates nodeorder",
    "tiers gang elastic drf / predicates proportion(guarantee=hard) nodeorder",
    "tiers priority gang elastic reservation(nodes=2,timeout=3s) / predicates proportion",
    "tiers priority gang elastic / predicates proportion node_reservation(relock-period=1s)",
    "tiers priority gang elastic / predicates node_reservation(relock-period=1s) nodeorder",
};

constexpr std::int64_t kGi = std::int64_t{1} << 30;

}  // namespace

engine::SessionConfig RandomEvictions::config() {
  engine::SessionConfig config = default_session_config();
  SceneLine tiers(kTiersThatEvict[below(random_, std::size(kTiersThatEvict))], "tiers");
  BERTH_CHECK(read_tiers(tiers, config).has_value());
  const bool reserves = std::any_of(config.tiers.begin(), config.tiers.end(), [](const auto& tier) {
    return std::any_of(tier.begin(), tier.end(),
                       [](const auto& each) { return each.plugin.name == "reservation"; });
  });
  std::vector<std::string> evicting{"preempt", "reclaim"};
  if (chance(50)) evicting.push_back("cleanup");
  if (chance(30)) evicting.push_back("shuffle");
  std::string actions = "actions";
  if (reserves) actions += " elect";
  if (chance(60)) actions += " enqueue";
  if (reserves) actions += " reserve";
  // The shipped order, or any.
  if (chance(50)) {
    actions += " allocate backfill reclaim preempt";
    if (evicting.size() > 2) actions += " " + evicting[2];
  } else {
    evicting.push_back("allocate");
    evicting.push_back("backfill");
    shuffle(evicting, random_);
    for (const std::string& each : evicting) actions += " " + each;
  }
  SceneLine line(actions, "actions");
  BERTH_CHECK(read_actions(line, config).has_value());
  return config;
}

std::vector<ClusterEvent> RandomEvictions::queues() {
  std::vector<ClusterEvent> events;
  const std::int64_t tops = between(1, 3);
  const bool is_nested = chance(35) && may_nest_;
  const auto add = [&](const std::string& name, const std::string& parent) {
    QueueObject queue = mirror::bare_queue(name);
    queue.parent = parent;
    queue.weight = static_cast<std::int32_t>(between(1, 3));
    queue.priority = chance(20) ? 1 : 0;
    queue.reclaimable = chance(70);
    if (chance(30)) queue.guarantee["cpu"] = between(1, 4) * 1000;
    if (chance(10)) queue.guarantee["nvidia.com/gpu"] = 1;
    if (chance(20)) queue.deserved["cpu"] = between(1, 10) * 1000;
    if (chance(15)) queue.capability["cpu"] = between(4, 16) * 1000;
    events.emplace_back(queue);
  };
  for (std::int64_t q = 0; q < tops; ++q) {
    const std::string name = "q" + std::to_string(q);
    add(name, "");
    if (!is_nested || chance(30)) {
      leaves_.push_back(name);
      continue;
    }
    for (std::int64_t c = between(1, 2); c > 0; --c) {
      const std::string child = name + "-" + std::to_string(c);
      add(child, name);
      leaves_.push_back(child);
    }
  }
  return events;
}

std::vector<ClusterEvent> RandomEvictions::nodes() {
  std::vector<ClusterEvent> events;
  for (std::int64_t n = with_relations_ ? between(3, 6) : between(1, 5); n > 0; --n) {
    NodeObject node;
    node.name = "n" + std::to_string(n);
    node.uid = "node:" + node.name;
    node.unschedulable = chance(5);
    node.labels["zone"] = chance(50) ? "a" : "b";
    node.allocatable = {{"cpu", between(2, 10) * 1000},
                        {"memory", between(4, 16) * kGi},
                        {"pods", chance(20) ? between(2, 5) : 30}};
    if (with_relations_) {
      node.labels["host"] = node.name;
      if (chance(30)) node.labels["zone"] = "c";
    }
    if (chance(40)) node.allocatable["nvidia.com/gpu"] = between(1, 4);
    free_.push_back({node.name, node.allocatable});
    events.emplace_back(node);
  }
  return events;
}

PodObject RandomEvictions::pod() {
  PodObject pod;
  pod.name_space = "default";
  pod.scheduler_name = "berth";
  pod.request = {{"pods", 1}, {"cpu", between(1, 4) * 1000}};
  if (chance(10)) pod.request["cpu"] = between(1, 8) * 500;
  if (chance(40)) pod.request["memory"] = between(1, 4) * kGi;
  if (chance(20)) pod.request["nvidia.com/gpu"] = between(1, 2);
  if (chance(4)) pod.request = {{"pods", 1}};
  if (chance(10)) pod.constraints.node_selector["zone"] = "a";
  if (chance(5)) pod.constraints.host_ports.push_back({"0.0.0.0", "TCP", 80});
  if (chance(6)) pod.eviction.preemptable = false;
  if (chance(6)) pod.eviction.cooldown = std::chrono::seconds(between(1, 4));
  if (with_relations_ && chance(70)) relate(pod);
  return pod;
}

std::vector<ClusterEvent> RandomEvictions::volumes() {
  std::vector<ClusterEvent> events{StorageKnown{}};
  const auto add = [&](const std::string& text) {
    SceneLine line(text, "volumes");
    events.emplace_back(read_storage(line));
    BERTH_CHECK(line.unread().empty() && line.fault().empty());
  };
  add("storageclass local");
  add("csidriver d");
  for (int v = 0; v < 4; ++v) {
    const std::string number = std::to_string(v);
    const std::string where =
        chance(50) ? "zone:in:a" : "host:in:n" + std::to_string(between(1, 3));
    const std::string size = std::to_string(between(1, 3)) + "Gi";
    add("volume v" + number + " class=local size=" + size + " driver=d handle=h" + number +
        (chance(60) ? " affinity=" + where : ""));
    add("claim b" + number + " class=local size=1Gi" + (chance(30) ? " volume=v" + number : "") +
        (chance(20) ? " modes=pod" : ""));
  }
  for (int n = 1; n <= 5; ++n) {
    if (chance(30)) add("csinode n" + std::to_string(n) + " limits=d:" + (chance(50) ? "1" : "2"));
  }
  return events;
}

void RandomEvictions::relate(PodObject& pod) {
  const auto app = [&] { return std::string(chance(50) ? "app:x" : "app:y"); };
  const auto key = [&] { return std::string(chance(60) ? "@zone" : "@host"); };
  const std::string own = app();
  std::string text = "relations";
  const auto other = [&] { return chance(60) ? own : app(); };
  if (chance(35)) text += " near=" + other() + key();
  if (chance(15)) text += " apart=" + other() + key();
  if (chance(35)) text += " spread=" + other() + key() + (chance(70) ? "@1" : "@2");
  SceneLine line(text, "relations");
  pod.constraints.relations = read_relations(line, pod.name_space);
  BERTH_CHECK(line.unread().empty() && line.fault().empty());
  if (chance(80)) pod.labels = {{"app", own.substr(4)}};
  if (chance(12)) pod.volumes.claims.push_back({"b" + std::to_string(between(0, 3))});
}

bool RandomEvictions::settle_on_a_node(PodObject& pod) {
  const std::size_t first = below(random_, free_.size());
  for (std::size_t i = 0; i < free_.size(); ++i) {
    Free& node = free_[(first + i) % free_.size()];
    const bool fits = std::all_of(pod.request.begin(), pod.request.end(), [&](const auto& asked) {
      return node.room.contains(asked.first) && node.room.at(asked.first) >= asked.second;
    });
    const bool is_bound_to_some = !pod.constraints.node_selector.empty() ||
                                  !pod.constraints.host_ports.empty() ||
                                  !pod.volumes.claims.empty();
    if (!fits || is_bound_to_some) continue;
    for (const auto& [name, amount] : pod.request) node.room.at(name) -= amount;
    pod.node_name = node.name;
    pod.phase = PodPhase::running;
    pod.started = TimePoint(std::chrono::seconds(1'700'000'000));
    return true;
  }
  return false;
}

std::vector<ClusterEvent> RandomEvictions::job(bool runs) {
  std::vector<ClusterEvent> events;
  const std::string name = "j" + std::to_string(jobs_++);
  const std::int64_t priority = between(0, 2);
  const TimePoint created(std::chrono::seconds(1'700'000'000 + between(0, 5)));
  const bool is_single = chance(15);
  const std::int64_t size = is_single ? 1 : between(1, 6);
  PodGroupObject group;
  group.name_space = "default";
  group.name = name;
  group.uid = "group:" + name;
  group.created = created;
  group.scheduler = "berth";
  group.queue = leaves_[below(random_, leaves_.size())];
  group.priority_class = "p" + std::to_string(priority);
  group.min_member = static_cast<std::int32_t>(between(1, size));
  if (chance(5)) group.eviction.preemptable = chance(30);
  if (chance(10)) group.min_task_member["ps"] = 1;
  const PodObject alike = pod();
  const bool are_alike = chance(70);
  const bool never_preempts = chance(4);
  std::vector<PodObject> members;
  std::int32_t placed = 0;
  const std::int64_t wanted = chance(80) ? size : between(1, size);
  for (std::int64_t i = 0; i < size; ++i) {
    PodObject member = are_alike ? alike : pod();
    member.name = is_single ? name : name + "-" + std::to_string(i);
    member.uid = member.full_name();
    member.created = created;
    member.index = i;
    member.queue = is_single ? group.queue : "";
    member.priority_class = group.priority_class;
    if (chance(10)) member.priority_class = "p" + std::to_string(between(0, 2));
    if (chance(2)) member.priority_class = "system-cluster-critical";
    member.never_preempts = never_preempts;
    if (!is_single) member.group = name;
    if (group.min_task_member.contains("ps")) member.role = i == 0 || chance(20) ? "ps" : "worker";
    if (runs && placed < wanted && settle_on_a_node(member)) ++placed;
    members.push_back(std::move(member));
  }
  // A job that runs without its minimum has lost members.
  if (placed < group.min_member && chance(80)) group.min_member = std::max(1, placed);
  if (placed > 0) group.phase = GroupPhase::running;
  const auto cpu = alike.request.find("cpu");
  if (chance(60) && cpu != alike.request.end()) {
    group.min_resources = {{"cpu", group.min_member * cpu->second}};
  }
  if (!is_single) events.emplace_back(group);
  for (PodObject& member : members) {
    pods_.push_back(member.uid);
    events.emplace_back(std::move(member));
  }
  return events;
}

std::vector<ClusterEvent> RandomEvictions::opening() {
  std::vector<ClusterEvent> events;
  for (int value = 0; value < 3; ++value) {
    events.emplace_back(PriorityClassObject{"p" + std::to_string(value), value * 10, false, false});
  }
  events.emplace_back(PriorityClassObject{"system-cluster-critical", 2'000'000'000, false, false});
  for (ClusterEvent& each : queues()) events.push_back(std::move(each));
  for (ClusterEvent& each : nodes()) events.push_back(std::move(each));
  if (with_relations_) {
    for (ClusterEvent& each : volumes()) events.push_back(std::move(each));
  }
  for (std::int64_t running = between(1, 9); running > 0; --running) {
    for (ClusterEvent& each : job(true)) events.push_back(std::move(each));
  }
  for (std::int64_t waiting = between(1, 4); waiting > 0; --waiting) {
    for (ClusterEvent& each : job(false)) events.push_back(std::move(each));
  }
  return events;
}

void RandomEvictions::happen(World& world) {
  if (chance(30)) world.advance(std::chrono::minutes(6));
  for (std::int64_t times = between(0, 3); times > 0; --times) {
    if (chance(25)) {
      world.apply_all(job(false));
      continue;
    }
    const std::string uid = pods_[below(random_, pods_.size())];
    const PodObject* known = world.pod(uid);
    const TaskId task = world.task(uid);
    if (known == nullptr || !task.is_valid()) continue;
    if (world.cluster().task(task).is_evicted) {
      if (chance(50)) world.refuse_eviction(uid);
    } else if (world.is_planned(uid)) {
      if (chance(30)) world.drop(uid);
    } else if (known->phase == PodPhase::running && !known->terminating) {
      chance(50) ? world.finish(uid, chance(50)) : world.terminate(uid);
    }
  }
}

}  // namespace berth::support
