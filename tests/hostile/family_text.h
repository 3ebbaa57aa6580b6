#pragma once

#include <string>
#include <vector>

#include "hostile/api_text.h"
#include "hostile/families.h"

// Common to the families.

namespace berth::hostile {

using Texts = std::vector<std::string>;

inline constexpr const char* kHost = "kubernetes.io/hostname";

inline std::string n(std::size_t number) { return std::to_string(number); }
// Of this generation.
std::string name(int generation, const std::string& stem, std::size_t i);
std::string required(const std::string& items);
std::string preferred(const std::string& items);
std::string affinity(const std::string& kind, const std::string& what);
std::string selector(const std::string& label, const std::string& value);
Pod with_spec(std::string spec, const std::string& pod_name = "p-0");

// Parts of families().
std::vector<Family> families_of_relations();
std::vector<Family> families_of_constraints();
std::vector<Family> families_of_groups();

}  // namespace berth::hostile
