#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace berth::actions {

// Tries each, in order; then those that failed, because others may have to come before them, as
// long as any succeeds. Returns those that failed in the end.
template <class T, class Try>
std::vector<T> try_in_passes(std::vector<T> waiting, Try succeeds) {
  std::size_t before = 0;
  do {
    before = waiting.size();
    std::erase_if(waiting, succeeds);
  } while (!waiting.empty() && waiting.size() < before);
  return waiting;
}

}  // namespace berth::actions
