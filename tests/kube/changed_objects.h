#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "document/value.h"

// Objects with one part changed: left out, doubled, empty, or of another type.

namespace berth::kube::testing {

// A part by its positions below the object: in the members of a map, or in the items of a list.
using Path = std::vector<std::size_t>;

// The value as JSON. A number is written as its text, so that it may be anything.
std::string json_of(const document::Value& value);

// All parts, but not the object itself.
std::vector<Path> parts_of(const document::Value& object);

// The number of changes that a part can undergo, the name of each, and the object after it.
std::size_t change_count();
std::string_view name_of_change(std::size_t change);
document::Value changed(const document::Value& object, const Path& part, std::size_t change);

// "spec.replicas"
std::string text_of(const document::Value& object, const Path& part);

// The documents of a file of this repository: YAML, or a List in JSON.
std::vector<document::Value> objects_in(const std::string& file);
// The YAML files of tests/e2e/fixtures, whose objects are as real controllers write them.
std::vector<std::string> fixture_files();

}  // namespace berth::kube::testing
