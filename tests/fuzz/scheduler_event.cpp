// kube-scheduler's events.
#include "fuzz/fuzz.h"
#include "podview/scheduled_event.h"

namespace berth::fuzz {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto pod = podview::pod_of_scheduled_event(view_of(bytes, size));
  BERTH_CHECK(!pod || pod->size() < size);
  return 0;
}

}  // namespace berth::fuzz
