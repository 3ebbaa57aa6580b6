#pragma once

#include <gtest/gtest.h>

#include <string>

#include "document/readers.h"

namespace berth::kube {

// Of text that is a document.
inline document::Value value_of(const std::string& yaml) {
  const Result<document::Value> value = document::parse_yaml(yaml, "f.yaml");
  EXPECT_TRUE(value.has_value()) << value.error().to_string();
  return *value;
}

}  // namespace berth::kube
