#include "mirror/membership.h"

#include <gtest/gtest.h>

#include "mirror/owned_gangs_fixture.h"

namespace berth::mirror {
namespace {

// Nobody checks names in ownerReferences.
TEST_F(OwnedGangsTest, OWNED17_AGangWhosePodGroupCouldHaveNoNameIsAFault) {
  for (const char* bad : {"Train", "a b", "a\x1b[2J", "a_b", "-a"}) {
    const OwnerReference owner = reference("example.com/v1", "Thing", bad);
    PodObject member = pod_of(owner, "member");
    member.gang = wish("3");
    take(member);
    EXPECT_TRUE(pod("member").group.empty()) << bad;
    EXPECT_EQ(pod("member").gang_fault,
              "its PodGroup would have the name of Thing ml/" + std::string(bad) +
                  ", which is no valid name, expected at most 253 lower-case letters, digits, '-' "
                  "or '.', with a letter or digit at both ends");
    EXPECT_TRUE(gangs().groups().empty()) << "nothing is to be written";
  }
  PodObject alone = pod_of(reference("example.com/v1", "Thing", "Train"), "member");
  alone.gang = wish("1");
  take(alone);
  EXPECT_TRUE(pod("member").gang_fault.empty());
  PodObject member = pod_of(reference("example.com/v1", "Thing", "train"), "member");
  member.gang = wish("3");
  take(member);
  EXPECT_EQ(group().min_member, 3) << "with a good name";
}

}  // namespace
}  // namespace berth::mirror
