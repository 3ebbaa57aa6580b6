#pragma once

#include <cstdint>
#include <string>

namespace berth::ports {

// How far kube-scheduler's calls for a pod are. Any thread.
class Attempts {
 public:
  enum class Stage : std::uint8_t {
    none,
    open,     // a filter or bind call for the pod is open
    binding,  // its Binding was posted and has not failed; also when the watch lags behind
  };

  virtual ~Attempts() = default;
  virtual Stage of(const std::string& pod_uid) const = 0;
  // VIEW-20: kube-scheduler's event that the pod is bound is not to be written. Known from the bind
  // call until some minutes after the Binding.
  virtual bool is_quiet(const std::string& pod_uid) const = 0;
};

}  // namespace berth::ports
