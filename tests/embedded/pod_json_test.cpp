#include "embedded/pod_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "embedded/fixture.h"
#include "kube/manifests.h"

namespace berth::embedded {
namespace {

using nlohmann::json;

PodObject full_pod() {
  PodObject pod = make_pod("p-3");
  pod.created = test_start();
  pod.labels = {{"app", "web"}, {"tier", "front"}};
  pod.group = "train";
  pod.role = "worker";
  pod.queue = "research";
  pod.index = 3;
  pod.priority = -5;
  pod.priority_class = "low";
  pod.phase = PodPhase::running;
  pod.eviction = {false, std::chrono::minutes(10)};
  pod.never_preempts = true;
  pod.node_name = "n1";
  pod.nominated_node = "n2";
  pod.request = {
      {"cpu", 1'500}, {"memory", std::int64_t{3} << 30}, {"nvidia.com/gpu", 2}, {"pods", 1}};
  pod.constraints.node_selector = {{"zone", "a"}};
  pod.constraints.has_required_terms = true;
  pod.constraints.required_terms = {
      {{{"cores", Operator::greater, {"8"}}}, {{"metadata.name", Operator::in, {"n1"}}}}};
  pod.constraints.preferred_terms = {{7, {{{"disk", Operator::exists, {}}}, {}}}};
  pod.constraints.tolerations = {{"gpu", true, "", TaintEffect::no_schedule},
                                 {"team", false, "red", TaintEffect::any}};
  pod.constraints.host_ports = {{"0.0.0.0", "TCP", 80}, {"10.0.0.1", "UDP", 53}};
  const PodSelector same{{{"app", Operator::in, {"web"}}, {"tier", Operator::exists, {}}}};
  Relations& relations = pod.constraints.relations;
  relations.name_space = pod.name_space;
  relations.affinity = {{same, {pod.name_space}, false, {}, "zone"}};
  relations.anti_affinity = {
      {{{}, true}, {"a", "b"}, true, {{"team", Operator::not_in, {"red"}}}, "host"}};
  relations.preferred = {{-3, {same, {"b"}, false, {}, "host"}}, {4, {{}, {}, true, {}, "zone"}}};
  relations.spread = {{same, false, "zone", 2, 3, NodePolicy::ignore, NodePolicy::honor}};
  relations.preferred_spread = {{{}, true, "host"}, {{{}, true}, false, "zone"}};
  pod.run_time = std::chrono::seconds(90);
  pod.times = {std::chrono::seconds(7200), std::chrono::minutes(90), std::chrono::seconds(5)};
  pod.started = test_start() + std::chrono::seconds(5);
  pod.scheduled = test_start() + std::chrono::seconds(4);
  pod.marks.is_named = true;
  pod.marks.first_seen = test_start() + std::chrono::milliseconds(1);
  pod.marks.elected_at = test_start() + std::chrono::seconds(7);
  pod.marks.why = "longest wait";
  pod.marks.given_up_at = test_start();
  pod.owner = {"batch/v1", "Job", "train", "job-1"};
  pod.own_queue = pod.queue;
  pod.runs_forever = true;
  pod.lock_tolerations.some = {"job.u-1", "job.u-2", "queue.q"};
  return pod;
}

Result<PodObject> decoded(const PodObject& pod) {
  json document = json::parse(pod_json(pod));
  document["apiVersion"] = "v1";
  document["kind"] = "Pod";
  const auto manifests = kube::parse_manifests(document.dump(), "pod.json");
  if (!manifests) return manifests.error();
  return std::get<PodObject>(manifests->events.at(0));
}

TEST(PodJsonTest, DecodingGivesThePodBack) {
  const auto full = decoded(full_pod());
  ASSERT_TRUE(full) << full.error().to_string();
  EXPECT_EQ(*full, full_pod()) << pod_json(*full) << "\n" << pod_json(full_pod());

  PodObject gated = make_pod("gated");
  gated.created = test_start();
  gated.gates = {"berth.dev/plan", "example.com/quota"};
  const auto again = decoded(gated);
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_EQ(*again, gated);
}

TEST(PodJsonTest, LooksLikeAnInformersPod) {
  const json pod = json::parse(pod_json(full_pod()));
  EXPECT_FALSE(pod.contains("kind"));
  EXPECT_FALSE(pod.contains("apiVersion"));
  EXPECT_EQ(pod["metadata"]["annotations"]["scheduling.k8s.io/group-name"], "train");
  EXPECT_EQ(pod["spec"]["containers"][0]["resources"]["requests"]["memory"], "3Gi");
  EXPECT_FALSE(pod["spec"]["containers"][0]["resources"]["requests"].contains("pods"));
  EXPECT_EQ(pod["status"]["nominatedNodeName"], "n2");
}

TEST(PodJsonTest, BytesThatAreNotTextDoNotStopIt) {
  PodObject pod = make_pod("p\xff");
  EXPECT_TRUE(json::accept(pod_json(pod)));
}

}  // namespace
}  // namespace berth::embedded
