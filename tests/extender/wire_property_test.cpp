#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "extender/support.h"
#include "extender/wire.h"

// Golden bodies with random damage. For any input, a reader answers with a value or an error with a
// message. It touches nothing outside the body (the sanitizers watch), and reads the next body as
// its first.

namespace berth::extender {
namespace {

constexpr std::uint64_t kSeed = 4711;

std::string mutated(std::string body, test::Dice& dice) {
  static constexpr std::string_view kBytes = "{}[]\",:\\ntf0-9eE.+ \n\0\xff\xc3u";
  const std::size_t wounds = 1 + dice.below(4);
  for (std::size_t wound = 0; wound < wounds && !body.empty(); ++wound) {
    const std::size_t at = dice.below(body.size());
    switch (dice.below(6)) {
      case 0:
        body.resize(at);
        break;
      case 1:
        body.erase(at, 1 + dice.below(20));
        break;
      case 2:
        body.insert(at, 1, kBytes[dice.below(kBytes.size())]);
        break;
      case 3:
        body.insert(at, body.substr(dice.below(body.size()), dice.below(200)));
        break;
      case 4:
        body[at] = static_cast<char>(dice.below(256));
        break;
      default:
        body[at] = kBytes[dice.below(kBytes.size())];
        break;
    }
  }
  return body;
}

class WireMutations : public ::testing::TestWithParam<const char*> {};

TEST_P(WireMutations, NeverConfuseAReader) {
  const std::string golden = test::testdata(GetParam());
  const std::string whole = test::testdata("filter.json");
  WireReader reader;
  test::Dice dice(kSeed);
  std::size_t refused = 0;
  for (int round = 0; round < 4000; ++round) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", round " + std::to_string(round));
    std::string body = mutated(golden, dice);
    if (dice.below(2) == 0) body = test::padded(body);
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
  EXPECT_GT(refused, 1000u);  // the damage is real
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
