#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Names in texts for the users of one namespace (MAY-11, docs/design/permissions.md). `reader` is
// the job, pod or namespace that such a text is about: "ml/train", or "ml". Other names are
// "namespace/name". Pure functions.

namespace berth {

// The part before the slash; all of it without one.
std::string_view namespace_of(std::string_view full_name);

// May the reader's users read this name?
bool may_read(std::string_view reader, std::string_view name);

// "ml/big", or "a job of another namespace"; `noun` is "job".
std::string name_for(std::string_view reader, std::string_view noun, std::string_view name);

// "ml/a, ml/b, 3 more and 2 of other namespaces": at most five names.
std::string names_for(std::string_view reader, const std::vector<std::string>& names);

// For administrators, who may read all of them: "ml/a, ml/b and 3 more".
std::string all_names(const std::vector<std::string>& names);

}  // namespace berth
