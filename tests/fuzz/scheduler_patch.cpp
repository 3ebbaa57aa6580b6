// kube-scheduler's patches of a pod's status.
#include "fuzz/fuzz.h"
#include "podview/refusal.h"

namespace berth::fuzz {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view input = view_of(bytes, size);
  const auto refusal = podview::refusal_in(input);
  if (!refusal) return 0;
  BERTH_CHECK(is_utf8(refusal->reason) && is_utf8(refusal->message));
  BERTH_CHECK(refusal->reason.size() + refusal->message.size() <= size);
  return 0;
}

}  // namespace berth::fuzz
