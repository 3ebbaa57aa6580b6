#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "podview/codec.h"
#include "podview/memory.h"
#include "ports/attempts.h"
#include "ports/shown_pods.h"
#include "protobuf/frames.h"

namespace berth::podview {

// A watch or streaming list of pods as kube-scheduler gets it (docs/design/view.md). A state
// machine on bytes: the caller has the connections. One thread.
class PodStream {
 public:
  PodStream(PodStream&&) = default;
  PodStream& operator=(PodStream&&) = default;

  // A streaming list, with a new memory.
  static PodStream listing(Memory memory, Managed schedulers, const ports::Attempts& attempts);
  // A watch of a client that knows no waiting pod.
  static PodStream fresh(Managed schedulers, const ports::Attempts& attempts);
  // VIEW-7: goes on where another stream or a list ended. Upstream must be asked to go on from
  // `memory.version_seen`; then the first follow() gives the client the difference.
  static PodStream resumed(Memory memory, Managed schedulers, const ports::Attempts& attempts);

  // Upstream's bytes, cut anywhere. Appends the client's bytes to `out`. After an Error the
  // client's stream must end: upstream's cannot be read.
  Status take(std::string_view bytes, std::string& out);
  // VIEW-17: a frame of the window, which has pods that have ended, too.
  Status take_of_all(std::string_view frame, std::string& out);
  // Upstream's bytes end here, and frames of the window follow.
  void leave_upstream() { frames_ = protobuf::Frames(); }
  // The client must list again.
  void expire(std::string& out);
  // The table of shown pods is another one, or pods are deferred. Costs nothing for the same table.
  void follow(const std::shared_ptr<const ports::ShownPods>& table, std::string& out);
  // VIEW-5: pods wait for calls of kube-scheduler to end. Call follow() again soon.
  bool has_deferred() const { return has_deferred_; }

  // The initial events are over, or there were none.
  bool is_synced() const { return memory_.is_whole; }
  // Upstream has asked the client to list again.
  bool is_expired() const { return memory_.is_expired; }
  // VIEW-15: upstream cannot serve the list from the client's version. The client's stream must
  // end.
  bool has_failed() const { return has_failed_; }
  const std::string& version_sent() const { return memory_.version_sent; }
  const std::string& version_seen() const { return memory_.version_seen; }
  const Memory& memory() const { return memory_; }

  // For the stream or list that follows, once the client has got all of `out`. The start of an
  // event that never came whole is dropped.
  Memory end() && { return std::move(memory_); }

 private:
  PodStream(Memory memory, Managed schedulers, const ports::Attempts& attempts);

  template <class Take>
  Status take_events(std::string& out, Take&& take_them);
  Status on_frame(std::string_view frame, std::string& out);
  Status on_event(std::string_view frame, std::string& out);
  Status on_pod(std::string_view frame, std::string& out);
  void on_bookmark(std::string_view frame, std::string& out);
  Status on_waiting(std::string_view frame, std::string& out);
  void pass(std::string_view frame, std::string_view version, std::string& out);
  void emit(EventType type, const HeldPod& pod, std::string& out);
  void show(const std::string& key, HeldPod& pod, const ports::ShownPod& as, std::string& out);
  void hide(const std::string& key, HeldPod& pod, std::string& out);
  // Gives the client what its list had not, and the difference to the table, but for deferred pods.
  void catch_up(std::string& out);
  void add_left_out(std::string& out);
  void withdraw(std::string& out);
  void show_all(std::string& out);
  void show_listed(std::string& out);
  // Calls on_pod(pod, its row of the table) for waiting pods in the table's order.
  template <class OnPod>
  void each_in_table(OnPod&& on_pod);

  Memory memory_;
  Managed schedulers_;
  const ports::Attempts* attempts_;
  protobuf::Frames frames_;
  SeenEvent event_;
  std::string key_;  // of the pod at hand
  std::shared_ptr<const ports::ShownPods> table_;
  std::uint64_t events_ = 0;
  bool has_deferred_;
  bool has_failed_ = false;
  std::optional<Error> fault_;
};

}  // namespace berth::podview
