#pragma once

#include <cstdint>

#include "berth/base/result.h"
#include "ports/event_sink.h"

namespace berth::ports {

// Kinds that are being listed again, so that changes of the last seconds may be lacking.
enum class Behind : std::uint8_t { no_kind, optional_kinds, required_kinds };

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
  virtual Behind behind() const { return Behind::no_kind; }  // any thread
  // Returns when no more will be posted. Idempotent.
  virtual void stop() = 0;
};

}  // namespace berth::ports
