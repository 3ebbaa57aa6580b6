// A list of pods as kube-scheduler gets it.
#include "podview/pod_list.h"

#include "fuzz/fuzz.h"
#include "fuzz/pod_view.h"

namespace berth::fuzz {
namespace {

// The list can be read, and a pod that waits is in it only if it is shown.
void expect_list(const std::string& body, const podview::Memory& memory) {
  std::string key;
  const auto parts = podview::read_list(body, [&](const podview::SeenPod& pod) -> Result<bool> {
    podview::set_key(key, pod.name_space, pod.name);
    BERTH_CHECK(!podview::waits(managed(), pod) || memory.shown.contains(key));
    return true;
  });
  BERTH_CHECK(parts);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string input(view_of(bytes, size));
  podview::Memory memory;
  const auto first = podview::filter_list(input, managed(), *shown_pods(), calls(), memory);
  if (!first) expect_readable(first.error(), input);
  if (first) expect_list(*first, memory);
  BERTH_CHECK(memory.bytes() <= 100 * size);

  // The client lists again, and gets its pods as they were.
  podview::Memory next = podview::Memory::listing_again(std::move(memory));
  const auto second = podview::filter_list(input, managed(), *shown_pods(), calls(), next);
  BERTH_CHECK(first.has_value() == second.has_value());
  if (second) expect_list(*second, next);

  podview::Memory empty;
  const auto same = podview::filter_list(input, {}, *no_pods(), calls(), empty);
  BERTH_CHECK(!same || *same == input);
  return 0;
}

}  // namespace berth::fuzz
