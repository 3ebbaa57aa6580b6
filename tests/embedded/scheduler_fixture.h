#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "embedded/fixture.h"
#include "embedded/kube_scheduler.h"

namespace berth::embedded {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// A stand-in for kube-scheduler on a cluster in memory.
class KubeSchedulerTest : public ::testing::Test {
 protected:
  KubeSchedulerTest() {
    extender.on("/commit/bind", [this](const FakeExtender::Call& call) {
      return FakeExtender::json({{"error", bind(call.body)}});
    });
    server.follow([this](const ApiServer::Change& change) {
      if (scheduler) scheduler->server_changed(change);
    });
  }

  void start(proxy::Interceptor* view = nullptr) {
    scheduler.emplace(
        options, KubeScheduler::Parts{agenda, link, server, &extender.router(), view, informer});
    agenda.run_for(milliseconds(1));
  }
  // An extender answers a bind call by posting the binding.
  std::string bind(const nlohmann::json& body) {
    return server
        .bind({body.at("PodNamespace"), body.at("PodName"), body.at("PodUID"), body.at("Node")})
        .error;
  }
  void apply(const std::vector<ClusterEvent>& changes) {
    server.apply(changes);
    agenda.run_for(milliseconds(1));
  }
  void add_nodes(int count) {
    for (int i = 0; i < count; ++i) server.put(make_node("n" + std::to_string(i)));
  }
  std::string node_of(const std::string& pod) {
    return server.find<PodObject>("uid-" + pod)->node_name;
  }
  std::vector<FakeExtender::Call> filters() const { return extender.calls("/plan/filter"); }
  void reject_unless_nominated() {
    extender.on("/plan/filter", [](const FakeExtender::Call& call) {
      const bool is_planned = call.body.at("Pod").at("status").contains("nominatedNodeName");
      return FakeExtender::keep(is_planned ? call.names() : std::vector<std::string>{});
    });
  }

  Agenda agenda{test_start()};
  Link link;
  ApiServer server{agenda};
  Kubelet kubelet{agenda, server};
  FakeExtender extender;
  ListingInformer informer;
  KubeScheduler::Options options;
  std::optional<KubeScheduler> scheduler;
};

}  // namespace berth::embedded
