#pragma once

#include <optional>
#include <string>

#include "proxy/exchange.h"
#include "proxy/proxy.h"
#include "proxy/state.h"

namespace berth::proxy {

// How long a watch may go on, and be silent. An API server ends a watch after its `timeoutSeconds`,
// and sends bookmarks where they are allowed.
class WatchLimits {
 public:
  WatchLimits(const Request& request, const Options& options, Steady::time_point now);

  void heard(Steady::time_point now) { heard_at_ = now; }
  // The answer was paused and is read again.
  void resumed(Steady::time_point now);

  // The end that the client has asked for has come.
  bool is_due(Steady::time_point now) const { return due_ && now >= *due_; }
  // Why upstream is taken for dead; or empty.
  std::string fault(Steady::time_point now) const;

 private:
  const Steady::duration slack_;
  const Steady::duration silence_;
  const bool has_bookmarks_;
  Steady::time_point heard_at_;
  std::optional<Steady::time_point> due_;  // the end that the client has asked for
};

}  // namespace berth::proxy
