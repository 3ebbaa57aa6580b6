#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "podview/codec.h"
#include "ports/plan_table.h"

namespace berth::podview {

// The values of spec.schedulerName that we decide for.
using Managed = std::vector<std::string>;

bool is_managed(const Managed& schedulers, std::string_view scheduler);
// VIEW-2 concerns pods of managed schedulers without a node.
bool waits(const Managed& schedulers, const SeenPod& pod);

// A waiting pod of a managed scheduler.
struct HeldPod {
  std::string uid;
  std::string bytes;  // as Codec::held() made them
  std::string node;   // shown: the node in kube-scheduler's copy
  std::uint64_t attempt = 0;
  bool is_shown = false;
  bool is_hint = false;
  bool is_gated = false;
  bool is_terminating = false;
};

// The knowledge of one client about pods, and the waiting pods' bytes. Goes from a list to the
// watch that follows, and from a watch to the next.
struct Memory {
  explicit Memory(Format of) : format(of) {}

  Format format;
  bool is_whole = false;                     // the last page of the list has come
  std::string version_seen;                  // the latest of upstream; a watch goes on from there
  std::string version_sent;                  // the client asks to go on from there
  ports::ByText<HeldPod> pods;               // by namespace/name
  std::set<std::string, std::less<>> shown;  // the keys of those that the client knows

  // Null if the client does not know a waiting pod of that name.
  const HeldPod* find_shown(std::string_view name_space, std::string_view name) const;
  // Takes in what upstream shows of a waiting pod.
  Result<HeldPod*> hold(const std::string& key, const SeenPod& pod);
  void forget(const std::string& key);
  void see(const std::string& version);
  // An estimate, for metrics.
  std::size_t bytes() const;
};

void set_key(std::string& key, std::string_view name_space, std::string_view name);

// True if `version` is not lower than `other`. A text that is no number counts as later: versions
// are opaque by their definition, and numbers since 1.35.
bool is_later(std::string_view version, std::string_view other);

}  // namespace berth::podview
