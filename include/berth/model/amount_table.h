#pragma once

#include <cstdint>
#include <vector>

#include "berth/base/strong_id.h"

namespace berth {

// Amounts by node and dimension, a column a dimension: what the hot pass reads.
class AmountTable {
 public:
  void reset(std::size_t nodes, std::size_t dimensions);
  void add_dimension() { columns_.emplace_back(nodes_, 0); }
  std::size_t dimensions() const { return columns_.size(); }
  const std::int64_t* column(Dimension d) const { return columns_[d.index()].data(); }
  std::int64_t at(NodeId n, Dimension d) const { return columns_[d.index()][n.index()]; }
  std::int64_t& at(NodeId n, Dimension d) { return columns_[d.index()][n.index()]; }
  bool operator==(const AmountTable&) const = default;

 private:
  std::size_t nodes_ = 0;
  std::vector<std::vector<std::int64_t>> columns_;
};

}  // namespace berth
