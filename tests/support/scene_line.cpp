#include "support/scene_line.h"

#include <cstdlib>
#include <sstream>
#include <utility>

#include "berth/base/number.h"
#include "berth/base/text.h"

namespace berth::support {

namespace {

Result<std::int64_t> whole(std::string_view text) {
  if (const auto number = parse_number<std::int64_t>(text)) return *number;
  return Error{"\"" + std::string(text) + "\" is no whole number", ""};
}

const std::map<std::string, std::string>& resource_names() {
  static const std::map<std::string, std::string> names{{"cpu", "cpu"},
                                                        {"mem", "memory"},
                                                        {"pods", "pods"},
                                                        {"gpu", "nvidia.com/gpu"},
                                                        {"disk", "ephemeral-storage"}};
  return names;
}

}  // namespace

SceneLine::SceneLine(std::string text, std::string where)
    : text_(std::move(text)), where_(std::move(where)) {
  std::istringstream in(text_);
  std::string word;
  while (in >> word) {
    if (word.front() == '#') break;
    const std::size_t equals = word.find('=');
    const std::size_t open = word.find('(');
    if (equals != std::string::npos && (open == std::string::npos || equals < open)) {
      options_[word.substr(0, equals)] = word.substr(equals + 1);
    } else {
      words_.push_back(word);
    }
  }
}

bool SceneLine::has(const std::string& key) const { return options_.contains(key); }

bool SceneLine::flag(const std::string& key) {
  for (std::size_t w = 1; w < words_.size(); ++w) {
    if (words_[w] != key) continue;
    words_.erase(words_.begin() + static_cast<std::ptrdiff_t>(w));
    return true;
  }
  return false;
}

std::string SceneLine::text_of(const std::string& key, std::string_view fallback) {
  read_[key] = true;
  const auto found = options_.find(key);
  return found == options_.end() ? std::string(fallback) : found->second;
}

std::vector<std::string> SceneLine::list_of(const std::string& key, char separator) {
  return split_list(text_of(key), separator);
}

std::int64_t SceneLine::number_of(const std::string& key, std::int64_t fallback) {
  const std::string text = text_of(key);
  if (text.empty()) return fallback;
  const auto number = whole(text);
  if (!number) accuse(key + ": " + number.error().message);
  return number ? *number : fallback;
}

NamedAmounts SceneLine::amounts() {
  NamedAmounts amounts;
  for (const auto& [key, text] : options_) {
    const auto known = resource_names().find(key);
    const bool is_extended = key.starts_with("res.");
    if (known == resource_names().end() && !is_extended) continue;
    read_[key] = true;
    read_amount(key, text, amounts);
  }
  return amounts;
}

NamedAmounts SceneLine::amounts_of(const std::string& key) {
  NamedAmounts amounts;
  for (const std::string& part : list_of(key)) {
    const std::size_t colon = part.find(':');
    if (colon == std::string::npos) accuse(key + ": expected a list such as cpu:2,mem:4Gi");
    if (colon != std::string::npos)
      read_amount(part.substr(0, colon), part.substr(colon + 1), amounts);
  }
  return amounts;
}

void SceneLine::read_amount(const std::string& key, const std::string& text,
                            NamedAmounts& amounts) {
  const auto known = resource_names().find(key);
  const bool is_extended = key.starts_with("res.");
  if (known == resource_names().end() && !is_extended) return accuse("no resource: " + key);
  const auto amount = parse_amount(text, key == "cpu");
  if (!amount) accuse(key + ": " + amount.error().message);
  amounts[is_extended ? key.substr(4) : known->second] = amount ? *amount : 0;
}

std::string SceneLine::unread() const {
  for (const auto& [key, text] : options_) {
    if (!read_.contains(key)) return key;
  }
  return "";
}

Result<std::int64_t> parse_amount(std::string_view text, bool milli) {
  std::int64_t unit = milli ? 1000 : 1;
  if (milli && text.ends_with("m")) {
    unit = 1;
    text.remove_suffix(1);
  }
  const std::pair<std::string_view, std::int64_t> suffixes[] = {
      {"Ki", 1LL << 10}, {"Mi", 1LL << 20}, {"Gi", 1LL << 30}, {"Ti", 1LL << 40}};
  for (const auto& [suffix, times] : suffixes) {
    if (!text.ends_with(suffix)) continue;
    unit *= times;
    text.remove_suffix(suffix.size());
    break;
  }
  const std::size_t point = text.find('.');
  const auto number = whole(text.substr(0, point));
  if (!number || point == std::string_view::npos) {
    return number ? Result<std::int64_t>(*number * unit) : number;
  }
  const auto part = whole(text.substr(point + 1));
  if (!part) return part;
  std::int64_t scale = 1;
  for (std::size_t i = point + 1; i < text.size(); ++i) scale *= 10;
  return *number * unit + *part * unit / scale;
}

Result<NameRange> parse_range(std::string_view text) {
  const std::size_t slash = text.rfind('/');
  if (slash == std::string_view::npos) return NameRange{std::string(text)};
  NameRange range{std::string(text.substr(0, slash))};
  const std::string_view numbers = text.substr(slash + 1);
  const std::size_t dots = numbers.find("..");
  const auto first = whole(numbers.substr(0, dots));
  const auto last = dots == std::string_view::npos ? first : whole(numbers.substr(dots + 2));
  if (!first || !last || *last < *first) {
    return Error{"\"" + std::string(text) + "\" is no range of tasks; expected \"job/0..2\"", ""};
  }
  range.first = *first;
  range.last = *last;
  return range;
}

}  // namespace berth::support
