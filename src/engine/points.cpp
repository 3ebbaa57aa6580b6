#include "berth/engine/points.h"

#include <algorithm>

namespace berth::engine::points {

namespace {

template <class... P>
std::vector<std::string> names_of(const std::tuple<P...>*) {
  return {std::string(P::name)...};
}

}  // namespace

std::vector<std::string> names() {
  std::vector<std::string> all = names_of(static_cast<const All*>(nullptr));
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace berth::engine::points
