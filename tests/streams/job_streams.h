#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "berth/model/cluster.h"
#include "berth/model/event.h"
#include "berth/model/plan.h"
#include "conf/config.h"
#include "support/seeds.h"

namespace berth::support {

enum class StreamKind : std::uint8_t {
  // 4 to 12 nodes of 8 or 16 cpu, two queues of weights 1:1 or 1:3, a gang every two seconds, of 1
  // to 12 pods of 1, 2 or 4 cpu; its minimum is all or half of them; three priorities; run times of
  // 10 to 200 s.
  plain,
  // The same with queues that have a guarantee, a capability, a parent or an order of their own, or
  // are not reclaimable; plain pods; gangs of two kinds of pods; pools of nodes; pods that may not
  // be evicted, or not so soon.
  varied,
};

// A random cluster and the jobs that come to it. The same seed gives the same stream on every
// machine.
std::vector<ClusterEvent> job_stream(std::uint64_t seed, Duration length,
                                     StreamKind kind = StreamKind::plain);

// The outcome of a stream. Work is in cpu-seconds.
struct StreamOutcome {
  int evictions = 0;
  // Evicted pods whose claimant had not started after three sessions, or ever again.
  int in_vain = 0;
  // Jobs for which others were evicted in more than one session before they started.
  int second_sets = 0;
  // Evicted pods that had started while their claimant waited already.
  int started_in_vain = 0;
  std::int64_t done = 0;  // by all pods, with what was lost
  std::int64_t lost = 0;  // by evicted pods
  struct Waits {
    int jobs = 0;
    Duration sum{};  // from creation to the start, or to the end of the stream
  };
  std::map<std::int32_t, Waits> waits;  // by priority
  std::vector<std::string> faults;      // each claimant that others left for in vain or again

  StreamOutcome& operator+=(const StreamOutcome& other);
};

// The cluster after a plan was carried out.
using Look = std::function<void(const Cluster&, const Plan&, TimePoint now)>;

// Runs a session a second, as `berth plan --cycles` does.
StreamOutcome play_stream(const conf::Config& config, std::uint64_t seed, Duration length,
                          StreamKind kind = StreamKind::plain, const Look& look = {});

// As it is shipped.
conf::Config shipped_config();

}  // namespace berth::support
