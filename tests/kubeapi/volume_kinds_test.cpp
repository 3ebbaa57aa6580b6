#include <algorithm>
#include <chrono>

#include "kubeapi/live_cluster_fixture.h"

namespace berth::kubeapi {
namespace {

class VolumesOfACluster : public LiveClusterTest {
 protected:
  VolumesOfACluster() {
    options_.volumes = true;
    api_.serve(kQueues);
    api_.serve(kGroups);
    api_.serve(kVolumeClaims);
    api_.serve(kVolumes);
    for (const char* name : {"storageclasses", "csinodes", "csidrivers", "csistoragecapacities",
                             "volumeattachments"}) {
      api_.serve(std::string("/apis/storage.k8s.io/v1/") + name);
    }
  }
  template <class Object>
  bool wait_for_storage(std::function<bool(const Object&)> condition) {
    return events_.wait_for<StorageObject>([&](const StorageObject& storage) {
      const auto* const object = std::get_if<Object>(&storage.object);
      return object != nullptr && condition(*object);
    });
  }
  bool are_known() const {
    const auto all = events_.all.get();
    return std::any_of(all.begin(), all.end(), [](const ClusterEvent& event) {
      return std::holds_alternative<StorageKnown>(event);
    });
  }
};

TEST_F(VolumesOfACluster, API32AreReadAndKnownOnceAllAreListed) {
  api_.put(kVolumeClaims, "data",
           R"(,"spec":{"volumeName":"v1","resources":{"requests":{"storage":"1Gi"}}})",
           R"(,"annotations":{"pv.kubernetes.io/bind-completed":"yes","other":"x"})");
  api_.put(kVolumes, "v1",
           R"(,"spec":{"csi":{"driver":"d","volumeHandle":"h","volumeAttributes":{"a":"b"}}})");
  LiveCluster cluster(*client_, options_);
  ASSERT_TRUE(cluster.start(events_));
  EXPECT_TRUE(wait_for_storage<ClaimObject>([](const ClaimObject& claim) {
    return claim.full_name() == "ns/data" && claim.is_bound() && claim.size == 1 << 30;
  }));
  EXPECT_TRUE(wait_for_storage<VolumeObject>(
      [](const VolumeObject& volume) { return volume.name == "v1" && volume.handle == "h"; }));
  EXPECT_TRUE(events_.wait_for<StorageKnown>([](const auto& known) { return known.is_known; }));
  EXPECT_TRUE(cluster.missing_for_volumes().empty());
  api_.erase(kVolumeClaims, "data");
  EXPECT_TRUE(events_.wait_for<StorageDeleted>([](const StorageDeleted& gone) {
    return gone.kind == StorageKind::claim && gone.full_name == "ns/data";
  }));
  cluster.stop();
}

TEST_F(VolumesOfACluster, API32WithoutARightAreNotKnownAndKeepNobodyWaiting) {
  api_.intercept([](const Call& call, Reply& reply) {
    if (call.path() != "/apis/storage.k8s.io/v1/csinodes") return false;
    reply.send(403, R"({"message":"csinodes is forbidden"})");
    return true;
  });
  LiveCluster cluster(*client_, options_);
  ASSERT_TRUE(cluster.start(events_));
  EXPECT_TRUE(until([&] { return cluster.is_synced(); }, std::chrono::seconds(9)));
  EXPECT_EQ(cluster.missing_for_volumes(), std::vector<std::string>{"csinodes"});
  EXPECT_FALSE(are_known());
  cluster.stop();
}

TEST_F(LiveClusterTest, API32VolumesCostNothingWhereTheyAreNotWanted) {
  LiveCluster cluster(*client_, options_);
  const auto counters = cluster.counters();
  EXPECT_TRUE(std::none_of(counters.begin(), counters.end(), [](const KindCounters& each) {
    return each.kind == "persistentvolumes";
  }));
}

}  // namespace
}  // namespace berth::kubeapi
