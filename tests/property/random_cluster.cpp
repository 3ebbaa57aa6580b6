#include "property/random_cluster.h"

#include <algorithm>
#include <iterator>

namespace berth::support {

namespace {

const char* const kTiers[] = {
    "tiers priority gang conformance / overcommit predicates nodeorder",
    "tiers gang priority / predicates nodeorder binpack(binpack.weight=3)",
    "tiers priority gang / overcommit(overcommit-factor=1) predicates binpack",
    "tiers example gang / predicates nodeorder(mostrequested.weight=2,leastrequested.weight=0)",
    "tiers priority / predicates nodeorder",
    "tiers priority gang / overcommit predicates proportion nodeorder",
    "tiers sla(sla-waiting-time=3s) / gang drf / overcommit(overcommit-factor=1) predicates",
    "tiers gang / drf(hierarchy=true) overcommit predicates nodeorder",
    "tiers priority gang / predicates proportion(lend=true) nodeorder",
    "tiers priority gang reservation(nodes=2,timeout=3s) / overcommit predicates nodeorder",
    "tiers priority gang reservation(lock=cluster,max-locked-nodes=0.5) / predicates proportion",
    "tiers priority reservation(lock=single-node,give-up=2s,retry-after=1s) / predicates nodeorder",
    "tiers gang / reservation(lock=closest-fit,targets=2) overcommit predicates proportion",
    "tiers priority gang conformance / predicates proportion(guarantee=hard) nodeorder",
    "tiers priority gang / predicates proportion node_reservation(relock-period=1s) nodeorder",
    "tiers priority gang / predicates node_reservation(relock-period=2s,max-new-locks=1) nodeorder",
    "tiers priority gang reservation / predicates proportion node_reservation(relock-period=1s)",
};

}  // namespace

engine::SessionConfig RandomStory::config() {
  engine::SessionConfig config = default_session_config();
  SceneLine tiers(kTiers[below(random_, std::size(kTiers))], "tiers");
  BERTH_CHECK(read_tiers(tiers, config).has_value());
  std::string actions = chance(25)   ? "actions allocate backfill"
                        : chance(25) ? "actions shuffle enqueue allocate backfill"
                                     : "";
  const bool reserves = std::any_of(config.tiers.begin(), config.tiers.end(), [](const auto& tier) {
    return std::any_of(tier.begin(), tier.end(),
                       [](const auto& each) { return each.plugin.name == "reservation"; });
  });
  if (reserves) {
    actions = chance(70) ? "actions elect enqueue reserve allocate backfill"
                         : "actions enqueue elect allocate backfill reserve";
  }
  if (!actions.empty()) {
    SceneLine line(actions, "actions");
    BERTH_CHECK(read_actions(line, config).has_value());
  }
  return config;
}

// Rarely a parent: what hangs below another queue, or nowhere, leaves that one without jobs.
void RandomStory::configure(QueueObject& queue) {
  queue.weight = static_cast<std::int32_t>(between(1, 3));
  queue.priority = chance(20) ? 1 : 0;
  if (chance(30)) queue.guarantee["cpu"] = between(1, 8) * 500;
  queue.guarantees_hard = chance(15);
  if (chance(20)) queue.guarantee["memory"] = between(1, 4) << 29;
  if (chance(25)) queue.capability["cpu"] = between(2, 20) * 500;
  if (chance(10)) queue.parent = "q" + std::to_string(below(random_, 5));
}

QueueObject RandomStory::another_queue() {
  QueueObject queue = mirror::bare_queue("q" + std::to_string(below(random_, 4)));
  configure(queue);
  return queue;
}

NodeObject RandomStory::node(std::size_t number) {
  NodeObject node;
  node.name = "n" + std::to_string(number);
  node.uid = "node:" + node.name;
  node.labels["zone"] = chance(50) ? "a" : "b";
  if (with_relations_ && chance(90)) node.labels["host"] = node.name;
  if (with_topology_ && chance(90)) node.labels["rack"] = "r" + std::to_string(below(random_, 3));
  if (with_relations_ && chance(40)) node.images = {{"train:v1", between(1, 9) << 27}};
  if (chance(20)) node.taints.push_back({"team", "red", TaintEffect::no_schedule});
  if (chance(20)) node.taints.push_back({"spot", "", TaintEffect::prefer_no_schedule});
  node.unschedulable = chance(8);
  node.allocatable = {
      {"cpu", between(1, 8) * 1000}, {"memory", between(1, 8) << 30}, {"pods", between(2, 12)}};
  if (chance(30)) node.allocatable["nvidia.com/gpu"] = between(1, 4);
  return node;
}

PodObject RandomStory::pod(const std::string& name) {
  PodObject pod;
  pod.name_space = "default";
  pod.name = name;
  pod.uid = pod.full_name();
  pod.created = TimePoint(std::chrono::seconds(between(0, 3)));
  pod.scheduler_name = "berth";
  pod.request = {{"pods", 1}};
  if (chance(90)) {
    pod.request["cpu"] = between(1, 6) * 500;
    pod.request["memory"] = between(1, 4) << 29;
  }
  if (chance(15)) pod.request["nvidia.com/gpu"] = between(1, 2);
  if (chance(15)) pod.constraints.node_selector["zone"] = chance(50) ? "a" : "b";
  if (chance(25)) pod.constraints.tolerations.push_back({"team", true, "", TaintEffect::any});
  if (chance(8)) {
    pod.constraints.tolerations.push_back(
        {"node.kubernetes.io/unschedulable", true, "", TaintEffect::any});
  }
  if (chance(8)) pod.constraints.host_ports.push_back({"0.0.0.0", "TCP", 80});
  if (chance(15)) {
    PreferredTerm preferred;
    preferred.weight = static_cast<std::int32_t>(between(1, 100));
    preferred.term.labels.push_back({"zone", Operator::in, {"a"}});
    pod.constraints.preferred_terms.push_back(preferred);
  }
  if (chance(10)) pod.gates.push_back("example.com/wait");
  if (chance(30)) pod.priority = static_cast<std::int32_t>(between(0, 2));
  if (with_relations_) relate(pod);
  return pod;
}

TopologyWish RandomStory::wish() {
  const char* const kLevels[] = {"zone", "rack", "row"};  // the last is none
  TopologyWish wish;
  for (std::int64_t rules = between(1, 2); rules > 0; --rules) {
    NearRule rule{.written = "rule"};
    rule.pods.say_so = chance(20);
    (chance(60) ? rule.required : rule.preferred).name = kLevels[below(random_, 3)];
    if (chance(30)) rule.part_size = static_cast<std::int32_t>(between(2, 3));
    wish.rules.push_back(std::move(rule));
  }
  tidy_up(wish);
  return wish;
}

PodTerm RandomStory::pod_term() {
  PodTerm term;
  const std::string app = chance(50) ? "x" : "y";
  switch (below(random_, 5)) {
    case 0:
      term.pods.all.push_back({"app", Operator::not_in, {app}});
      break;
    case 1:
      term.pods.all.push_back({"app", Operator::exists, {}});
      break;
    default:
      term.pods.all.push_back({"app", Operator::in, {app}});
  }
  if (chance(80)) term.namespaces = {"default"};
  term.selects_namespaces = term.namespaces.empty();
  term.topology_key = chance(50) ? "host" : "zone";
  return term;
}

SpreadConstraint RandomStory::spread() {
  SpreadConstraint spread;
  PodTerm term = pod_term();
  spread.pods = std::move(term.pods);
  spread.topology_key = std::move(term.topology_key);
  if (chance(5)) {
    spread.pods = {};
    spread.is_empty = true;
  }
  spread.max_skew = static_cast<std::int32_t>(between(1, 2));
  if (chance(20)) spread.min_domains = static_cast<std::int32_t>(between(2, 3));
  if (chance(30)) spread.affinity = NodePolicy::ignore;
  if (chance(30)) spread.taints = NodePolicy::honor;
  return spread;
}

void RandomStory::relate(PodObject& pod) {
  if (chance(70)) pod.labels = {{"app", chance(50) ? "x" : "y"}};
  Relations& relations = pod.constraints.relations;
  if (chance(15)) relations.anti_affinity.push_back(pod_term());
  if (chance(5)) relations.anti_affinity.push_back(pod_term());
  if (chance(15)) relations.affinity.push_back(pod_term());
  if (chance(3)) relations.affinity.push_back(pod_term());
  if (chance(15)) relations.spread.push_back(spread());
  if (chance(5)) relations.spread.push_back(spread());
  prefer(pod);
  if (!relations.are_empty()) relations.name_space = pod.name_space;
}

void RandomStory::prefer(PodObject& pod) {
  Relations& relations = pod.constraints.relations;
  if (chance(15)) {
    const auto weight = static_cast<std::int32_t>(between(1, 100));
    relations.preferred.push_back({chance(50) ? weight : -weight, pod_term()});
  }
  if (chance(10)) {
    relations.preferred_spread.push_back(spread());
    relations.preferred_spread.back().min_domains = 1;
  }
  if (chance(20)) pod.constraints.images = {"train:v1"};
}

std::vector<ClusterEvent> RandomStory::job() {
  std::vector<ClusterEvent> events;
  const bool is_others = jobs_ % 6 == 5;  // of a scheduler beside us
  const bool is_annotated = jobs_ % 12 != 5;
  const std::string name = "j" + std::to_string(jobs_++);
  const std::int64_t size = between(1, 7);
  PodGroupObject group;
  group.name_space = "default";
  group.name = name;
  group.uid = "group:" + name;
  group.created = TimePoint(std::chrono::seconds(between(0, 3)));
  if (is_annotated) group.scheduler = is_others ? "volcano" : "berth";
  group.queue = chance(20) ? "" : "q" + std::to_string(below(random_, 4));
  group.min_member = static_cast<std::int32_t>(between(1, chance(10) ? size + 1 : size));
  if (chance(15)) group.min_task_member["ps"] = 1;
  group.marks.is_named = chance(5);
  if (chance(60)) group.min_resources = {{"cpu", group.min_member * 1000}};
  const bool is_near = with_topology_ && chance(60);
  if (is_near) group.topology = wish();
  if (chance(95)) events.emplace_back(group);
  groups_.push_back(group.full_name());
  const PodObject alike = pod("alike");
  const bool are_alike = chance(60);
  for (std::int64_t i = 0; i < size; ++i) {
    PodObject member = are_alike ? alike : pod("other");
    member.group = name;
    member.name = name + "-" + std::to_string(i);
    member.uid = member.full_name();
    member.index = i;
    if (is_others) member.scheduler_name = "volcano";
    if (chance(20)) member.role = chance(50) ? "ps" : "worker";
    if (is_near && chance(60)) member.topology = group.topology;
    all_pods_.push_back(member.uid);
    events.emplace_back(std::move(member));
  }
  return events;
}

std::vector<ClusterEvent> RandomStory::opening() {
  std::vector<ClusterEvent> events;
  if (with_topology_) {
    events.emplace_back(
        TopologyObject{LevelsObject{TopologyKind::kueue, "t", {{"zone"}, {"rack"}}, {}}});
  }
  for (int q = 0; q < 3; ++q) {
    QueueObject queue = mirror::bare_queue("q" + std::to_string(q));
    queue.created = TimePoint(std::chrono::seconds(between(0, 1)));
    if (chance(10)) queue.state = QueueState::closed;
    configure(queue);
    events.emplace_back(queue);
  }
  for (const std::int64_t most = between(1, 8); nodes_ < static_cast<std::size_t>(most);) {
    events.emplace_back(node(nodes_++));
  }
  for (std::int64_t j = between(1, 6); j > 0; --j) {
    for (ClusterEvent& event : job()) events.push_back(std::move(event));
  }
  for (std::int64_t p = between(0, 4); p > 0; --p) {
    PodObject single = pod("p" + std::to_string(pods_++));
    if (chance(50)) {
      single.scheduler_name = "default-scheduler";
      single.node_name = "n" + std::to_string(below(random_, nodes_ + 1));
      single.phase = PodPhase::running;
      single.terminating = chance(40);
    }
    all_pods_.push_back(single.uid);
    events.emplace_back(std::move(single));
  }
  return events;
}

void RandomStory::happen(World& world) {
  for (std::int64_t times = between(1, 5); times > 0; --times) something(world);
  world.advance(std::chrono::seconds(1));
}

void RandomStory::something(World& world) {
  const std::string uid = all_pods_[below(random_, all_pods_.size())];
  const PodObject* known = world.pod(uid);
  const auto any_node = [&] { return below(random_, nodes_); };
  switch (below(random_, 10)) {
    case 0:
      return world.apply(node(nodes_++));
    case 1:
      return world.apply(node(any_node()));
    case 2:
      return world.apply(NodeDeleted{"n" + std::to_string(any_node())});
    case 3:
      return world.apply_all(job());
    case 4:
      return world.apply(PodGroupDeleted{groups_[below(random_, groups_.size())]});
    case 5:
      return chance(30) ? world.apply(QueueDeleted{"q1"}) : world.apply(another_queue());
    default:
      break;
  }
  if (known == nullptr) return;
  if (chance(30)) return world.remove(uid);
  if (world.is_planned(uid)) return world.drop(uid);
  const TaskId task = world.task(uid);
  if (task.is_valid() && world.cluster().task(task).is_evicted && chance(30)) {
    return world.refuse_eviction(uid);
  }
  if (known->phase == PodPhase::running && !known->terminating && chance(25)) {
    return world.terminate(uid);  // and stays for as long as it likes
  }
  if (known->phase == PodPhase::running) return world.finish(uid, chance(80));
  PodObject changed = *known;
  changed.gates.clear();
  if (chance(30)) changed.request["cpu"] = between(1, 6) * 500;
  world.apply(changed);
}

}  // namespace berth::support
