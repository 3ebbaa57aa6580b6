#include "berth/model/dimensions.h"

#include <algorithm>

#include "berth/model/quantity.h"

namespace berth {

namespace {

// Of one name, and of all names of an object: sums of these over all pods fit into 64 bits.
constexpr std::int64_t kMostOfName = std::int64_t{1} << 20;
constexpr std::int64_t kMostOfObject = std::int64_t{1} << 30;

}  // namespace

Resources to_resources(const DimensionTable& dimensions, const NamedAmounts& amounts) {
  Resources resources;
  std::int64_t unknown = 0;
  for (const auto& [name, amount] : amounts) {
    const Dimension dimension = dimensions.find(name);
    if (dimension.index() < dimensions.size()) {
      resources.set(dimension, std::min(amount, kAmountMax));
    } else if (amount > 0 && !dimensions.is_of_classes(name)) {
      unknown = std::min(kMostOfObject, unknown + std::min(amount, kMostOfName));
    }
  }
  resources.set(kUnknown, unknown);
  return resources;
}

NamedAmounts to_named(const DimensionTable& dimensions, const Resources& resources) {
  NamedAmounts amounts;
  for (std::size_t d = 0; d < resources.extent(); ++d) {
    const std::int64_t amount = resources[Dimension(d)];
    if (amount > 0 && Dimension(d) != kUnknown) amounts[dimensions.name(Dimension(d))] = amount;
  }
  return amounts;
}

NamedAmounts unknown_of(const DimensionTable& dimensions, const NamedAmounts& amounts) {
  NamedAmounts unknown;
  for (const auto& [name, amount] : amounts) {
    const bool is_known = dimensions.find(name).index() < dimensions.size();
    if (is_known || amount <= 0 || dimensions.is_of_classes(name)) continue;
    unknown.emplace(name, std::min(amount, kAmountMax));
  }
  return unknown;
}

NamedAmounts of_classes(const DimensionTable& dimensions, const NamedAmounts& amounts) {
  NamedAmounts devices;
  for (const auto& [name, amount] : amounts) {
    if (amount <= 0 || !dimensions.is_of_classes(name)) continue;
    devices.emplace(name, std::min(amount, kAmountMax));
  }
  return devices;
}

NamedAmounts request_of(const DimensionTable& dimensions, const Shape& shape) {
  NamedAmounts request = shape.unknown;
  request.insert(shape.of_classes.begin(), shape.of_classes.end());
  for (const auto& [dimension, amount] : shape.requested) {
    if (dimension != kUnknown) request.emplace(dimensions.name(dimension), amount);
  }
  return request;
}

bool is_extended(std::string_view resource) {
  return resource.find('/') != std::string_view::npos &&
         resource.find("kubernetes.io/") == std::string_view::npos &&
         !resource.starts_with("berth.dev/");
}

}  // namespace berth
