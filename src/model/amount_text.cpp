#include "berth/model/amount_text.h"

namespace berth {

bool counts_bytes(std::string_view resource) {
  return resource == "memory" || resource == "ephemeral-storage" ||
         resource.starts_with("hugepages-");
}

std::string format_amount(std::string_view resource, std::int64_t amount) {
  if (amount == 0) return "0";
  if (resource == "cpu") {
    return amount % 1000 == 0 ? std::to_string(amount / 1000) : std::to_string(amount) + "m";
  }
  if (!counts_bytes(resource)) return std::to_string(amount);
  int shift = 60;
  for (const char prefix : {'E', 'P', 'T', 'G', 'M', 'K'}) {
    const std::int64_t unit = std::int64_t{1} << shift;
    if (amount % unit == 0) return std::to_string(amount / unit) + prefix + "i";
    shift -= 10;
  }
  return std::to_string(amount);
}

}  // namespace berth
