#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "kubeapi/fake_api.h"
#include "kubeapi/fake_server.h"
#include "kubeapi/live_cluster.h"
#include "kubeapi/waiting.h"

namespace berth::kubeapi {

using testing::Awaited;
using testing::Call;
using testing::FakeApi;
using testing::FakeServer;
using testing::Reply;
using testing::until;

inline constexpr const char* kNodes = "/api/v1/nodes";
inline constexpr const char* kPods = "/api/v1/pods";
inline constexpr const char* kNamespaces = "/api/v1/namespaces";
inline constexpr const char* kClasses = "/apis/scheduling.k8s.io/v1/priorityclasses";
inline constexpr const char* kQueues = "/apis/scheduling.volcano.sh/v1beta1/queues";
inline constexpr const char* kGroups = "/apis/scheduling.volcano.sh/v1beta1/podgroups";
inline constexpr const char* kLeases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
inline constexpr const char* kVolumeClaims = "/api/v1/persistentvolumeclaims";
inline constexpr const char* kVolumes = "/api/v1/persistentvolumes";
inline constexpr const char* kServices = "/api/v1/services";
inline constexpr const char* kBudgets = "/apis/policy/v1/poddisruptionbudgets";

class Events final : public ports::EventSink {
 public:
  void post(ClusterEvent event) override {
    all.change([&](auto& events) { events.push_back(std::move(event)); });
  }
  template <class Event>
  bool wait_for(std::function<bool(const Event&)> condition) const {
    return all.wait([&](const std::vector<ClusterEvent>& events) {
      for (const ClusterEvent& event : events) {
        const auto* one = std::get_if<Event>(&event);
        if (one != nullptr && condition(*one)) return true;
      }
      return false;
    });
  }

  Awaited<std::vector<ClusterEvent>> all;
};

class LiveClusterTest : public ::testing::Test {
 protected:
  LiveClusterTest() {
    for (const char* path : {kNodes, kPods, kNamespaces, kClasses, kLeases, kBudgets}) {
      api_.serve(path);
    }
    Access access;
    access.server = server_.url();
    RestOptions limits;
    limits.qps = 0;
    client_ = std::move(*RestClient::create(access, limits));
    options_.reflector.retry_least = std::chrono::milliseconds(1);
    options_.reflector.absent_retry = std::chrono::milliseconds(5);
    options_.scheduler_leads = [this](const std::string& holder) {
      holders_.change([&](auto& all) { all.push_back(holder); });
    };
  }

  FakeApi api_;
  FakeServer server_{[this](const Call& call, Reply& reply) { api_.handle(call, reply); }};
  Events events_;
  Awaited<std::vector<std::string>> holders_;
  LiveOptions options_;
  std::unique_ptr<RestClient> client_;
};

}  // namespace berth::kubeapi
