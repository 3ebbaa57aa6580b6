#pragma once

#include <gtest/gtest.h>

#include <string>

#include "document/readers.h"
#include "kube/codecs.h"

namespace berth::kube {

// Of text that is a document.
inline document::Value value_of(const std::string& yaml) {
  const Result<document::Value> value = document::parse_yaml(yaml, "f.yaml");
  EXPECT_TRUE(value.has_value()) << value.error().to_string();
  return *value;
}

inline Result<PodObject> pod_with_spec(const std::string& spec) {
  const std::string head = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: ";
  return decode_pod(value_of(head + spec + "\n"), "pod.yaml");
}

}  // namespace berth::kube
