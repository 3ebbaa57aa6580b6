#pragma once

#include <gtest/gtest.h>

#include <string>

#include "conf/document.h"

namespace berth::kube {

// Of text that is a document.
inline conf::Value value_of(const std::string& yaml) {
  const Result<conf::Value> value = conf::parse_yaml(yaml, "f.yaml");
  EXPECT_TRUE(value.has_value()) << value.error().to_string();
  return *value;
}

}  // namespace berth::kube
