#pragma once

#include <string>
#include <vector>

#include "berth/base/result.h"
#include "ports/event_sink.h"

namespace berth::ports {

// Names of kinds that are being listed again or cannot be watched, so that changes of the last
// seconds may be lacking.
struct Behind {
  std::vector<std::string> required;
  std::vector<std::string> optional;

  bool is_empty() const { return required.empty() && optional.empty(); }
};

// Reports the objects of a cluster and their changes: an API server's watches, or the embedded
// cluster.
class ClusterSource {
 public:
  virtual ~ClusterSource() = default;

  // Posts everything there is, then every change, from threads of its own, until stop().
  // `sink` must outlive stop().
  virtual Status start(EventSink& sink) = 0;
  // True once everything that was there at start() has been posted. Any thread.
  virtual bool is_synced() const = 0;
  // Without kinds that have proved themselves, by a list or a watch that began `proved_within` ago
  // or later. Any thread.
  virtual Behind behind(Duration /*proved_within*/) const { return {}; }
  // Finds out soon whether what has been silent is so for want of changes; behind until then. The
  // same kinds are left out. Any thread.
  virtual void doubt_silence(Duration /*proved_within*/) {}
  // Returns when no more will be posted. Idempotent.
  virtual void stop() = 0;
};

}  // namespace berth::ports
