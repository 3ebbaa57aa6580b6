#include "berth/model/reader.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(Reader, MAY11_ReadsTheNamesOfItsOwnNamespace) {
  EXPECT_EQ(name_for("ml/train", "job", "ml/big"), "ml/big");
  EXPECT_EQ(name_for("ml", "job", "ml/big"), "ml/big");
  EXPECT_EQ(name_for("ml/train", "job", "web/big"), "a job of another namespace");
  EXPECT_EQ(name_for("ml/train", "target", "ml-2/big"), "a target of another namespace");
}

TEST(Reader, MAY11_OtherNamespacesAreCounted) {
  EXPECT_EQ(names_for("ml/a", {"ml/b"}), "ml/b");
  EXPECT_EQ(names_for("ml/a", {"ml/b", "ml/c"}), "ml/b, ml/c");
  EXPECT_EQ(names_for("ml/a", {"web/x", "ml/b", "dev/y"}), "ml/b and 2 of other namespaces");
  EXPECT_EQ(names_for("ml/a", {"web/x"}), "1 of other namespaces");
  EXPECT_EQ(names_for("ml/a", {"ml/1", "ml/2", "ml/3", "ml/4", "ml/5", "ml/6", "web/x"}),
            "ml/1, ml/2, ml/3, ml/4, ml/5, 1 more and 1 of other namespaces");
}

TEST(Reader, AnAdministratorReadsAllNames) {
  EXPECT_EQ(all_names({"ml/a", "web/b"}), "ml/a, web/b");
  EXPECT_EQ(all_names({"1", "2", "3", "4", "5", "6", "7"}), "1, 2, 3, 4, 5 and 2 more");
}

}  // namespace
}  // namespace berth
