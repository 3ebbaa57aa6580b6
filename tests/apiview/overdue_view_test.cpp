#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "apiview/fakes.h"
#include "apiview/pod_interceptor.h"
#include "podview/samples.h"
#include "support/jumping_clock.h"

// The view of a berthd whose lease has run out.

namespace berth::apiview {
namespace {

using podview::testing::event;
using podview::testing::events_of;
using Texts = std::vector<std::string>;

using testing::Client;
using testing::NoCalls;
using testing::NoEvents;

class OverdueView : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kEpoch = 3;

  OverdueView() { leadership_.begin(kEpoch, clock_.now() + std::chrono::seconds(6)); }

  void run_out() { clock_.advance(std::chrono::seconds(6)); }
  bool is_refused(const char* method, const char* target) {
    return interceptor_.refusal({method, target, {}}).has_value();
  }
  void show(const std::vector<std::string>& names) {
    std::vector<ports::ShownPod> pods;
    for (const std::string& name : names) pods.push_back({name, "default", name, "n1", false, 1});
    shown_.store(std::make_shared<const ports::ShownPods>(
        ports::ShownPods::of(std::move(pods), ports::Term(&leadership_, kEpoch))));
    interceptor_.follow();
  }
  std::unique_ptr<proxy::Exchange> get(const std::string& query, Client& client) {
    proxy::Request request{
        "GET",
        "/api/v1/pods?" + query,
        {{"accept", "application/vnd.kubernetes.protobuf"}, {"user-agent", "scheduler"}}};
    auto exchange = interceptor_.intercept(request, client);
    exchange->on_head(200, {{"content-type", "application/vnd.kubernetes.protobuf"}});
    return exchange;
  }
  static Texts events(Client& client) { return events_of(std::exchange(client.text, "")); }

  support::JumpingClock clock_;
  ports::Leadership leadership_{clock_};
  ports::Published<ports::ShownPods> shown_{std::make_shared<const ports::ShownPods>()};
  NoCalls calls_;
  NoEvents events_;
  PodInterceptor interceptor_{parts()};

 private:
  PodInterceptor::Parts parts() {
    PodInterceptor::Parts parts{
        {"berth"}, shown_, calls_, events_, [](const std::string&) {}, [](const std::string&) {}};
    parts.leadership = &leadership_;
    return parts;
  }
};

TEST_F(OverdueView, LEASE6WritesOfKubeSchedulerAreRefusedAndNotToBeRepeated) {
  const std::vector<std::pair<const char*, const char*>> writes{
      {"POST", "/api/v1/namespaces/ml/pods/p/binding"},
      {"PATCH", "/api/v1/namespaces/ml/pods/p/status?fieldManager=x"},
      {"DELETE", "/api/v1/namespaces/ml/pods/p"},
      {"PUT", "/api/v1/persistentvolumes/v"},
      {"PATCH", "/api/v1/namespaces/ml/persistentvolumeclaims/c"},
      {"PATCH", "/apis/resource.k8s.io/v1/namespaces/ml/resourceclaims/c/status"},
      {"POST", "/api/v1/namespaces/events/pods/events/binding"},
      {"POST", "/events"},
      {"DELETE", "/api/v1/namespaces/events"}};
  for (const auto& [method, target] : writes) EXPECT_FALSE(is_refused(method, target)) << target;
  run_out();
  for (const auto& [method, target] : writes) EXPECT_TRUE(is_refused(method, target)) << target;
  const auto refusal = interceptor_.refusal({"DELETE", "/api/v1/namespaces/ml/pods/p", {}});
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->status, 503);
  for (const proxy::Header& each : refusal->headers) EXPECT_NE(each.name, "retry-after");
}

TEST_F(OverdueView, LEASE6ReadsEventsReviewsAndLeasesPass) {
  run_out();
  for (const auto& [method, target] : std::vector<std::pair<const char*, const char*>>{
           {"GET", "/api/v1/pods?watch=true"},
           {"GET", "/api/v1/namespaces/ml/pods/p"},
           {"POST", "/apis/events.k8s.io/v1/namespaces/ml/events"},
           {"PATCH", "/apis/events.k8s.io/v1/namespaces/ml/events/e?x=y"},
           {"POST", "/api/v1/namespaces/ml/events"},
           {"POST", "/apis/authentication.k8s.io/v1/tokenreviews"},
           {"POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews?timeout=10s"},
           {"PUT", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/l"}}) {
    EXPECT_FALSE(is_refused(method, target)) << target;
  }
}

TEST_F(OverdueView, LEASE5APodOfAnOverduePlanIsNotShown) {
  Client client;
  const auto watch = get("watch=true&sendInitialEvents=true", client);
  watch->on_body(event("ADDED", {.name = "a", .version = "5"}));
  watch->on_body(podview::testing::bookmark("9", true));
  show({"a", "b", "c"});
  watch->on_body(event("ADDED", {.name = "b", .version = "10"}));
  EXPECT_EQ(events(client).size(), 3U) << "the bookmark, a, b";
  run_out();
  watch->on_body(event("ADDED", {.name = "c", .version = "11"}));
  EXPECT_EQ(events(client), Texts{}) << "by an event";
  show({"a", "b", "c"});
  const Texts withdrawn = events(client);
  ASSERT_EQ(withdrawn.size(), 2U) << "by a table";
  for (const std::string& each : withdrawn) EXPECT_TRUE(each.starts_with("DELETED ")) << each;

  Client lister;
  const auto listing = get("limit=500&resourceVersion=0", lister);
  listing->on_body(podview::testing::list("12", {{.name = "a", .version = "5"}}));
  listing->on_end();
  EXPECT_EQ(podview::testing::items_of(lister.text), Texts{"list 12"});
}

TEST(ViewWithoutLease, LEASE6PassesAllWrites) {
  const ports::Published<ports::ShownPods> shown{std::make_shared<const ports::ShownPods>()};
  const NoCalls calls;
  NoEvents events;
  PodInterceptor interceptor{{{"berth"}, shown, calls, events, {}, {}}};
  EXPECT_FALSE(interceptor.refusal({"DELETE", "/api/v1/namespaces/ml/pods/p", {}}));
}

}  // namespace
}  // namespace berth::apiview
