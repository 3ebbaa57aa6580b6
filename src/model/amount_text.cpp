#include "berth/model/amount_text.h"

#include <array>

namespace berth {

namespace {

constexpr std::array<char, 6> kPrefixes{'E', 'P', 'T', 'G', 'M', 'K'};

std::int64_t quotient(__int128 amount, std::int64_t by, Rounding rounding) {
  const bool is_up = rounding == Rounding::up && amount % by != 0;
  return static_cast<std::int64_t>(amount / by) + (is_up ? 1 : 0);
}

// In the unit that a user may have written; empty if no unit fits.
std::string exact_bytes(std::int64_t bytes) {
  constexpr std::int64_t kLongest = 10'000;
  std::int64_t decimal = 1'000'000'000'000'000'000;
  int shift = 60;
  for (const char prefix : kPrefixes) {
    const std::int64_t binary = std::int64_t{1} << shift;
    if (bytes % binary == 0 && bytes / binary < kLongest) {
      return std::to_string(bytes / binary) + prefix + "i";
    }
    if (bytes % decimal == 0 && bytes / decimal < kLongest) {
      return std::to_string(bytes / decimal) + (prefix == 'K' ? 'k' : prefix);
    }
    decimal /= 1000;
    shift -= 10;
  }
  return {};
}

std::string readable_bytes(std::int64_t bytes, Rounding rounding) {
  if (std::string exact = exact_bytes(bytes); !exact.empty()) return exact;
  int shift = 60;
  for (const char prefix : kPrefixes) {
    const std::int64_t unit = std::int64_t{1} << shift;
    if (bytes > unit) {
      const std::int64_t tenths = quotient(static_cast<__int128>(bytes) * 10, unit, rounding);
      const std::string part = tenths % 10 == 0 ? "" : "." + std::to_string(tenths % 10);
      return std::to_string(tenths / 10) + part + prefix + "i";
    }
    shift -= 10;
  }
  return std::to_string(bytes);
}

}  // namespace

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

std::string readable_amount(std::string_view resource, std::int64_t amount, Rounding rounding) {
  if (amount < 0) return format_amount(resource, amount);
  if (resource == "cpu") {
    if (amount < 100 || amount % 10 != 0) return format_amount(resource, amount);
    std::string text = std::to_string(amount / 1000);
    if (amount % 1000 == 0) return text;
    text += "." + std::to_string(amount % 1000 + 1000).substr(1);
    while (text.back() == '0') text.pop_back();
    return text;
  }
  if (amount == 0 || !counts_bytes(resource)) return format_amount(resource, amount);
  return readable_bytes(amount, rounding);
}

std::string amount_of(std::string_view resource, std::int64_t amount, Rounding rounding) {
  return readable_amount(resource, amount, rounding).append(" ").append(resource);
}

}  // namespace berth
