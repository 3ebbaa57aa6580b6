// Targets and header lines by chance.
#include <gtest/gtest.h>

#include "berth/base/number.h"
#include "proxy/headers.h"
#include "proxy/query.h"
#include "support/damage.h"
#include "support/seeds.h"

namespace berth::proxy {
namespace {

TEST(HostileText, OfTargetsAndHeadersDoesNoHarm) {
  for (const std::uint64_t seed : support::seeds(5'000)) {
    SCOPED_TRACE("BERTH_SEED=" + std::to_string(seed));
    support::Damage damage(seed);
    const std::string target = damage.of("/api/v1/pods?watch=true&resourceVersion=%37&a=b%20c&v");
    (void)is_watch({"GET", target});
    (void)query_value(target, "a");
    const std::string replaced = with_query_value(target, "resourceVersion", "9");
    if (query_value(target, "resourceVersion")) {
      ASSERT_EQ(query_value(replaced, "resourceVersion"), "9") << target;
    }
    (void)parse_number<std::size_t>(damage.of("4096"));
    HeaderBlock block(1'000, 10);
    block.add(damage.of(":method"), "GET");
    block.add(":path", target);
    block.add(damage.of(":scheme"), "https");
    block.add(":authority", "x");
    block.add("content-length", damage.of("12"));
    Request request;
    const Refusal refusal = block.finish(request);
    ASSERT_TRUE(refusal.status == 0 || !refusal.why.empty());
  }
}

}  // namespace
}  // namespace berth::proxy
