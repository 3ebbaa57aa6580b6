#include "berth/model/quota_key.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

// Issue 9, row 1.
TEST(QuotaKeyTest, KeysThatNoNodeHasAreNotResources) {
  for (const char* key :
       {"count/pods", "count/deployments.apps", "requests.cpu", "requests.nvidia.com/gpu",
        "limits.memory", "requests.ephemeral-storage", "services", "services.loadbalancers",
        "persistentvolumeclaims", "gold.storageclass.storage.k8s.io/requests.storage"}) {
    EXPECT_TRUE(is_quota_key(key)) << key;
  }
  for (const char* resource : {"cpu", "memory", "pods", "ephemeral-storage", "nvidia.com/gpu",
                               "hugepages-2Mi", "example.com/requests.x", "limits", ""}) {
    EXPECT_FALSE(is_quota_key(resource)) << resource;
  }
}

}  // namespace
}  // namespace berth
