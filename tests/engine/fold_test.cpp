#include "berth/engine/fold.h"

#include <gtest/gtest.h>

#include <vector>

// A truth table a fold. Answers are given as (tier, answer) in the order of the configuration.

namespace berth::engine {
namespace {

template <class R, class... A>
class Panel {
 public:
  explicit Panel(std::vector<std::pair<std::uint16_t, R>> says) : says_(std::move(says)) {
    for (auto& each : says_) {
      answers_.push_back({&each,
                          [](void* object, A...) -> R {
                            ++asked;
                            return static_cast<std::pair<std::uint16_t, R>*>(object)->second;
                          },
                          each.first});
    }
    asked = 0;
  }
  const std::vector<Answer<R(A...)>>& answers() const { return answers_; }
  static inline int asked = 0;

 private:
  std::vector<std::pair<std::uint16_t, R>> says_;
  std::vector<Answer<R(A...)>> answers_;
};

const Order kLess = Order::less;
const Order kEqual = Order::equal;
const Order kGreater = Order::greater;

TEST(FirstDifferenceTest, TheFirstUnequalAnswerDecides) {
  struct Row {
    std::vector<std::pair<std::uint16_t, Order>> says;
    Order expected;
    int asked;
  };
  const Row rows[] = {{{}, kEqual, 0},
                      {{{0, kEqual}, {1, kEqual}}, kEqual, 2},
                      {{{0, kEqual}, {0, kGreater}, {1, kLess}}, kGreater, 2},
                      {{{0, kLess}, {0, kGreater}}, kLess, 1}};
  for (const Row& row : rows) {
    const Panel<Order, int> panel(row.says);
    EXPECT_EQ(FirstDifference::apply(panel.answers(), 0), row.expected);
    EXPECT_EQ(panel.asked, row.asked);
  }
}

TEST(AllPassTest, TheFirstRefusalIsTheReasonWhateverItsTier) {
  const Panel<Verdict, int> all({{0, pass()}, {1, pass()}});
  EXPECT_TRUE(AllPass::apply(all.answers(), 0));
  const Panel<Verdict, int> nobody({});
  EXPECT_TRUE(AllPass::apply(nobody.answers(), 0));
  const Panel<Verdict, int> late({{0, pass()}, {1, reject(Reason::gated)}, {2, pass()}});
  EXPECT_EQ(AllPass::apply(late.answers(), 0).reason, Reason::gated);
  const Panel<Verdict, int> two({{0, reject(Reason::queue_closed)}, {1, reject(Reason::gated)}});
  EXPECT_EQ(AllPass::apply(two.answers(), 0).reason, Reason::queue_closed);
  EXPECT_EQ(two.asked, 1);
}

TEST(AnyYesTest, OneYesIsEnough) {
  EXPECT_FALSE(AnyYes::apply(Panel<bool, int>({}).answers(), 0));
  EXPECT_FALSE(AnyYes::apply(Panel<bool, int>({{0, false}, {1, false}}).answers(), 0));
  EXPECT_TRUE(AnyYes::apply(Panel<bool, int>({{0, false}, {1, true}}).answers(), 0));
}

TEST(TierVoteTest, ARejectMetIsNoAndAPermitEndsTheQuestionWithItsTier) {
  const Vote no = veto(reject(Reason::gated));
  struct Row {
    const char* what;
    std::vector<std::pair<std::uint16_t, Vote>> says;
    bool expected;
  };
  const Row rows[] = {
      {"nobody asked", {}, true},
      {"all abstain", {{0, abstain()}, {1, abstain()}}, true},
      {"permit", {{0, permit()}}, true},
      {"reject", {{0, no}}, false},
      {"permit does not cancel a reject of its tier", {{0, permit()}, {0, no}}, false},
      {"nor the other way round", {{0, no}, {0, permit()}}, false},
      {"an earlier tier's permit spares the later reject", {{0, permit()}, {1, no}}, true},
      {"abstentions pass the question on", {{0, abstain()}, {1, no}}, false},
      {"an earlier reject is final", {{0, no}, {1, permit()}}, false}};
  for (const Row& row : rows) {
    const Panel<Vote, int> panel(row.says);
    EXPECT_EQ(static_cast<bool>(TierVote::apply(panel.answers(), 0)), row.expected) << row.what;
  }
}

TEST(TierAgreementTest, TheFirstTierWithAnOpinionDecidesAndNobodyIsAnAnswer) {
  const JobPart a{JobId(1)}, b{JobId(2)}, c{JobId(2), JobPart::Kind::whole};
  const PartSet candidates{a, b, c};
  const Opinion<PartSet> none = no_opinion;
  const Opinion<PartSet> nobody = PartSet{};
  using Says = std::vector<std::pair<std::uint16_t, Opinion<PartSet>>>;
  struct Row {
    const char* what;
    Says says;
    PartSet expected;
  };
  const Row rows[] = {
      {"nobody asked", {}, {}},
      {"all abstain", {{0, none}, {1, none}}, {}},
      {"one opinion", {{0, PartSet{a, c}}}, {a, c}},
      {"intersection in their order", {{0, PartSet{a, c}}, {0, PartSet{a, b, c}}}, {a, c}},
      {"intersection, the smaller one last", {{0, PartSet{a, b, c}}, {0, PartSet{b}}}, {b}},
      {"abstention in between", {{0, PartSet{a}}, {0, none}, {0, PartSet{a, b}}}, {a}},
      {"abstaining tier passes it on", {{0, none}, {1, PartSet{b}}}, {b}},
      {"an empty agreement ends the question",
       {{0, PartSet{a}}, {0, PartSet{b}}, {1, PartSet{a}}},
       {}},
      {"an empty intersection is not seeded anew",
       {{0, PartSet{a}}, {0, PartSet{b}}, {0, PartSet{c}}},
       {}},
      {"nobody is an answer", {{0, nobody}, {1, PartSet{a}}}, {}},
      {"later tiers are not asked", {{0, PartSet{a}}, {1, nobody}}, {a}}};
  for (const Row& row : rows) {
    const Panel<Opinion<PartSet>, const int&, const PartSet&> panel(row.says);
    EXPECT_EQ(TierAgreement::apply(panel.answers(), 0, candidates), row.expected) << row.what;
  }
}

}  // namespace
}  // namespace berth::engine
