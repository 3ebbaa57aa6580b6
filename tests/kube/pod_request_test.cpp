#include "kube/pod_request.h"

#include <gtest/gtest.h>

#include <string>

#include "document/readers.h"
#include "kube/codecs.h"

namespace berth::kube {
namespace {

NamedAmounts request_of(const std::string& spec, const std::string& status) {
  const std::string text = "metadata: {name: p}\nspec: " + spec + "\nstatus: " + status + "\n";
  const auto value = document::parse_yaml(text, "pod.yaml");
  EXPECT_TRUE(value.has_value()) << value.error().to_string();
  const auto pod = decode_pod(*value, "pod.yaml");
  EXPECT_TRUE(pod.has_value()) << pod.error().to_string();
  return pod ? pod->request : NamedAmounts{};
}

std::string with_cpu(const std::string& amount) {
  return "{containers: [{name: c, resources: {requests: {cpu: " + amount +
         "}}}, {name: d, resources: {requests: {cpu: 1}}}]}";
}

std::string status_with(const std::string& amounts, const std::string& more = "") {
  return "{containerStatuses: [{name: c, " + amounts + "}]" + more + "}";
}

// Issue 9, row 12: what a container has counts while it is resized.
TEST(PodRequestTest, IsTheLargerOfWhatIsAskedForAndWhatIsGranted) {
  const std::string six = "allocatedResources: {cpu: 6}, resources: {}";
  EXPECT_EQ(request_of(with_cpu("1"), status_with(six)).at("cpu"), 7000);
  EXPECT_EQ(request_of(with_cpu("9"), status_with(six)).at("cpu"), 10000);
  EXPECT_EQ(request_of(with_cpu("1"), status_with("resources: {requests: {cpu: 4}}")).at("cpu"),
            5000);
  EXPECT_EQ(request_of(with_cpu("1"),
                       status_with("allocatedResources: {cpu: 6}, resources: {requests: {cpu: 8}}"))
                .at("cpu"),
            9000);
  EXPECT_EQ(request_of(with_cpu("1"), status_with("allocatedResources: {cpu: 6}")).at("cpu"), 7000)
      << "an allocation counts by itself, as in kube-scheduler since 1.37";
  EXPECT_EQ(request_of(with_cpu("1"), "{containerStatuses: [{name: c}]}").at("cpu"), 2000);
}

TEST(PodRequestTest, IsWhatIsGrantedAloneIfTheNodeCanNeverGrantMore) {
  const std::string two = "allocatedResources: {cpu: 2}, resources: {}";
  EXPECT_EQ(request_of(with_cpu("9"), status_with(two, ", resize: Infeasible")).at("cpu"), 2000)
      << "the other container has no status";
  const auto pending = [&](const std::string& reason) {
    const std::string condition =
        ", conditions: [{type: PodResizePending, status: 'True', reason: " + reason + "}]";
    return request_of(with_cpu("9"), status_with(two, condition)).at("cpu");
  };
  EXPECT_EQ(pending("Infeasible"), 2000);
  EXPECT_EQ(pending("Deferred"), 10000);
}

TEST(PodRequestTest, InitContainersAreResizedToo) {
  const auto with_init = [](const std::string& policy) {
    return request_of(
               "{initContainers: [{name: i" + policy +
                   ", resources: {requests: {cpu: 1}}}], containers: [{name: c, resources: "
                   "{requests: {cpu: 2}}}]}",
               "{initContainerStatuses: [{name: i, allocatedResources: {cpu: 5}, resources: {}}]}")
        .at("cpu");
  };
  EXPECT_EQ(with_init(", restartPolicy: Always"), 7000);
  EXPECT_EQ(with_init(""), 5000) << "it starts with so much";
}

std::string with_pod_level(const std::string& resources) {
  return "{resources: " + resources +
         ", containers: [{name: c, resources: {requests: {cpu: 1, "
         "memory: 1Gi, hugepages-2Mi: 2Mi, example.com/gpu: 1}}}]}";
}

TEST(PodRequestTest, PodLevelResourcesReplaceTheSumOfCpuMemoryAndHugePages) {
  const NamedAmounts request =
      request_of(with_pod_level("{requests: {cpu: 3, example.com/gpu: 4}, limits: {memory: 8Gi, "
                                "hugepages-2Mi: 4Mi}}"),
                 "{}");
  EXPECT_EQ(request.at("cpu"), 3000);
  EXPECT_EQ(request.at("memory"), std::int64_t{1} << 30) << "containers ask for it";
  EXPECT_EQ(request.at("hugepages-2Mi"), 4 << 20) << "a limit is a request";
  EXPECT_EQ(request.at("example.com/gpu"), 1) << "it is the containers'";
}

TEST(PodRequestTest, PodLevelResourcesAreResized) {
  const auto cpu = [](const std::string& status) {
    const NamedAmounts request = request_of(with_pod_level("{requests: {cpu: 3}}"), status);
    return request.contains("cpu") ? request.at("cpu") : 0;
  };
  const std::string five = "resources: {requests: {cpu: 4}}, allocatedResources: {cpu: 5}";
  EXPECT_EQ(cpu("{" + five + "}"), 5000);
  EXPECT_EQ(cpu("{resources: {requests: {cpu: 2}}}"), 3000);
  EXPECT_EQ(cpu("{allocatedResources: {cpu: 5}}"), 3000);
  const std::string infeasible = "conditions: [{type: PodResizePending, reason: Infeasible}]";
  EXPECT_EQ(cpu("{resources: {requests: {cpu: 2}}, " + infeasible + "}"), 2000);
  EXPECT_EQ(cpu("{resources: {requests: {memory: 1}}, " + infeasible + "}"), 0);
}

}  // namespace
}  // namespace berth::kube
