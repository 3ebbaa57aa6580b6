#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "ports/event_sink.h"

namespace berth::embedded {

// The watchers of a cluster and the pending events of each. Not thread-safe: callers hold the
// cluster's lock, which deliver() releases during a post, so that a sink may call back.
class Watchers {
 public:
  // `first`: all existing objects.
  void add(ports::EventSink& sink, std::vector<ClusterEvent> first);
  // Waits until all objects of add() have been posted.
  void wait_until_synced(const ports::EventSink& sink, std::unique_lock<std::mutex>& lock);
  // Waits until nothing is pending, and no post() runs.
  void wait_until_delivered(std::unique_lock<std::mutex>& lock);
  // Waits for a running post() to return.
  void remove(ports::EventSink& sink, std::unique_lock<std::mutex>& lock);
  void notify(const ClusterEvent& event);

  bool has_pending() const;
  // True once all objects of add() have been posted.
  bool is_synced(const ports::EventSink& sink) const;
  // Posts the pending events, in order. One thread only.
  void deliver(std::unique_lock<std::mutex>& lock);

 private:
  struct Watcher {
    ports::EventSink* sink = nullptr;
    std::deque<ClusterEvent> pending;
    bool synced = false;
  };

  Watcher* find(const ports::EventSink& sink);

  std::deque<Watcher> watchers_;
  const ports::EventSink* posting_to_ = nullptr;
  std::condition_variable posted_;
};

}  // namespace berth::embedded
