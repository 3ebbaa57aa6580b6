#include "tidy/tree.h"

#include <gtest/gtest.h>

namespace berth::tidy {
namespace {

TEST(Parts, KeepCodeAndCommentsApart) {
  const Parts parts =
      parts_of("int a = 1'000; // it's\nf(\"x // y\", '\"', R\"(z)\"); /* b */ c\n");
  EXPECT_EQ(parts.code, "int a = 1'000;        \nf(\"      \", ' ', R\"   \");         c\n");
  EXPECT_EQ(parts.comments.substr(15, 8), "   it's\n");
  EXPECT_NE(parts.comments.find(" b "), std::string::npos);
}

TEST(Words, AreFoundWhole) {
  EXPECT_EQ(find_word("abc a_b(a)", "a"), 8U);
  EXPECT_EQ(find_word("abc", "b"), std::string::npos);
}

}  // namespace
}  // namespace berth::tidy
