#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "berth/base/clock.h"
#include "ports/cluster_source.h"
#include "ports/starting_pods.h"

namespace berth::daemon {

// LEASE-9. An earlier leader may have bound pods a moment ago, and the watches may lag behind. So a
// new leader reads the pods that are bound and do not run yet, and waits until the watches have
// shown each of them, and no kind is behind that has not proved itself since, among those that were
// silent, too: ten seconds at most, but for kinds without which it would give room twice. Session
// thread.
class CatchUp {
 public:
  using IsBound = std::function<bool(const std::string& uid)>;  // as the watches show it

  struct Parts {
    ports::StartingPods* pods = nullptr;  // null: there was no other leader, nothing is read
    std::function<void()> wake;           // any thread: has_ended() is to be called again
    std::function<void(const std::string&)> log;
    // ports::ClusterSource's
    std::function<ports::Behind(Duration)> behind = [](Duration) { return ports::Behind(); };
    std::function<void(Duration)> doubt_silence = [](Duration) {};
  };

  explicit CatchUp(Parts parts) : parts_(std::move(parts)) {}

  // Whether nothing is missing, or it is waited for no longer. To be called with the epoch of a new
  // leader until that is so, about every 50 ms.
  bool has_ended(std::uint64_t epoch, const IsBound& is_bound, TimePoint now);
  bool is_open() const { return is_open_; }
  void give_up() { is_open_ = false; }

 private:
  struct Mailbox;

  void begin(std::uint64_t epoch, TimePoint now);
  void ask(TimePoint now);
  void doubt_silence(Duration proved_within, TimePoint now);
  void take_answer(TimePoint now);
  bool may_go_on_without(const ports::Behind& behind);
  std::string what_is_missing(const ports::Behind& behind) const;

  const Parts parts_;
  bool is_open_ = false;
  std::uint64_t epoch_ = 0;
  TimePoint begun_at_;
  TimePoint doubt_at_;                            // again
  bool has_logged_ = false;                       // that it goes on waiting
  TimePoint ask_at_;                              // again
  std::shared_ptr<Mailbox> mailbox_;              // of the question that is open; null: none is
  std::optional<std::set<std::string>> missing_;  // uids; none: there is no answer yet
};

}  // namespace berth::daemon
