#include "berth/base/label_syntax.h"

#include <gtest/gtest.h>

#include <string>

namespace berth {
namespace {

// As IsQualifiedName and IsValidLabelValue of k8s.io/apimachinery say.
TEST(LabelSyntax, takes_the_keys_that_the_api_server_takes) {
  const std::string longest(63, 'a');
  for (const std::string& key : {std::string("app"), std::string("A.b_c-9"), longest,
                                 "example.com/" + longest, std::string("a/b")}) {
    EXPECT_TRUE(is_label_key(key)) << key;
  }
  for (const std::string& key :
       {std::string(), longest + "a", std::string("-a"), std::string("a-"), std::string("a b"),
        std::string("/a"), std::string("a/"), std::string("Example.com/a"), std::string("a/b/c"),
        std::string("\u00e4")}) {
    EXPECT_FALSE(is_label_key(key)) << key;
  }
}

TEST(LabelSyntax, takes_the_values_that_the_api_server_takes) {
  const std::string longest(63, 'a');
  for (const std::string& value :
       {std::string(), std::string("a"), std::string("A_b.c-9"), longest}) {
    EXPECT_TRUE(is_label_value(value)) << value;
  }
  for (const std::string& value : {longest + "a", std::string("-"), std::string("a."),
                                   std::string("a b"), std::string("a/b")}) {
    EXPECT_FALSE(is_label_value(value)) << value;
  }
}

}  // namespace
}  // namespace berth
