#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/cursor.h"

// Fields that no Kubernetes knows. The API server drops them, and kubectl refuses them.

namespace berth::kube {

// Looks at `at`, an object of that type of k8s.io/api ("Pod", "PodTemplateSpec"), and at all in it.
// An unknown field that is like a known one is a typing error, and a complaint at its place. Any
// other may be of a newer Kubernetes: it goes into `warnings`, with its place.
void check_fields(std::string_view type, const document::Cursor& at, document::Reading& reading,
                  std::vector<std::string>& warnings);

// Is it a field of that type of k8s.io/api? Otherwise it may be of a newer Kubernetes.
bool is_known_field(std::string_view type, std::string_view field);

// A line for each type, "Type: field field:Type". Indented lines go on with the one above.
std::string_view text_of_known_fields();

}  // namespace berth::kube
