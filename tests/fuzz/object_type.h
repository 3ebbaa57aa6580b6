#pragma once

#include <string>

#include "document/value.h"
#include "kube/codecs.h"

namespace berth::fuzz {

// The type that the object states, whatever stands there.
inline kube::TypeName type_of(const document::Value& object) {
  const auto text = [&](const char* key) {
    const document::Value* const found = object.find(key);
    return found == nullptr ? std::string() : found->text;
  };
  return {text("kind"), text("apiVersion")};
}

}  // namespace berth::fuzz
