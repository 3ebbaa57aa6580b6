#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ports/pending_pods.h"

namespace berth::daemon {

// LEASE-9. An earlier leader may have bound pods a moment ago, and watches may lag behind. So who
// begins to lead reads the pods that do not run yet, and waits until its watches have shown each of
// them. Session thread.
class CatchUp {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // What the watches have shown. Functions of a pod's uid; a pod may be neither.
  struct Seen {
    std::function<std::set<std::string>()> waiting;  // all of ours that wait for a node
    std::function<bool(const std::string&)> is_waiting;
    std::function<bool(const std::string&)> is_bound;
  };
  struct Parts {
    ports::PendingPods* pods = nullptr;   // null: there was no other leader, nothing is read
    std::vector<std::string> schedulers;  // of our pods
    std::function<void()> wake;           // any thread: has_ended() is to be called again
    std::function<void(const std::string&)> log;
  };

  explicit CatchUp(Parts parts) : parts_(std::move(parts)) {}

  // Whether nothing is missing, or it is waited for no longer. To be called with the epoch of a new
  // leader until that is so, about every 50 ms.
  bool has_ended(std::uint64_t epoch, const Seen& seen, Time now);
  bool is_open() const { return is_open_; }
  void give_up() { is_open_ = false; }

 private:
  struct Mailbox;

  void begin(std::uint64_t epoch, const Seen& seen, Time now);
  void ask(Time now);
  void take_answer(Time now);

  const Parts parts_;
  bool is_open_ = false;
  std::uint64_t epoch_ = 0;
  Time begun_at_;
  Time ask_at_;                       // again
  std::shared_ptr<Mailbox> mailbox_;  // of the question that is open; null: none is
  bool is_answered_ = false;
  std::set<std::string> waiting_;      // when it was asked
  std::set<std::string> to_be_bound_;  // uids: the watches have yet to show that
  std::set<std::string> to_leave_;     // uids of pods that do not wait any more, likewise
};

}  // namespace berth::daemon
