#include "berth/engine/arguments.h"

#include <algorithm>

#include "berth/base/look_up.h"
#include "berth/base/number.h"
#include "berth/base/text.h"
#include "berth/model/quantity.h"
#include "berth/model/quota_key.h"

namespace berth::engine {

namespace {

// "1.25" -> 1250. No sign but minus, no exponent, at most three decimals.
std::optional<std::int64_t> decimal_thousandths(std::string_view text) {
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) {
    const auto number = parse_number<std::int64_t>(text);
    if (!number || *number > 1'000'000'000'000 || *number < -1'000'000'000'000) return std::nullopt;
    return *number * 1000;
  }
  const std::string_view decimals = text.substr(point + 1);
  if (decimals.empty() || decimals.size() > 3) return std::nullopt;
  const bool digits = std::all_of(decimals.begin(), decimals.end(), is_digit);
  const auto whole = decimal_thousandths(text.substr(0, point));
  if (!digits || !whole) return std::nullopt;
  std::string padded(decimals);
  padded.resize(3, '0');
  const std::int64_t part = *parse_number<std::int64_t>(padded);
  return text.front() == '-' ? *whole - part : *whole + part;
}

std::string in_decimal(std::int64_t thousandths) {
  std::string text = std::to_string(thousandths / 1000);
  std::string part = std::to_string(1000 + thousandths % 1000).substr(1);
  while (!part.empty() && part.back() == '0') part.pop_back();
  return part.empty() ? text : text + "." + part;
}

}  // namespace

const Arguments::Entry* Arguments::look_up(const std::string& key) {
  known_.insert(key);
  return find_value(entries_, key);
}

void Arguments::complain(const Entry& entry, const std::string& key, const std::string& expected) {
  complaints_.push_back(
      {"argument \"" + key + "\" is \"" + entry.text + "\"; expected " + expected, entry.where});
}

std::int64_t Arguments::integer(const std::string& key, std::int64_t fallback, std::int64_t least,
                                std::int64_t most) {
  const Entry* entry = look_up(key);
  if (entry == nullptr) return fallback;
  const auto number = parse_number<std::int64_t>(entry->text);
  if (number && *number >= least && *number <= most) return *number;
  complain(*entry, key,
           "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return fallback;
}

std::int64_t Arguments::thousandths(const std::string& key, std::int64_t fallback,
                                    std::int64_t least, std::int64_t most) {
  const Entry* entry = look_up(key);
  if (entry == nullptr) return fallback;
  const auto number = decimal_thousandths(entry->text);
  if (number && *number >= least && *number <= most) return *number;
  complain(*entry, key,
           "a decimal from " + in_decimal(least) + " to " + in_decimal(most) +
               " with at most three decimals");
  return fallback;
}

Duration Arguments::duration(const std::string& key, Duration fallback, Duration least,
                             Duration most) {
  const Entry* entry = look_up(key);
  if (entry == nullptr) return fallback;
  const Result<Duration> value = parse_duration(entry->text);
  if (value && *value >= least && *value <= most) return *value;
  complain(*entry, key,
           "a duration from " + format_duration(least) + " to " + format_duration(most));
  return fallback;
}

std::string Arguments::word(const std::string& key, const std::string& fallback,
                            const std::vector<std::string>& allowed) {
  const Entry* entry = look_up(key);
  if (entry == nullptr) return fallback;
  if (is_any_of(entry->text, allowed)) return entry->text;
  std::string expected;
  for (const std::string& each : allowed) expected += (expected.empty() ? "" : " or ") + each;
  complain(*entry, key, expected);
  return fallback;
}

bool Arguments::boolean(const std::string& key, bool fallback) {
  const Entry* entry = look_up(key);
  if (entry == nullptr) return fallback;
  if (entry->text == "true") return true;
  if (entry->text == "false") return false;
  complain(*entry, key, "true or false");
  return fallback;
}

Arguments::Count Arguments::count(const std::string& key, Count fallback, std::int64_t most) {
  const Entry* entry = look_up(key);
  if (entry == nullptr) return fallback;
  const bool is_percent = entry->text.ends_with('%');
  const std::string_view digits(entry->text.data(), entry->text.size() - (is_percent ? 1 : 0));
  const auto number = parse_number<std::int64_t>(digits);
  const std::int64_t largest = is_percent ? 100 : most;
  if (number && *number >= 1 && *number <= largest) return {*number, is_percent};
  complain(*entry, key,
           "a whole number from 1 to " + std::to_string(most) + ", or a part from 1% to 100%");
  return fallback;
}

NamedAmounts Arguments::amounts(const std::string& key) {
  NamedAmounts amounts;
  const Entry* entry = look_up(key);
  if (entry == nullptr) return amounts;
  for (const std::string& part : split_list(entry->text, ',')) {
    const std::size_t equals = part.find('=');
    const std::string resource = part.substr(0, equals);
    if (is_quota_key(resource)) continue;
    const std::string text = equals == std::string::npos ? "" : part.substr(equals + 1);
    const Result<std::int64_t> amount = parse_quantity(text, scale_of(resource));
    if (!resource.empty() && amount && *amount > 0 && amounts.emplace(resource, *amount).second) {
      continue;
    }
    complain(*entry, key, "resources, each once, with amounts above 0: cpu=64,nvidia.com/gpu=8");
    return {};
  }
  if (amounts.empty()) complain(*entry, key, "at least one resource with its amount");
  return amounts;
}

std::string Arguments::text(const std::string& key, const std::string& fallback) {
  const Entry* entry = look_up(key);
  return entry == nullptr ? fallback : entry->text;
}

void Arguments::take_from(Arguments& other, const std::string& key) {
  if (auto entry = other.entries_.extract(key); !entry.empty()) entries_.insert(std::move(entry));
}

std::vector<Error> Arguments::errors() const {
  std::vector<Error> errors = complaints_;
  const std::vector<std::string> known(known_.begin(), known_.end());
  for (const auto& [key, entry] : entries_) {
    if (known_.contains(key)) continue;
    errors.push_back(
        {"unknown argument \"" + key + "\"" +
             (known.empty() ? std::string("; none are known") : suggestion(key, known)),
         entry.where});
  }
  return errors;
}

}  // namespace berth::engine
