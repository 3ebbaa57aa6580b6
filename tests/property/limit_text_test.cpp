#include "berth/engine/limit_text.h"

#include <gtest/gtest.h>

#include <tuple>

#include "berth/model/amount_text.h"
#include "plugins/proportion/queue_division.h"
#include "property/random_queues.h"
#include "support/seeds.h"

// Texts that name the largest of many queues are those that a look at all of them gives.
// BERTH_SEED=<seed> plays one alone, BERTH_LAWS=<n> tries more.

namespace berth::support::limit_text_test {
namespace {

constexpr std::uint64_t kSeeds = 300;

using engine::QueueTree;
using engine::UnmetGuarantees;

class Look {
 public:
  Look(const Cluster& cluster, const QueueTree& tree, Dimension d)
      : cluster_(cluster), tree_(tree), d_(d) {}

  std::string list(const std::vector<std::size_t>& positions, const auto& amount_of,
                   const std::string& words) const {
    std::vector<std::pair<std::int64_t, std::string>> parts;
    for (const std::size_t at : positions) {
      const std::string& name = cluster_.queue(tree_.member(at).queue).name;
      if (amount_of(at) > 0) parts.emplace_back(-amount_of(at), name);
    }
    std::sort(parts.begin(), parts.end());
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(2, parts.size()); ++i) {
      text += (i == 0 ? "" : ", ") +
              readable_amount(cluster_.dimensions().name(d_), -parts[i].first, Rounding::down) +
              " " + words + " queue " + parts[i].second;
    }
    if (parts.size() > 2) text += " and " + std::to_string(parts.size() - 2) + " more";
    return text;
  }

  std::vector<std::size_t> siblings(std::size_t at) const {
    std::vector<std::size_t> others;
    const QueueTree::Member& parent = tree_.member(tree_.member(at).parent);
    for (std::uint32_t i = 0; i < parent.child_count; ++i) {
      if (parent.first_child + i != at) others.push_back(parent.first_child + i);
    }
    return others;
  }

  std::string kept_for(const UnmetGuarantees& unmet, std::size_t at) const {
    std::vector<std::size_t> beside;
    while (true) {
      const std::vector<std::size_t> here = siblings(at);
      beside.insert(beside.end(), here.begin(), here.end());
      if (tree_.member(at).parent == 0) break;
      at = tree_.member(at).parent;
    }
    return list(
        beside, [&](std::size_t each) { return unmet.due(each, d_); }, "kept for the guarantee of");
  }

  std::string guaranteed(std::size_t at) const {
    return list(
        siblings(at), [&](std::size_t each) { return tree_.guarantee(each, d_); }, "guaranteed to");
  }

  std::int64_t weights(const QueueShares& shares, std::size_t at) const {
    std::int64_t sum = tree_.member(at).weight;
    for (const std::size_t each : siblings(at)) {
      if (shares.at(shares.deserved, each, d_) > 0) sum += tree_.member(each).weight;
    }
    return sum;
  }

 private:
  const Cluster& cluster_;
  const QueueTree& tree_;
  Dimension d_;
};

class LimitTexts : public testing::Test {
 protected:
  void check_all(const Cluster& cluster, std::uint64_t seed) {
    tree_.refresh(cluster);
    shares_ = plugins::QueueDivision().divide(cluster, tree_, false);
    unmet_.reset(tree_, shares_->kept, engine::allocated_by_position(cluster, tree_));
    Random random(seed);
    for (int step = 0; step < 30; ++step) {
      const std::size_t at = below(random, tree_.size());
      const Dimension d(below(random, tree_.dimensions()));
      unmet_.add(tree_, below(random, tree_.size()), d,
                 static_cast<std::int64_t>(below(random, 20'000)) - 10'000);
      check(cluster, at, d);
    }
  }

  void check(const Cluster& cluster, std::size_t at, Dimension d) {
    const Look look(cluster, tree_, d);
    ASSERT_EQ(engine::kept_for_text(cluster, tree_, unmet_, at, d), look.kept_for(unmet_, at));
    if (at == 0) return;
    const std::string capability = engine::capability_text(cluster, tree_, at, d);
    if (tree_.limit(at, d) > tree_.real_capability(at, d)) {
      ASSERT_TRUE(capability.ends_with(look.guaranteed(at)))
          << capability << "; " << look.guaranteed(at);
      some_ += look.guaranteed(at).empty() ? 0 : 1;
    }
    const std::string share = engine::share_text(cluster, tree_, *shares_, unmet_, at, d);
    const std::int64_t own = tree_.member(at).weight;
    const std::int64_t all = look.weights(*shares_, at);
    const std::string weight =
        "its weight is " + std::to_string(own) + " of " + std::to_string(all);
    if (share.starts_with("its weight")) {
      ASSERT_TRUE(share.starts_with(weight)) << share;
      ++weights_;
    }
  }

  QueueTree tree_;
  std::shared_ptr<const QueueShares> shares_;
  UnmetGuarantees unmet_;
  std::size_t some_ = 0;
  std::size_t weights_ = 0;
};

TEST_F(LimitTexts, NameTheLargestOfAllQueues) {
  for (const std::uint64_t seed : seeds(kSeeds)) {
    const RandomQueues story(seed);
    check_all(story.cluster(), seed);
    if (testing::Test::HasFailure()) FAIL() << "BERTH_SEED=" << seed;
  }
  if (seeds(2).size() < 2) return;
  EXPECT_GT(some_, 0U);
  EXPECT_GT(weights_, 0U);
}

}  // namespace
}  // namespace berth::support::limit_text_test
