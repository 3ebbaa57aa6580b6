#pragma once

#include "berth/model/resources.h"
#include "berth/model/shape.h"

// Requests of pods and groups, by name and by dimension (docs/design/dimensions.md).

namespace berth {

// DIMENSION-1. Names that no dimension has count together, as kUnknown.
Resources to_resources(const DimensionTable& dimensions, const NamedAmounts& amounts);

// Of these, the amounts above 0 that no dimension has.
NamedAmounts unknown_of(const DimensionTable& dimensions, const NamedAmounts& amounts);

// The amounts above 0.
NamedAmounts request_of(const DimensionTable& dimensions, const Shape& shape);

}  // namespace berth
