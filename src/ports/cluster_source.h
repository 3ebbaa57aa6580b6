#pragma once

#include "berth/base/result.h"
#include "ports/event_sink.h"

namespace berth::ports {

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
  // A kind is being listed again, so that changes of the last seconds may be lacking. Any thread.
  virtual bool is_behind() const { return false; }
  // Returns when no more will be posted. Idempotent.
  virtual void stop() = 0;
};

}  // namespace berth::ports
