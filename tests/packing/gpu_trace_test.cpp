#include "packing/gpu_trace.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "engine/scheduler.h"
#include "mirror/mirror.h"
#include "streams/job_streams.h"
#include "support/seeds.h"

// GPUs in use on Alibaba's cluster when pods ask for 120 % of them, in one session of the shipped
// configuration, beside policies written small. BERTH_LAWS=<n> draws so many times.

namespace berth::support {
namespace {

const char* const kGpu = "nvidia.com/gpu";

void add_nodes(mirror::Mirror& mirror, const std::vector<TraceNode>& nodes) {
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    NodeObject object;
    object.name = "n" + std::to_string(10'000 + n);
    object.uid = object.name;
    object.labels = {{"model", nodes[n].model}};
    object.allocatable = {
        {"cpu", nodes[n].cpu}, {"memory", nodes[n].memory << 20}, {"pods", 1'000}};
    if (nodes[n].gpus > 0) object.allocatable[kGpu] = nodes[n].gpus;
    mirror.apply(object);
  }
}

PodObject pod_of(const TraceKind& kind, const std::string& name) {
  PodObject pod;
  pod.name_space = "trace";
  pod.name = pod.uid = name;
  pod.scheduler_name = "berth";
  pod.priority = 0;
  pod.request = {{"cpu", kind.cpu}, {"memory", kind.memory << 20}, {"pods", 1}};
  if (kind.gpus == 0) return pod;
  pod.request[kGpu] = kind.gpus;
  if (kind.models.empty()) return pod;
  pod.constraints.has_required_terms = true;
  pod.constraints.required_terms = {{{{"model", Operator::in, kind.models}}, {}}};
  return pod;
}

void add_jobs(mirror::Mirror& mirror, const std::vector<TraceKind>& kinds,
              const std::vector<TraceJob>& jobs) {
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const TimePoint created{std::chrono::milliseconds(j)};
    const std::string name = "j" + std::to_string(j);
    if (jobs[j].pods > 1) {
      PodGroupObject group;
      group.scheduler = "berth";
      group.name_space = "trace";
      group.name = group.uid = name;
      group.min_member = jobs[j].pods;
      group.created = created;
      mirror.apply(group);
    }
    for (int i = 0; i < jobs[j].pods; ++i) {
      PodObject pod = pod_of(kinds[jobs[j].kind], name + "-" + std::to_string(i));
      if (jobs[j].pods > 1) pod.group = name;
      pod.created = created;
      mirror.apply(pod);
    }
  }
}

double percent(std::int64_t some, std::int64_t whole) {
  return 100.0 * static_cast<double>(some) / static_cast<double>(whole);
}

double gpus_in_use(const std::vector<TraceNode>& nodes, const std::vector<TraceKind>& kinds,
                   const std::vector<TraceJob>& jobs) {
  const conf::Config config = shipped_config();
  Result<engine::Scheduler> scheduler = engine::Scheduler::create(config.session);
  mirror::Mirror mirror;
  QueueObject queue = mirror::bare_queue("default");
  mirror.apply(queue);
  add_nodes(mirror, nodes);
  add_jobs(mirror, kinds, jobs);
  const TimePoint now{std::chrono::milliseconds(jobs.size())};
  mirror.settle(now);
  Cluster& cluster = mirror.cluster_for_session();
  const Plan plan = scheduler->run(cluster, now);
  const Dimension gpu = cluster.dimensions().find(kGpu);
  std::int64_t used = 0;
  for (const Placement& each : plan.binds) used += cluster.shape_of(each.task).request[gpu];
  return percent(used, gpus_of(nodes));
}

void check(const std::string& list, bool gangs, double at_least) {
  const std::vector<TraceNode> nodes = trace_nodes();
  const std::vector<TraceKind> kinds = trace_kinds(list);
  const std::int64_t gpus = gpus_of(nodes);
  ASSERT_EQ(nodes.size(), 1'523u);
  ASSERT_EQ(gpus, 6'212);
  double berth = 0;
  double others[4] = {};
  const std::vector<std::uint64_t> all = seeds(1);
  for (const std::uint64_t seed : all) {
    const std::vector<TraceJob> jobs = draw(kinds, seed, gpus, gangs);
    berth += gpus_in_use(nodes, kinds, jobs);
    for (int p = 0; p < 4; ++p) {
      others[p] += percent(place_by(static_cast<Policy>(p), nodes, kinds, jobs), gpus);
    }
  }
  const auto times = static_cast<double>(all.size());
  std::printf(
      "%s%s: Berth %.2f %%; best fit %.2f, dot product %.2f, packing %.2f, "
      "fragmentation gradient descent %.2f\n",
      list.c_str(), gangs ? ", gangs" : "", berth / times, others[0] / times, others[1] / times,
      others[2] / times, others[3] / times);
  EXPECT_GE(berth / times, at_least);
}

TEST(GpuTrace, Default) { check("default", false, 99.5); }
TEST(GpuTrace, DefaultWithGangs) { check("default", true, 99.5); }
TEST(GpuTrace, ManyGpusAPod) { check("multigpu50", false, 99.5); }
TEST(GpuTrace, ManyGpusAPodWithGangs) { check("multigpu50", true, 99.5); }
TEST(GpuTrace, MoreCpuOnlyPods) { check("cpu250", false, 99.5); }
TEST(GpuTrace, ModelsOfGpus) { check("gpuspec33", false, 99.5); }

}  // namespace
}  // namespace berth::support
