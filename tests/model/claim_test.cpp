#include "berth/model/claim.h"

#include <gtest/gtest.h>

#include "berth/base/text.h"

namespace berth {
namespace {

using Nodes = std::vector<WrittenClaims::OnNode>;

const TimePoint kSince = *parse_time("2027-01-15T08:00:00Z");

TEST(WrittenClaims, AreShortForManyOnOneNode) {
  EXPECT_EQ(to_text({kSince, {{"n1", 3}, {"n2"}, {"n1"}}}), "2027-01-15T08:00:00Z n1*3 n2 n1");
  EXPECT_EQ(to_text({kSince, {}}), "");
}

TEST(WrittenClaims, AreReadBackAsWritten) {
  const WrittenClaims read = parse_claims("2027-01-15T08:00:00Z n1*3 n2 n1");
  EXPECT_EQ(read.since, kSince);
  EXPECT_EQ(read.nodes, (Nodes{{"n1", 3}, {"n2"}, {"n1"}}));
}

TEST(WrittenClaims, WhatIsNotOursSaysNothing) {
  for (const char* text :
       {"", "n1*3", "2027-01-15T08:00:00Z n1*x", "2027-01-15T08:00:00Z n1*",
        "2027-01-15T08:00:00Z n1*-1", "2027-01-15T08:00:00Z n1*0", "2027-01-15T08:00:00Z *1",
        "2027-01-15T08:00:00Z +evicted*1", "2027-01-15T08:00:00Z n1*99999999999",
        "2027-01-15T08:00:00Z n1*60000 n2*60000"}) {
    EXPECT_EQ(parse_claims(text).nodes, Nodes{}) << text;
  }
}

}  // namespace
}  // namespace berth
