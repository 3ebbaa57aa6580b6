#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>

#include "berth/base/clock.h"
#include "extender/barrier.h"
#include "ports/attempts.h"

namespace berth::extender {

// kube-scheduler's attempts, by its calls (VIEW-5). An attempt is open from the accepted filter
// call, if there is one (VIEW-19), or from the bind call. It ends when the bind call is answered,
// or when kube-scheduler reports that it has failed. Any thread.
class AttemptLog final : public ports::Attempts {
 public:
  // Both must outlive this.
  AttemptLog(const GangBarrier& barrier, const Clock& clock) : barrier_(barrier), clock_(clock) {}

  void begun(const std::string& pod_uid);
  void ended(const std::string& pod_uid);

  Stage of(const std::string& pod_uid) const override;
  bool is_quiet(const std::string& pod_uid) const override { return barrier_.is_quiet(pod_uid); }

 private:
  void forget_old(TimePoint now);

  const GangBarrier& barrier_;
  const Clock& clock_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, TimePoint> begun_;  // by pod uid
  std::size_t looked_at_ = 0;                         // size of `begun_` when it was last cleaned
};

}  // namespace berth::extender
