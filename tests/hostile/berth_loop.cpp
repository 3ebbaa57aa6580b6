#include "hostile/berth_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "conf/config.h"
#include "conf/default_config.h"
#include "daemon/configuration.h"
#include "kube/codecs.h"
#include "kubeapi/object_reader.h"
#include "support/protobuf_objects.h"

namespace berth::hostile {

namespace {

const kubeapi::KeptKeys& keys_of(const std::string& json) {
  const auto is_a = [&](const char* kind) {
    return json.starts_with(std::string(R"({"kind":")") + kind + "\"");
  };
  if (is_a("PersistentVolumeClaim")) return kubeapi::keys_of_claims();
  if (is_a("Service") || is_a("ReplicaSet")) return kubeapi::keys_of_selecting();
  return kubeapi::keys_of_others();
}

NodeObject node(int n) {
  NodeObject object;
  object.name = "node-" + std::to_string(n);
  object.uid = object.name;
  object.labels = {{"kubernetes.io/hostname", object.name},
                   {"topology.kubernetes.io/zone", "zone-" + std::to_string(n % 10)}};
  for (int i = 0; i < 10; ++i) {
    object.labels["example.com/label-" + std::to_string(i)] = std::to_string(n % (i + 1));
  }
  object.allocatable = {{"cpu", 16000}, {"memory", std::int64_t{64} << 30}, {"pods", 110}};
  return object;
}

PodObject pod_of_others(const std::string& name) {
  PodObject pod;
  pod.name_space = "others";
  pod.name = name;
  pod.uid = name;
  pod.labels = {{"app", "web"}};
  pod.scheduler_name = "berth";
  pod.priority = 0;
  pod.request = {{"cpu", 1000}, {"pods", 1}};
  return pod;
}

}  // namespace

ClusterEvent decoded(const std::string& json) {
  const std::string line = R"({"type":"ADDED","object":)" + json + "}";
  const bool is_pod = json.starts_with(R"({"kind":"Pod")") || !json.starts_with(R"({"kind")");
  kubeapi::WatchEvent event;
  const Status status = is_pod ? kubeapi::protobuf_reader("Pod")->read_event(
                                     support::protobuf_frame(line, "Pod"), event)
                               : kubeapi::json_reader(&keys_of(json))->read_event(line, event);
  EXPECT_TRUE(status) << status.error().message;
  const document::Value* kind = event.object.find("kind");
  const document::Value* version = event.object.find("apiVersion");
  kube::TypeName type{kind != nullptr ? kind->text : "Pod",
                      version != nullptr ? version->text : "v1"};
  kube::Complaint complaint;
  auto made = kube::decode_live(type, event.object, "test", complaint);
  EXPECT_TRUE(made) << made.error().message;
  return *std::move(made);
}

BerthLoop::BerthLoop(int nodes) {
  for (int n = 0; n < nodes; ++n) {
    events_.post(node(n));
    PodObject pod = pod_of_others("web-" + std::to_string(n));
    pod.scheduler_name = "default-scheduler";
    pod.node_name = "node-" + std::to_string(n);
    pod.phase = PodPhase::running;
    events_.post(pod);
  }
  source_.set_synced();
  auto config = conf::load_config(conf::default_config_text(), "default", daemon::known_names());
  EXPECT_TRUE(config);
  daemon::SessionLoop::Parts parts{clock_,   source_,
                                   events_,  published_,
                                   [] {},    shown_,
                                   [] {},    writer_,
                                   metrics_, [this](const std::string& line) { writer_.log(line); },
                                   queues_,  reservations_};
  daemon::SessionLoop::Settings settings{.mirror = {},
                                         .period = std::chrono::hours(1),
                                         .patience = std::chrono::hours(1),
                                         .steering = steering::Mode::view,
                                         .veto_memory = {}};
  loop_ = std::make_unique<daemon::SessionLoop>(
      std::move(parts), settings, std::move(*engine::Scheduler::create(config->session)));
  loop_->start();
  loop_->start_leading(1);
  settle();
}

BerthLoop::~BerthLoop() { loop_->stop(); }

void BerthLoop::settle() {
  while (events_.size() > 0) std::this_thread::yield();
  const auto before = loop_->last_session().sessions;
  while (loop_->last_session().sessions < before + 2) {
    if (events_.size() == 0) events_.post(PodDeleted{"nobody"});
    std::this_thread::yield();
  }
}

bool BerthLoop::plans_another_gang() {
  const std::string name = "gang-" + std::to_string(gangs_++);
  PodGroupObject group;
  group.name_space = "others";
  group.name = name;
  group.uid = name;
  group.min_member = 3;
  group.scheduler = "berth";
  post(group);
  for (int i = 0; i < 3; ++i) {
    PodObject pod = pod_of_others(name + "-" + std::to_string(i));
    pod.group = name;
    post(pod);
  }
  settle();
  const auto table = published_.load();
  bool are_planned = true;
  for (int i = 0; i < 3; ++i) {
    const std::string uid = name + "-" + std::to_string(i);
    are_planned &= table->find(uid) != nullptr;
    post(PodDeleted{uid});
  }
  post(PodGroupDeleted{"others/" + name});
  settle();
  take_writes();
  return are_planned;
}

}  // namespace berth::hostile
