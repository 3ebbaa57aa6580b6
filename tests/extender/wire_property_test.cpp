#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "extender/support.h"
#include "extender/wire.h"
#include "support/damage.h"
#include "support/seeds.h"

// Golden bodies with random damage. For any input, a reader answers with a value or an error with a
// message. It touches nothing outside the body (the sanitizers watch), and reads the next body as
// its first.

namespace berth::extender {
namespace {

class WireMutations : public ::testing::TestWithParam<const char*> {};

TEST_P(WireMutations, NeverConfuseAReader) {
  const std::string golden = test::testdata(GetParam());
  const std::string whole = test::testdata("filter.json");
  WireReader reader;
  std::size_t refused = 0;
  for (const std::uint64_t seed : support::seeds(4000)) {
    SCOPED_TRACE("BERTH_SEED=" + std::to_string(seed));
    support::Damage damage(seed);
    std::string body = damage.of(golden);
    if (damage.below(2) == 0) body = test::padded(body);
    const auto filter = reader.filter_args(body);
    if (filter) {
      FilterReply reply;
      reply.form = filter->form;
      for (const NodeOnWire& node : filter->nodes) {
        ASSERT_FALSE(node.json.empty());
        reply.accepted.push_back(node.json);
      }
      // The echoed text reads back to the same names.
      std::string echo = test::padded("{\"Pod\":{}," + encode(reply).substr(1));
      WireReader other;
      const auto again = other.filter_args(echo);
      ASSERT_TRUE(again) << again.error().to_string();
      ASSERT_EQ(again->nodes.size(), filter->nodes.size());
    } else {
      ++refused;
      ASSERT_FALSE(filter.error().message.empty());
    }
    const auto preempt = reader.preempt_args(body);
    ASSERT_TRUE(preempt || !preempt.error().message.empty());
    const auto bind = reader.binding_args(body);
    ASSERT_TRUE(bind || !bind.error().message.empty());
    const auto intact = reader.filter_args(whole);
    ASSERT_TRUE(intact && intact->nodes.size() == 3);
  }
  EXPECT_GT(refused, support::seeds(4000).size() / 4);  // the damage is real
}

INSTANTIATE_TEST_SUITE_P(GoldenBodies, WireMutations,
                         ::testing::Values("filter.json", "filter_full_nodes.json",
                                           "preempt_meta.json", "preempt_victims.json",
                                           "bind.json"),
                         [](const auto& each) {
                           std::string name = each.param;
                           for (char& letter : name) {
                             if (letter == '.' || letter == '_') letter = 'X';
                           }
                           return name;
                         });

}  // namespace
}  // namespace berth::extender
