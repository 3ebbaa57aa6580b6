#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "podview/codec.h"
#include "ports/attempts.h"
#include "ports/plan_table.h"
#include "ports/shown_pods.h"

namespace berth::podview {

// The values of spec.schedulerName that we decide for.
using Managed = std::vector<std::string>;

bool is_managed(const Managed& schedulers, std::string_view scheduler);
// VIEW-2 concerns pods of managed schedulers without a node.
bool waits(const Managed& schedulers, const SeenPod& pod);

// A waiting pod of a managed scheduler.
struct HeldPod {
  std::string uid;
  std::string bytes;  // as held() made them
  std::string node;   // shown: the node in kube-scheduler's copy
  std::uint64_t attempt = 0;
  bool is_shown = false;
  bool is_nominated = false;
  bool asks_filter = false;
  bool is_gated = false;
  bool is_terminating = false;
};

// The former knowledge of a client that lists again.
struct Former {
  std::string version;  // the client has all up to it; empty: it says nothing of what it has
  std::map<std::string, HeldPod, std::less<>> pods;  // as Memory::pods, the shown ones, no bytes
};

// The knowledge of one client about pods, and the waiting pods' bytes. Goes from a list to the
// watch that follows, and from a watch to the next.
struct Memory {
  // Of a client that lists again, after a watch with that memory.
  static Memory listing_again(Memory before);

  // A watch can go on from here. Else the client must list.
  bool can_resume() const { return is_whole && !is_expired; }
  // The waiting pod of that name; else null. kube-scheduler may report about one that it knew, so
  // `is_shown` is another question. Until a list is whole, the client has what it knew before.
  const HeldPod* find(std::string_view name_space, std::string_view name) const;
  // Takes in what upstream shows of a waiting pod.
  Result<HeldPod*> hold(const std::string& key, const SeenPod& pod);
  void show(const std::string& key, HeldPod& pod, const ports::ShownPod& as);
  void forget(const std::string& key);
  void see(std::string_view version);
  // VIEW-14: the client may have another pod under that name, so a list must not have this one.
  bool may_be_new(const std::string& key, const SeenPod& pod) const;
  // Until the stream that follows the list adds it.
  Status leave_out(const std::string& key, const SeenPod& pod);
  // How a list has the waiting pod; none if it is not in it.
  std::optional<ports::ShownPod> listed(const std::string& key, const HeldPod& pod,
                                        const ports::ShownPods& table,
                                        const ports::Attempts& attempts) const;
  // An estimate, for metrics.
  std::size_t bytes() const;

  bool is_whole = false;                     // the list's last page or its bookmark has come
  bool is_expired = false;                   // upstream has asked the client to list again
  std::string version_seen;                  // the latest of upstream; a watch goes on from there
  std::string version_sent;                  // the client asks to go on from there
  ports::ByText<HeldPod> pods;               // by namespace/name
  std::set<std::string, std::less<>> shown;  // the keys of those that the client knows
  std::set<std::string, std::less<>> ended;  // uids whose end the client got from the window
  std::map<std::string, std::string> left_out;  // by namespace/name, as held() made them
  Former former;                                // until the list is whole
};

void set_key(std::string& key, std::string_view name_space, std::string_view name);

// True if `version` is not lower than `other`. A text that is no number counts as later: versions
// are opaque by their definition, and numbers since 1.35.
bool is_later(std::string_view version, std::string_view other);

}  // namespace berth::podview
