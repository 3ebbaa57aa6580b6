// The annotation of claims, which anybody may write.
#include "berth/model/claim.h"

#include "fuzz/fuzz.h"

namespace berth::fuzz {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text = view_of(bytes, size);
  const WrittenClaims claims = parse_claims(text);
  BERTH_CHECK(claims.nodes.size() <= size);
  std::size_t all = 0;
  for (const auto& [node, count] : claims.nodes) all += count;
  BERTH_CHECK(all <= 100'000);
  if (claims.nodes.empty()) return 0;
  const WrittenClaims again = parse_claims(to_text(claims));
  BERTH_CHECK(again.since == claims.since && again.nodes == claims.nodes);
  BERTH_CHECK(again.others_left == claims.others_left);
  return 0;
}

}  // namespace berth::fuzz
