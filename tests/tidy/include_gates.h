#pragma once

#include <map>
#include <set>
#include <string>

#include "tidy/tree.h"

namespace berth::tidy {

// The layers as CMakeLists.txt declares them: berth_layer and berth_objects.
struct Layer {
  std::set<std::string> below;        // all that it may include, itself too
  std::set<std::string> third_party;  // CMake targets
};
std::map<std::string, Layer> layers_of(const std::string& cmake);

// Arrows point down: no cycles, and the core knows none of the adapters.
Complaints layers_that_point_up(const Tree& tree);
// A file includes only its own layer and those below it.
Complaints includes_that_point_up(const Tree& tree);
// A layer includes only the libraries that CMakeLists.txt gives it, the core nothing of the
// operating system, and include/ nothing but the standard library.
Complaints includes_of_third_parties(const Tree& tree);
// `#pragma once` is a header's first directive; x.cpp includes its own x.h first.
Complaints includes_out_of_order(const Tree& tree);

}  // namespace berth::tidy
