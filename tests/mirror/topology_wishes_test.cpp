#include "mirror/topology_wishes.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace berth::mirror::topology_wishes_test {
namespace {

using Uids = std::set<std::string>;

TopologyWish wish_for(const std::string& level) {
  return {{{.written = "w", .required = {.name = level}}}, {}};
}

OwnerObject owner(const std::string& uid, const TopologyWish& wish,
                  const std::string& controller = {}) {
  OwnerObject object;
  object.uid = uid;
  object.name_space = "ml";
  object.topology = wish;
  object.controller.uid = controller;
  return object;
}

class TopologyWishesTest : public testing::Test {
 protected:
  std::size_t rules_of(JobId job) const { return all_.of(job).rules.size(); }

  TopologyWishes all_;
  const JobId job_{3};
};

TEST_F(TopologyWishesTest, TOPO12_of_pods_are_the_different_ones) {
  all_.note(TaskId(1), job_, wish_for("rack"));
  all_.note(TaskId(2), job_, wish_for("rack"));
  all_.note(TaskId(3), job_, wish_for("zone"));
  all_.note(TaskId(4), JobId(4), wish_for("block"));
  EXPECT_EQ(rules_of(job_), 2U);
  all_.note(TaskId(3), job_, {});
  EXPECT_EQ(rules_of(job_), 1U) << "it says nothing any more";
  all_.note(TaskId(1), JobId(4), wish_for("rack"));
  EXPECT_EQ(rules_of(job_), 1U) << "another pod says so";
  EXPECT_EQ(rules_of(JobId(4)), 2U);
  all_.note(TaskId(2), JobId(), {});
  EXPECT_EQ(rules_of(job_), 0U);
}

TEST_F(TopologyWishesTest, TOPO12_of_owners_reach_those_below) {
  EXPECT_EQ(all_.note_owner(owner("job", {}, "set")), Uids{});
  EXPECT_EQ(all_.note_owner(owner("set", {}, "train")), Uids{});
  EXPECT_FALSE(all_.do_owners_say());
  EXPECT_EQ(all_.note_owner(owner("train", wish_for("rack"))), (Uids{"job", "set", "train"}));
  EXPECT_TRUE(all_.do_owners_say());
  EXPECT_EQ(all_.of_owner("job", "ml"), wish_for("rack"));
  EXPECT_EQ(all_.note_owner(owner("train", wish_for("rack"))), Uids{}) << "nothing new";
  EXPECT_EQ(all_.note_owner(owner("other", {}, "set")), Uids{"other"}) << "it comes later";
  EXPECT_TRUE(all_.of_owner("job", "another").is_none()) << "users write any uid";
  EXPECT_EQ(all_.forget_owner("train"), (Uids{"job", "other", "set", "train"}));
  EXPECT_TRUE(all_.of_owner("job", "ml").is_none());
  EXPECT_FALSE(all_.do_owners_say());
  EXPECT_EQ(all_.forget_owner("train"), Uids{});
}

TEST_F(TopologyWishesTest, owners_in_a_ring_end) {
  all_.note_owner(owner("a", wish_for("rack"), "b"));
  all_.note_owner(owner("b", {}, "a"));
  EXPECT_FALSE(all_.of_owner("a", "ml").is_none());
  EXPECT_EQ(all_.note_owner(owner("a", {}, "b")), (Uids{"a", "b"}));
  EXPECT_TRUE(all_.of_owner("a", "ml").is_none());
}

}  // namespace
}  // namespace berth::mirror::topology_wishes_test
