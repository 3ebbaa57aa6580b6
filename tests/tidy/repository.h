#pragma once

#include <gtest/gtest.h>

#include "support/checkout.h"
#include "tidy/tree.h"

namespace berth::tidy {

// This repository, read once.
inline const Tree& repository() {
  static const Tree tree = read_tree(support::source_file(""));
  return tree;
}

inline void expect_clean(const Gate& gate) {
  ASSERT_GT(repository().files.size(), 100U) << "the repository was not found";
  const Complaints complaints = gate(repository());
  EXPECT_TRUE(complaints.empty()) << joined(complaints);
}

}  // namespace berth::tidy
