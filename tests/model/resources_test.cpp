#include "berth/model/resources.h"

#include <gtest/gtest.h>

#include <limits>

#include "berth/model/shape.h"

namespace berth {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
const Dimension kGpu(kFixedDimensions);

TEST(ResourcesTest, AMissingDimensionIsZero) {
  const Resources some{{kCpu, 1000}};
  EXPECT_EQ(some[kGpu], 0);
  EXPECT_EQ(some, (Resources{{kCpu, 1000}, {kGpu, 0}}));
  EXPECT_TRUE((Resources{{kCpu, 1}}).covers(Resources{}));
  EXPECT_FALSE(some.covers(Resources{{kGpu, 1}}));
}

TEST(ResourcesTest, CoversInEveryDimension) {
  const Resources room{{kCpu, -5}, {kMemory, 10}};
  EXPECT_FALSE(room.covers(Resources{{kMemory, 10}}));
}

TEST(ResourcesTest, SumsSaturateAndDifferencesMayGoNegative) {
  Resources sum{{kCpu, kMost}};
  sum += Resources{{kCpu, 1}};
  EXPECT_EQ(sum[kCpu], kMost);
  Resources difference{{kCpu, 1}};
  difference -= Resources{{kCpu, 3}, {kGpu, 1}};
  EXPECT_EQ(difference[kCpu], -2);
  EXPECT_EQ(difference[kGpu], -1);
  EXPECT_EQ(positive_difference(Resources{{kCpu, 1}, {kGpu, 2}}, Resources{{kCpu, 3}}),
            (Resources{{kGpu, 2}}));
}

TEST(ResourcesTest, ABestEffortRequestIsEmptyButForThePod) {
  EXPECT_TRUE((Resources{{kPods, 1}}).is_empty_but_pods());
  EXPECT_FALSE((Resources{{kPods, 1}, {kEphemeralStorage, 1}}).is_empty_but_pods());
  EXPECT_FALSE((Resources{{kPods, 1}}).is_zero());
}

TEST(DimensionTableTest, TheFixedOnesComeFirstAndNamesAreKept) {
  DimensionTable table;
  EXPECT_EQ(table.name(kCpu), "cpu");
  EXPECT_EQ(table.name(kPods), "pods");
  const Dimension gpu = table.intern("nvidia.com/gpu");
  EXPECT_EQ(gpu, kGpu);
  EXPECT_EQ(table.intern("nvidia.com/gpu"), gpu);
  EXPECT_EQ(table.intern("memory"), kMemory);
}

TEST(ShapeKeyTest, DiffersWhereAnythingThatDecidesDiffers) {
  const NamedAmounts request{{"cpu", 1000}};
  std::vector<Constraints> all(15);
  all[1].node_selector["a"] = "b";
  all[2].node_selector["ab"] = "";
  all[3].has_required_terms = true;
  all[4].has_required_terms = true;
  all[4].required_terms.emplace_back();
  all[5].preferred_terms.push_back({1, {}});
  all[6].preferred_terms.push_back({2, {}});
  all[7].tolerations.push_back({"a", true, "", TaintEffect::any});
  all[8].tolerations.push_back({"a", false, "", TaintEffect::any});
  all[9].host_ports.push_back({"0.0.0.0", "TCP", 80});
  all[10].unmodelled.push_back("resourceClaims");
  all[11].relations.affinity.emplace_back();
  all[12].relations.anti_affinity.emplace_back();
  all[13].relations.spread.emplace_back();
  all[14].relations.spread.emplace_back().max_skew = 2;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < all.size(); ++j) {
      EXPECT_EQ(shape_key(request, all[i]) == shape_key(request, all[j]), i == j) << i << " " << j;
    }
  }
  EXPECT_NE(shape_key(request, all[0]), shape_key({{"cpu", 1001}}, all[0]));
  EXPECT_NE(shape_key({{"a", 11}}, all[0]), shape_key({{"a1", 1}}, all[0]));
}

}  // namespace
}  // namespace berth
