#include "berth/engine/shares.h"

#include "berth/base/check.h"

namespace berth::engine {

void Shares::refresh(const Cluster& cluster) {
  const std::size_t dimensions = cluster.dimensions().size();
  if (spec_version_ == cluster.spec_version() && reciprocals_.size() == dimensions) return;
  spec_version_ = cluster.spec_version();
  reciprocals_.assign(dimensions, std::vector<std::int64_t>(cluster.node_count(), 0));
  constexpr std::int64_t kHundred = std::int64_t{100} << kPercentShift;
  for (std::size_t d = 0; d < dimensions; ++d) {
    for (std::size_t n = 0; n < cluster.node_count(); ++n) {
      const std::int64_t whole = cluster.allocatable().at(NodeId(n), Dimension(d));
      if (whole > 0) reciprocals_[d][n] = (kHundred + whole - 1) / whole;
    }
  }
}

}  // namespace berth::engine
