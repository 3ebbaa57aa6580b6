#include "synthetic.h"

#include <unistd.h>

#include <fstream>

namespace berth::bench {

namespace {

std::string numbered(const char* prefix, std::size_t number) {
  std::string digits = std::to_string(number);
  return prefix + std::string(7 - std::min<std::size_t>(7, digits.size()), '0') + digits;
}

NodeObject make_node(std::size_t number, const Load& load) {
  NodeObject node;
  node.name = numbered("n", number);
  node.uid = "node:" + node.name;
  const std::size_t zone = load.zones_in_a_row ? 3 * number / load.nodes : number % 3;
  node.labels = {{"kubernetes.io/hostname", node.name},
                 {"topology.kubernetes.io/zone", "z" + std::to_string(zone)}};
  if (!load.together.empty()) {
    node.labels["rack"] = numbered("r", number / 32);
    node.labels["block"] = numbered("b", number / 512);
  }
  node.allocatable = {{"cpu", 64'000}, {"memory", 256 * kGi}, {"pods", 250}};
  if (load.gpus > 0) node.allocatable["nvidia.com/gpu"] = load.gpus;
  return node;
}

PodObject make_pod(const std::string& group, std::size_t number, std::size_t shape) {
  PodObject pod;
  pod.name_space = "bench";
  pod.group = group;
  pod.name = group + "-" + std::to_string(number);
  pod.uid = "pod:" + pod.name;
  pod.index = static_cast<std::int64_t>(number);
  pod.scheduler_name = "berth";
  const auto step = static_cast<std::int64_t>(shape);
  pod.request = {{"cpu", 500 + 10 * step}, {"memory", kGi + step * (kGi / 64)}, {"pods", 1}};
  return pod;
}

PodTerm gang_near(const PodObject& pod, const std::string& group, const char* topology_key) {
  PodTerm term;
  term.pods.all = {{"job", Operator::in, {group}}};
  term.namespaces = {pod.name_space};
  term.topology_key = topology_key;
  return term;
}

void relate(PodObject& pod, const std::string& group, Related related) {
  if (related == Related::no) return;
  constexpr auto kHost = "kubernetes.io/hostname";
  constexpr auto kZone = "topology.kubernetes.io/zone";
  pod.labels = {{"app", "bench"}, {"index", std::to_string(pod.index)}, {"job", group}};
  Relations& relations = pod.constraints.relations;
  relations.name_space = pod.name_space;
  if (related == Related::one_zone) relations.affinity = {gang_near(pod, group, kZone)};
  if (related == Related::one_a_node || related == Related::apart_and_spread) {
    relations.anti_affinity = {gang_near(pod, group, kHost)};
  }
  if (related == Related::over_zones || related == Related::apart_and_spread) {
    SpreadConstraint spread;
    spread.pods = gang_near(pod, group, kZone).pods;
    spread.topology_key = kZone;
    relations.spread = {spread};
  }
}

void add_gangs(mirror::Mirror& mirror, const Load& load, const char* prefix, std::size_t pods,
               bool running) {
  std::mt19937_64 random(load.seed);
  for (std::size_t gang = 0; pods > 0; ++gang) {
    const std::size_t size = std::min<std::size_t>(pods, 16 + random() % 497);
    const std::size_t shape = random() % load.shapes;
    PodGroupObject group;
    group.scheduler = "berth";
    group.name_space = "bench";
    group.name = numbered(prefix, gang);
    group.uid = "group:" + group.name;
    if (load.queues > 0) group.queue = numbered("q", gang % load.queues);
    group.min_member = static_cast<std::int32_t>(size);
    if (!load.together.empty()) {
      group.topology.rules = {{.written = "bench", .required = {.name = load.together}}};
    }
    mirror.apply(group);
    for (std::size_t member = 0; member < size; ++member) {
      PodObject pod = make_pod(group.name, member, shape);
      if (load.gpus > 0 && shape % 8 != 0) {
        pod.request["nvidia.com/gpu"] = std::int64_t{1} << (shape % 3);
      }
      relate(pod, group.name, load.related);
      if (running) {
        pod.node_name = numbered("n", (pods - member) % load.nodes);
        pod.phase = PodPhase::running;
      }
      mirror.apply(pod);
    }
    pods -= size;
  }
}

}  // namespace

void fill(mirror::Mirror& mirror, const Load& load) {
  if (!load.together.empty()) {
    mirror.apply(
        TopologyObject{LevelsObject{TopologyKind::kueue, "bench", {{"block"}, {"rack"}}, {}}});
  }
  for (std::size_t n = 0; n < load.nodes; ++n) mirror.apply(make_node(n, load));
  for (std::size_t q = 0; q < load.queues; ++q) mirror.apply(mirror::bare_queue(numbered("q", q)));
  add_gangs(mirror, load, "run", load.running_pods, true);
  add_gangs(mirror, load, "gang", load.pending_pods, false);
  mirror.settle(TimePoint());
}

double resident_mib() {
  std::ifstream statm("/proc/self/statm");
  double total = 0;
  double resident = 0;
  statm >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

engine::SessionConfig default_config() {
  engine::SessionConfig config;
  for (const char* action : {"enqueue", "allocate", "backfill"}) {
    config.actions.push_back({action, ""});
  }
  const auto tier = [](std::initializer_list<const char*> names) {
    engine::Tier plugins;
    for (const char* name : names) plugins.push_back({{name, ""}, {}, {}});
    return plugins;
  };
  config.tiers.push_back(tier({"priority", "gang", "conformance"}));
  config.tiers.push_back(tier({"overcommit", "predicates", "nodeorder"}));
  return config;
}

engine::SessionConfig config_with_queues() {
  engine::SessionConfig config = default_config();
  for (const char* name : {"drf", "proportion"}) config.tiers[1].push_back({{name, ""}, {}, {}});
  return config;
}

}  // namespace berth::bench
