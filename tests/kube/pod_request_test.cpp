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
  const std::string six = "allocatedResources: {cpu: 6}";
  EXPECT_EQ(request_of(with_cpu("1"), status_with(six)).at("cpu"), 7000);
  EXPECT_EQ(request_of(with_cpu("9"), status_with(six)).at("cpu"), 10000);
  EXPECT_EQ(request_of(with_cpu("1"), status_with("resources: {requests: {cpu: 4}}")).at("cpu"),
            5000);
  EXPECT_EQ(
      request_of(with_cpu("1"), status_with(six + ", resources: {requests: {cpu: 8}}")).at("cpu"),
      9000);
  EXPECT_EQ(request_of(with_cpu("1"), "{containerStatuses: [{name: c}]}").at("cpu"), 2000);
}

TEST(PodRequestTest, IsWhatIsGrantedAloneIfTheNodeCanNeverGrantMore) {
  const std::string two = "allocatedResources: {cpu: 2}";
  EXPECT_EQ(request_of(with_cpu("9"), status_with(two, ", resize: Infeasible")).at("cpu"), 3000);
  const auto pending = [&](const std::string& reason) {
    const std::string condition =
        ", conditions: [{type: PodResizePending, status: 'True', reason: " + reason + "}]";
    return request_of(with_cpu("9"), status_with(two, condition)).at("cpu");
  };
  EXPECT_EQ(pending("Infeasible"), 3000);
  EXPECT_EQ(pending("Deferred"), 10000);
}

TEST(PodRequestTest, OfInitContainersOnlySidecarsAreResized) {
  const auto with_init = [](const std::string& policy) {
    return request_of("{initContainers: [{name: i" + policy +
                          ", resources: {requests: {cpu: 1}}}], containers: [{name: c, resources: "
                          "{requests: {cpu: 2}}}]}",
                      "{initContainerStatuses: [{name: i, allocatedResources: {cpu: 5}}]}")
        .at("cpu");
  };
  EXPECT_EQ(with_init(", restartPolicy: Always"), 7000);
  EXPECT_EQ(with_init(""), 2000);
}

}  // namespace
}  // namespace berth::kube
