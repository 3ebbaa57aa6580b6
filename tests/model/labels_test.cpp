#include "berth/model/labels.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace berth {
namespace {

TEST(LabelTable, PodsWithTheSameLabelsShareASet) {
  LabelTable table;
  const LabelSetId web = table.take({{"app", "web"}, {"tier", "front"}});
  EXPECT_EQ(table.take({{"app", "web"}, {"tier", "front"}}), web);
  const LabelSetId back = table.take({{"app", "web"}, {"tier", "back"}});
  EXPECT_NE(back, web);
  EXPECT_EQ(table.set_count(), 2u);
  EXPECT_EQ(table.label_count(), 3u);
  EXPECT_EQ(*table.find(web, "tier"), "front");
  EXPECT_EQ(*table.find(back, "tier"), "back");
  EXPECT_EQ(table.find(web, "front"), nullptr);
  EXPECT_EQ(table.find(LabelSetId(), "app"), nullptr);
}

TEST(LabelTable, NoLabelsAreASetToo) {
  LabelTable table;
  const LabelSetId none = table.take({});
  EXPECT_TRUE(none.is_valid());
  EXPECT_EQ(table.find(none, "app"), nullptr);
}

TEST(LabelTable, ASetGoesWithItsLastUser) {
  LabelTable table;
  const LabelSetId web = table.take({{"app", "web"}});
  table.take({{"app", "web"}});
  table.give_back(web);
  EXPECT_EQ(*table.find(web, "app"), "web");
  table.give_back(web);
  table.give_back(LabelSetId());
  EXPECT_EQ(table.set_count(), 0u);
  EXPECT_EQ(table.label_count(), 0u);
}

TEST(LabelTable, HoldsWhatIsInUseWhateverComesAndGoes) {
  std::mt19937_64 random(7);  // NOLINT: the same on every run
  LabelTable table;
  std::multimap<LabelSetId, Labels> users;
  for (int step = 0; step < 5000; ++step) {
    if (users.empty() || random() % 5 < 3) {
      Labels labels{{"app", std::to_string(random() % 7)}};
      if (random() % 2 == 0) labels.emplace_back("index", std::to_string(random() % 50));
      users.emplace(table.take(labels), labels);
    } else {
      const auto leaver = std::next(users.begin(), static_cast<long>(random() % users.size()));
      table.give_back(leaver->first);
      users.erase(leaver);
    }
    for (const auto& [key, value] : users.empty() ? Labels() : users.begin()->second) {
      ASSERT_EQ(*table.find(users.begin()->first, key), value);
    }
  }
  for (const auto& [id, labels] : users) {
    for (const auto& [key, value] : labels) ASSERT_EQ(*table.find(id, key), value);
    table.give_back(id);
  }
  EXPECT_EQ(table.set_count(), 0u);
  EXPECT_EQ(table.label_count(), 0u);
}

}  // namespace
}  // namespace berth
