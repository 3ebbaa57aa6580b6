#pragma once

#include <string_view>

#include "berth/model/resources.h"
#include "berth/model/shape.h"

// Requests of pods and groups, by name and by dimension (docs/design/dimensions.md).

namespace berth {

// DIMENSION-1. Names that no dimension has count together, as kUnknown.
Resources to_resources(const DimensionTable& dimensions, const NamedAmounts& amounts);
// The known amounts above 0.
NamedAmounts to_named(const DimensionTable& dimensions, const Resources& resources);

// Of these, the amounts above 0 that no dimension has, but for those of DeviceClasses.
NamedAmounts unknown_of(const DimensionTable& dimensions, const NamedAmounts& amounts);
// DIMENSION-4. And those of DeviceClasses.
NamedAmounts of_classes(const DimensionTable& dimensions, const NamedAmounts& amounts);

// The amounts above 0.
NamedAmounts request_of(const DimensionTable& dimensions, const Shape& shape);

// Kubernetes' extended resources, which devices are: with a domain, but not Kubernetes' own, nor
// ours. "nvidia.com/gpu".
bool is_extended(std::string_view resource);

}  // namespace berth
