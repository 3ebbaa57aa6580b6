#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "ports/event_sink.h"

namespace berth::embedded {

// Who is told of a cluster's changes, and what each has still to be told. Not thread-safe: callers
// hold the cluster's lock, which deliver() gives up while it posts, so that a sink may call back.
class Watchers {
 public:
  // `first`: everything there is.
  void add(ports::EventSink& sink, std::vector<ClusterEvent> first);
  // Waits until everything that was there at add() has been posted.
  void wait_until_synced(const ports::EventSink& sink, std::unique_lock<std::mutex>& lock);
  // Waits for a post() under way to return.
  void remove(ports::EventSink& sink, std::unique_lock<std::mutex>& lock);
  void tell(const ClusterEvent& event);

  bool has_news() const;
  // Everything that was there at add() has been posted.
  bool is_synced(const ports::EventSink& sink) const;
  // Posts what is pending, in order. One thread only.
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
