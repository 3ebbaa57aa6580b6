#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "berth/model/cluster.h"
#include "berth/model/event.h"
#include "daemon/snapshot.h"

namespace berth::daemon {

// Hands out copies of the cluster. The session thread makes one between sessions, when somebody
// has asked; all who have asked until then get the same.
class Snapshots {
 public:
  using Take = std::function<void(std::shared_ptr<const Snapshot>)>;  // null: there is none
  static constexpr std::size_t kAskingMost = 16;

  explicit Snapshots(std::function<void()> wake) : wake_(std::move(wake)) {}

  // `take` runs on the session thread, or at once if there is none to come. Any thread.
  void ask(Take take);

  // --- session thread -----------------------------------------------------------------------
  void observe(const ClusterEvent& event);
  // `cluster`: null while it is not known whole. True: a copy was made.
  bool answer(const Cluster* cluster, const std::string& scheduler, TimePoint now);
  void end();  // nobody gets any more

 private:
  std::vector<Take> take_all();

  const std::function<void()> wake_;
  std::map<std::string, QueueObject> queues_;  // by name
  std::map<std::pair<TopologyKind, std::string>, TopologyObject> topologies_;
  std::mutex mutex_;  // guards what follows
  std::vector<Take> asking_;
  bool is_ended_ = false;
};

}  // namespace berth::daemon
