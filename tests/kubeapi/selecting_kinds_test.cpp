#include <chrono>

#include "kubeapi/live_cluster_fixture.h"

namespace berth::kubeapi {
namespace {

class ObjectsThatSelectPods : public LiveClusterTest {
 protected:
  ObjectsThatSelectPods() {
    options_.selecting = true;
    for (const char* path : {kQueues, kGroups, kServices, "/api/v1/replicationcontrollers",
                             "/apis/apps/v1/replicasets", "/apis/apps/v1/statefulsets"}) {
      api_.serve(path);
    }
  }
};

TEST_F(ObjectsThatSelectPods, API33AreReadAndFollowed) {
  api_.put(kServices, "web", R"(,"spec":{"selector":{"app":"web"},"ports":[{"port":80}]})");
  LiveCluster cluster(*client_, options_);
  ASSERT_TRUE(cluster.start(events_));
  EXPECT_TRUE(events_.wait_for<SelectingObject>([](const SelectingObject& object) {
    return object.kind == SelectingKind::service && object.full_name() == "ns/web" &&
           object.pods.all == std::vector<Expression>{{"app", Operator::in, {"web"}}};
  }));
  api_.erase(kServices, "web");
  EXPECT_TRUE(events_.wait_for<SelectingDeleted>([](const SelectingDeleted& gone) {
    return gone.kind == SelectingKind::service && gone.full_name == "ns/web";
  }));
  cluster.stop();
}

TEST_F(ObjectsThatSelectPods, API33WithoutARightKeepNobodyWaiting) {
  api_.intercept([](const Call& call, Reply& reply) {
    if (call.path() != kServices) return false;
    reply.send(403, R"({"message":"services is forbidden"})");
    return true;
  });
  LiveCluster cluster(*client_, options_);
  ASSERT_TRUE(cluster.start(events_));
  EXPECT_TRUE(until([&] { return cluster.is_synced(); }, std::chrono::seconds(9)));
  cluster.stop();
}

}  // namespace
}  // namespace berth::kubeapi
