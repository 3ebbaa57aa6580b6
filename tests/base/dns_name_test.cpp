#include "berth/base/dns_name.h"

#include <gtest/gtest.h>

#include <string>

namespace berth {
namespace {

TEST(DnsName, NamesAreThoseOfTheApiServer) {
  EXPECT_TRUE(is_dns_label("kube-system"));
  EXPECT_TRUE(is_dns_label(std::string(63, 'a')));
  EXPECT_FALSE(is_dns_label(std::string(64, 'a')));
  EXPECT_FALSE(is_dns_label("a.b"));
  EXPECT_TRUE(is_dns_name("a.b-c.1"));
  EXPECT_TRUE(is_dns_name(std::string(253, 'a')));
  for (const std::string& bad :
       {std::string(), std::string(254, 'a'), std::string("-a"), std::string("a-"),
        std::string("a..b"), std::string("a.-b"), std::string("A"), std::string("a_b"),
        std::string("a/b"), std::string(".a"), std::string("a.")}) {
    EXPECT_FALSE(is_dns_name(bad)) << bad;
  }
}

}  // namespace
}  // namespace berth
