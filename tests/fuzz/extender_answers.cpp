// Answers of an extender, as the embedded kube-scheduler reads them.
#include "embedded/extender_wire.h"
#include "fuzz/fuzz.h"

namespace berth::fuzz {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string body(view_of(bytes, size));
  const std::vector<std::string_view> asked{"n1", "n2", "n3"};
  if (const auto kept = embedded::read_filter_result(body, asked)) {
    for (const std::size_t each : *kept) BERTH_CHECK(each < asked.size());
  }
  const auto scores = embedded::read_priorities(body, asked);
  BERTH_CHECK(!scores || scores->size() == asked.size());
  if (const auto left = embedded::read_preemption_result(body)) {
    for (const auto& each : *left) BERTH_CHECK(!each.uids.empty());
  }
  const Status bound = embedded::read_binding_result(body);
  BERTH_CHECK(bound || !bound.error().message.empty());
  return 0;
}

}  // namespace berth::fuzz
