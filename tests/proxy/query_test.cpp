#include "proxy/query.h"

#include <gtest/gtest.h>

namespace berth::proxy {
namespace {

TEST(QueryTest, AnythingButZeroAndFalseIsTrue) {
  for (const char* query : {"watch=true", "watch=1", "watch=TRUE", "watch=t", "watch=yes", "watch",
                            "watch=", "a=b&watch", "w%61tch=1", "watch=true&watch=false"}) {
    EXPECT_TRUE(is_watch({"GET", std::string("/api/v1/pods?") + query})) << query;
  }
  for (const char* query :
       {"", "watch=0", "watch=false", "watch=False", "watch=%46ALSE", "watch=false&watch=true",
        "fieldSelector=metadata.name%3Dwatch=1", "labelSelector=watch=true", "unwatch=1",
        "watch=%zz", "watch=1%", "watch=1;x=2"}) {
    EXPECT_FALSE(is_watch({"GET", std::string("/api/v1/pods?") + query})) << query;
  }
  EXPECT_FALSE(is_watch({"GET", "/watch=true"}));
  EXPECT_FALSE(is_watch({"POST", "/api/v1/pods?watch=true"}));
}

TEST(QueryTest, TheFirstValueCountsAndIsDecoded) {
  EXPECT_EQ(query_value("/x?a=1&a=2", "a"), "1");
  EXPECT_EQ(query_value("/x?a=b%20c+d%3D&e", "a"), "b c d=");
  EXPECT_EQ(query_value("/x?a=%4&a=2", "a"), "2");
  EXPECT_EQ(query_value("/x?e", "e"), "");
  EXPECT_EQ(query_value("/x?aa=1", "a"), std::nullopt);
  EXPECT_EQ(query_value("/x", "a"), std::nullopt);
}

TEST(QueryTest, AValueIsReplacedAndNothingElse) {
  EXPECT_EQ(with_query_value("/x?a=1&v=2&b=%20&v=3", "v", "7"), "/x?a=1&v=7&b=%20&v=7");
  EXPECT_EQ(with_query_value("/x?a=1", "v", "7"), "/x?a=1");
  EXPECT_EQ(with_query_value("/x", "v", "7"), "/x");
}

}  // namespace
}  // namespace berth::proxy
