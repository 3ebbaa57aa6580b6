#include "plugins/proportion/queue_reach.h"

#include <algorithm>

namespace berth::plugins {

using namespace engine;

std::vector<std::int64_t> queue_reach(const QueueTree& tree, const Feasibility& feasibility,
                                      bool is_lent) {
  std::vector<std::int64_t> reach(tree.size() * tree.dimensions());
  for (std::size_t d = 0; d < tree.dimensions(); ++d) {
    const Dimension dimension(d);
    const auto of = [&](std::size_t at) -> std::int64_t& {
      return reach[at * tree.dimensions() + d];
    };
    of(0) = std::min(tree.limit(0, dimension), feasibility.ceiling(dimension));
    // Parents come before their children.
    for (std::size_t parent = 0; parent < tree.size(); ++parent) {
      const QueueTree::Member& member = tree.member(parent);
      std::int64_t guaranteed = 0;
      for (std::uint32_t i = 0; i < member.child_count && !is_lent; ++i) {
        guaranteed += tree.guarantee(member.first_child + i, dimension);
      }
      for (std::uint32_t i = 0; i < member.child_count; ++i) {
        const std::size_t at = member.first_child + i;
        const std::int64_t to_others = is_lent ? 0 : guaranteed - tree.guarantee(at, dimension);
        of(at) =
            std::max<std::int64_t>(0, std::min(tree.limit(at, dimension), of(parent) - to_others));
      }
    }
  }
  return reach;
}

}  // namespace berth::plugins
