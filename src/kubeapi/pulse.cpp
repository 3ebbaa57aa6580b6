#include "kubeapi/pulse.h"

#include "berth/base/text.h"

namespace berth::kubeapi {

// A server whose etcd does not answer says 500 or 504 to everything.
void Pulse::note(int status) {
  constexpr int kServerErrors = 500;
  if (status > 0 && status < kServerErrors) last_ = ticks();
}

std::string Pulse::fault(Duration longest) const {
  const Duration silent = silence();
  if (silent <= longest) return {};
  return "the API server has not answered for " +
         format_duration(std::chrono::duration_cast<std::chrono::seconds>(silent));
}

}  // namespace berth::kubeapi
