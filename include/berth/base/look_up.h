#pragma once

#include <algorithm>
#include <utility>
#include <vector>

// Look-ups in tables and changes of them, where the standard library takes several steps.

namespace berth {

// The value of this key; null: the map has none.
template <class Map, class Key>
auto* find_value(Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

// A copy of it; `otherwise` if the map has none.
template <class Map, class Key>
typename Map::mapped_type value_or(const Map& map, const Key& key,
                                   typename Map::mapped_type otherwise = {}) {
  const auto* const found = find_value(map, key);
  return found == nullptr ? otherwise : *found;
}

// Afterwards the map has this value for the key, or none if it is not wanted.
template <class Map, class Key, class Value>
void put_or_erase(Map& map, const Key& key, Value&& value, bool is_wanted) {
  if (is_wanted) {
    map.insert_or_assign(key, std::forward<Value>(value));
  } else {
    map.erase(key);
  }
}

// Takes the element from the set that a map of sets has for the key; an empty set goes, too.
template <class Map, class Key, class Element>
void erase_from(Map& map, const Key& key, const Element& element) {
  const auto found = map.find(key);
  if (found == map.end()) return;
  found->second.erase(element);
  if (found->second.empty()) map.erase(found);
}

// Takes one entry with this key and value, if there is one, from a multimap.
template <class Map, class Key, class Value>
void erase_entry(Map& map, const Key& key, const Value& value) {
  const auto [first, last] = map.equal_range(key);
  const auto found =
      std::find_if(first, last, [&](const auto& entry) { return entry.second == value; });
  if (found != last) map.erase(found);
}

template <class Value, class Values>
bool is_any_of(const Value& value, const Values& values) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// In order, and each once.
template <class T>
void sort_once(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace berth
