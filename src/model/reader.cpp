#include "berth/model/reader.h"

#include <algorithm>

namespace berth {

namespace {

constexpr std::size_t kNamedMost = 5;

std::vector<std::string> parts_of(const std::vector<std::string>& names) {
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kNamedMost));
  std::vector<std::string> parts(names.begin(), end);
  if (names.size() > kNamedMost) {
    parts.push_back(std::to_string(names.size() - kNamedMost) + " more");
  }
  return parts;
}

// "a, b and 3 more": the last part follows "and" if it is a number.
std::string list_of(const std::vector<std::string>& parts, bool ends_in_number) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool is_last = i + 1 == parts.size() && ends_in_number;
    text += (i == 0 ? "" : is_last ? " and " : ", ") + parts[i];
  }
  return text;
}

}  // namespace

std::string_view namespace_of(std::string_view full_name) {
  return full_name.substr(0, full_name.find('/'));
}

bool may_read(std::string_view reader, std::string_view name) {
  return namespace_of(reader) == namespace_of(name);
}

// MAY-11
std::string name_for(std::string_view reader, std::string_view noun, std::string_view name) {
  if (may_read(reader, name)) return std::string(name);
  return "a " + std::string(noun) + " of another namespace";
}

// MAY-11
std::string names_for(std::string_view reader, const std::vector<std::string>& names) {
  std::vector<std::string> own;
  std::copy_if(names.begin(), names.end(), std::back_inserter(own),
               [&](const std::string& name) { return may_read(reader, name); });
  std::vector<std::string> parts = parts_of(own);
  const std::size_t others = names.size() - own.size();
  if (others > 0) parts.push_back(std::to_string(others) + " of other namespaces");
  return list_of(parts, others > 0 || own.size() > kNamedMost);
}

std::string all_names(const std::vector<std::string>& names) {
  return list_of(parts_of(names), names.size() > kNamedMost);
}

}  // namespace berth
