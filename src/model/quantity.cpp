#include "berth/model/quantity.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "berth/base/printable.h"
#include "berth/base/text.h"
#include "berth/model/amount_text.h"

// A quantity is a decimal number times a power of ten or of two. Powers of ten move the decimal
// point; powers of two multiply, in 128 bits. All steps are exact, and digits after the point round
// up.

namespace berth {

namespace {

__extension__ typedef unsigned __int128 Wide;

constexpr std::size_t kLongest = 128;
constexpr int kBinaryFractionMax = 17;  // digits; 10^17 * 1000 * 2^60 fits into 128 bits
constexpr int kExponentMax = 1000;      // far beyond overflow either way

struct Binary {
  std::string_view suffix;
  int shift;
};

constexpr std::array<Binary, 6> kBinary{
    {{"Ei", 60}, {"Pi", 50}, {"Ti", 40}, {"Gi", 30}, {"Mi", 20}, {"Ki", 10}}};

struct Decimal {
  char suffix;
  int exponent;
};

constexpr std::array<Decimal, 9> kDecimal{{{'n', -9},
                                           {'u', -6},
                                           {'m', -3},
                                           {'k', 3},
                                           {'M', 6},
                                           {'G', 9},
                                           {'T', 12},
                                           {'P', 15},
                                           {'E', 18}}};

struct Suffix {
  int shift = 0;     // times 2^shift
  int exponent = 0;  // times 10^exponent
};

std::optional<int> read_exponent(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  int exponent = 0;
  for (const char c : text) exponent = std::min(kExponentMax, exponent * 10 + (c - '0'));
  return negative ? -exponent : exponent;
}

std::optional<Suffix> read_suffix(std::string_view text) {
  if (text.empty()) return Suffix{};
  for (const Binary& binary : kBinary) {
    if (text == binary.suffix) return Suffix{binary.shift, 0};
  }
  if (text.size() == 1) {
    for (const Decimal& decimal : kDecimal) {
      if (text.front() == decimal.suffix) return Suffix{0, decimal.exponent};
    }
    return std::nullopt;
  }
  if (text.front() != 'e' && text.front() != 'E') return std::nullopt;
  const std::optional<int> exponent = read_exponent(text.substr(1));
  if (!exponent) return std::nullopt;
  return Suffix{0, *exponent};
}

// Digits and the place of the decimal point among them: 0.digits * 10^point.
struct Digits {
  std::string digits;  // no zeros at either end
  int point = 0;
};

// The digits before the point as a number; nothing if there are more than 19.
std::optional<Wide> whole_part(const Digits& number) {
  if (number.point > 19) return std::nullopt;
  Wide value = 0;
  for (int i = 0; i < number.point; ++i) {
    const auto at = static_cast<std::size_t>(i);
    value =
        value * 10 + (at < number.digits.size() ? static_cast<Wide>(number.digits[at] - '0') : 0);
  }
  return value;
}

int places_of(const Digits& number) {
  return std::max(0, static_cast<int>(number.digits.size()) - number.point);
}

// number * factor, rounded up; nothing on overflow.
std::optional<Wide> times(const Digits& number, Wide factor) {
  const std::optional<Wide> whole = whole_part(number);
  if (!whole || (*whole != 0 && factor > (Wide{1} << 64) / *whole)) return std::nullopt;
  const int places = places_of(number);
  if (places == 0) return *whole * factor;
  if (factor == 1) return *whole + 1;
  Wide fraction = 0;
  Wide unit = 1;
  const std::size_t first = number.point > 0 ? static_cast<std::size_t>(number.point) : 0;
  for (std::size_t i = first; i < number.digits.size(); ++i) {
    fraction = fraction * 10 + static_cast<Wide>(number.digits[i] - '0');
  }
  for (int i = 0; i < places; ++i) unit *= 10;
  return *whole * factor + (fraction * factor + unit - 1) / unit;
}

// "12.50" -> digits 125, point 2. Nothing if there is no digit or more than one point.
std::optional<Digits> read_digits(std::string_view text) {
  Digits number;
  bool any = false;
  bool behind_point = false;
  for (const char c : text) {
    if (c == '.') {
      if (behind_point) return std::nullopt;
      behind_point = true;
      continue;
    }
    any = true;
    if (!(number.digits.empty() && c == '0')) number.digits += c;
    if (!behind_point && !number.digits.empty()) ++number.point;
    if (behind_point && number.digits.empty()) --number.point;
  }
  if (!any) return std::nullopt;
  number.digits.erase(number.digits.find_last_not_of('0') + 1);
  return number;
}

Error refuse(std::string_view text, const std::string& why) {
  return {"\"" + std::string(first_bytes(text, kLongest)) + "\" " + why, ""};
}

// In units of `scale`, rounded up. More than 128 bits can hold counts as the most that they can.
Result<Wide> parse_wide(std::string_view text, Scale scale) {
  constexpr const char* kExpected =
      "is not a quantity, expected a number such as \"250m\", \"1.5\" or \"4Gi\"";
  if (text.size() > kLongest) return refuse(text, kExpected);
  const bool is_negative = text.starts_with('-');
  std::string_view rest = text;
  if (is_negative || text.starts_with('+')) rest.remove_prefix(1);
  const std::size_t length = std::min(rest.find_first_not_of("0123456789."), rest.size());
  std::optional<Digits> number = read_digits(rest.substr(0, length));
  const std::optional<Suffix> suffix = read_suffix(rest.substr(length));
  if (!number || !suffix) return refuse(text, kExpected);
  if (number->digits.empty()) return Wide{0};
  if (is_negative) return refuse(text, "is negative, expected 0 or more");

  Wide factor = Wide{1} << suffix->shift;
  number->point += suffix->exponent;
  if (scale == Scale::milli && suffix->shift == 0) number->point += 3;
  if (scale == Scale::milli && suffix->shift != 0) factor *= 1000;
  if (factor != 1 && places_of(*number) > kBinaryFractionMax) {
    return refuse(text, "has more than 17 digits after the point, expected fewer");
  }
  return times(*number, factor).value_or(~Wide{0});
}

}  // namespace

Scale scale_of(std::string_view resource) { return resource == "cpu" ? Scale::milli : Scale::one; }

Result<std::int64_t> parse_quantity(std::string_view text, Scale scale, std::int64_t most) {
  const Result<Wide> amount = parse_wide(text, scale);
  if (!amount) return amount.error();
  if (*amount > static_cast<Wide>(most)) {
    return refuse(text, "is more than Berth can count, expected at most " +
                            format_quantity(scale == Scale::milli ? "cpu" : "", most));
  }
  return static_cast<std::int64_t>(*amount);
}

Result<std::int64_t> parse_quantity_up_to(std::string_view text, Scale scale, std::int64_t most) {
  const Result<Wide> amount = parse_wide(text, scale);
  if (!amount) return amount.error();
  return static_cast<std::int64_t>(std::min(*amount, static_cast<Wide>(most)));
}

std::string format_quantity(std::string_view resource, std::int64_t amount) {
  return format_amount(resource, amount);
}

}  // namespace berth
