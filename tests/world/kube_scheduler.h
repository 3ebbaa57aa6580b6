#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiview/kube_scheduler.h"
#include "embedded/scheduler_cache.h"
#include "embedded/scheduling_queue.h"
#include "world/berthd.h"
#include "world/pod_stream.h"

namespace berth::world {

// A kube-scheduler beside a berthd: reads nodes from the API server and pods through the view,
// keeps a cache with assumed pods and a queue with back-off, asks the extender, and binds through
// it. Ends with that berthd, as both are one pod.
class KubeScheduler {
 public:
  KubeScheduler(Agenda& agenda, Network& network, ApiServer& server, Berthd& berthd,
                apiview::testing::Release release);
  ~KubeScheduler();

  Life& life() { return life_; }
  void server_changed(const ApiServer::Change& change);
  // Faults in what it was shown.
  std::vector<std::string> complaints() const;

 private:
  struct Assumed {
    std::string node;
    std::uint64_t attempt = 0;
  };

  void ask_for_pods();
  void take_pods();
  void take_pod(const apiview::testing::Pod& pod);
  void forget_pod(const std::string& uid);
  void leave_queue(const std::string& uid);
  void cycle_soon();
  void cycle();
  void filter(const PodObject& pod, const std::string& node);
  void reject(const PodObject& pod, embedded::Rejectors by, const std::string& why);
  void assume_and_bind(const PodObject& pod, const std::string& node);
  void bind_ended(const std::string& uid, std::uint64_t attempt, const std::string& error);
  void bind_by_itself(const PodObject& pod, const std::string& node);
  void call(const std::string& path, const std::string& body, Duration timeout,
            std::function<void(const std::string& error, const std::string& body)> then);

  Agenda& agenda_;
  Network& network_;
  ApiServer& server_;
  Berthd& berthd_;
  Life life_;
  apiview::testing::KubeScheduler informer_;
  std::shared_ptr<PodRequest> request_;
  embedded::SchedulingQueue queue_{1s, 10s, true};
  embedded::SchedulerCache cache_;
  std::map<std::string, apiview::testing::Pod> pods_;  // by uid, as last taken in
  std::map<std::string, Assumed> assumed_;             // by uid
  std::vector<std::shared_ptr<Berthd::Call>> calls_;
  std::uint64_t attempts_ = 0;
  std::string tried_;  // the uid of the pod in a cycle
  bool is_busy_ = false;
  bool is_waking_ = false;
  TimePoint wakes_at_;  // for the end of a back-off
};

}  // namespace berth::world
