// Answers of an extender that is no berthd.
#include <gtest/gtest.h>

#include "embedded/extender_wire.h"
#include "support/damage.h"
#include "support/seeds.h"

namespace berth::embedded {
namespace {

TEST(HostileAnswers, OfAnExtenderAreReadOrRefused) {
  const std::vector<std::string_view> asked = {"n1", "n2", "n3"};
  const std::string filter =
      R"({"Nodes":null,"NodeNames":["n3","n1"],"FailedNodes":{"n2":"why"},"Error":""})";
  const std::string scores = R"([{"Host":"n1","Score":10},{"Host":"n2","Score":-3}])";
  const std::string victims =
      R"({"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"u"}],"NumPDBViolations":0}}})";
  for (const std::uint64_t seed : support::seeds(3'000)) {
    SCOPED_TRACE("BERTH_SEED=" + std::to_string(seed));
    support::Damage damage(seed);
    const auto kept = read_filter_result(damage.of(filter), asked);
    ASSERT_TRUE(kept || !kept.error().message.empty());
    const auto points = read_priorities(damage.of(scores), asked);
    ASSERT_TRUE(points ? points->size() == asked.size() : !points.error().message.empty());
    const auto left = read_preemption_result(damage.of(victims));
    ASSERT_TRUE(left || !left.error().message.empty());
    const Status bound = read_binding_result(damage.of(R"({"Error":"why"})"));
    ASSERT_TRUE(bound || !bound.error().message.empty());
  }
}

}  // namespace
}  // namespace berth::embedded
