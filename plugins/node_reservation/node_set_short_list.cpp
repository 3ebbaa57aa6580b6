#include "plugins/node_reservation/node_set_short_list.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "plugins/node_reservation/node_set_prices.h"

namespace berth::plugins {

namespace {

constexpr std::size_t kListed = 32;
constexpr std::size_t kListedPerNode = 2;  // besides, for each node that the set may have
constexpr std::size_t kSampled = 16;       // one in so many

using Row = std::vector<std::uint64_t>;  // by position in the useful candidates; the most first

class ShortList {
 public:
  explicit ShortList(const NodeSetMeasure& measure) : measure_(measure), all_(measure.useful()) {}

  NodePicks run() {
    expect();
    const std::size_t listed = kListed + kListedPerNode * around_.nodes;
    if (all_.size() <= 2 * listed) return all_;
    is_listed_.assign(all_.size(), 0);
    if (measure_.nodes_asked() != 0) {
      list(listed, prices());
    } else {
      rate(listed);
    }
    NodePicks nodes;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (is_listed_[i] != 0) nodes.push_back(all_[i]);
    }
    return nodes;
  }

 private:
  // A set of nodes of the mean size that is just enough.
  void expect() {
    const auto count = static_cast<std::int64_t>(all_.size());
    around_ = measure_.none();
    around_.nodes = measure_.nodes_asked();
    for (std::size_t d = 0; d < measure_.dimensions(); ++d) {
      const std::int64_t mean = std::max<std::int64_t>(1, measure_.all_give(d) / count);
      if (measure_.nodes_asked() != 0) {
        around_.gives[d] = mean * static_cast<std::int64_t>(measure_.nodes_asked());
        continue;
      }
      around_.gives[d] = measure_.target(d);
      const auto nodes = static_cast<std::size_t>(measure_.target(d) / mean) + 1;
      around_.nodes = std::max(around_.nodes, nodes);
    }
  }

  Row prices() const {
    const NodePrices price(measure_, around_, NodePrices::Against::ideal);
    Row row(all_.size());
    for (std::size_t i = 0; i < all_.size(); ++i) {
      row[i] = ~std::uint64_t{0} - static_cast<std::uint64_t>(price(all_[i]));
    }
    return row;
  }

  void rate(std::size_t listed) {
    const NodePrices prices(measure_, around_, NodePrices::Against::ideal);
    NodeGains gains(measure_);
    gains.set_left(measure_.none());
    const std::size_t dimensions = gains.missing();  // all
    std::vector<Row> rows(dimensions + 2, Row(all_.size(), 0));
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const std::uint64_t value = prices.value(all_[i]);
      std::uint64_t sum = 0;
      for (std::size_t d = 0; d < dimensions; ++d) {
        const std::uint64_t gain = gains.in_one(all_[i], d);
        rows[d][i] = gain * value;
        sum += gain;
      }
      rows[dimensions][i] = sum * value;
      rows[dimensions + 1][i] = sum;
    }
    for (std::size_t d = 0; dimensions > 1 && d < dimensions; ++d) list(listed / 2, rows[d]);
    list(listed, rows[dimensions]);
    list(listed, rows[dimensions + 1]);
  }

  // The first `count` of a row; of equals, the first. A sample says about where they begin.
  void list(std::size_t count, const Row& row) {
    Row sample;
    for (std::size_t i = 0; i < row.size(); i += kSampled) sample.push_back(row[i]);
    const std::size_t rank = std::min(sample.size() - 1, count / 12 + 8);
    const auto begin = sample.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(sample.begin(), begin, sample.end(), std::greater<>());
    ranking_.clear();
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i] >= *begin) ranking_.emplace_back(row[i], ~static_cast<std::uint32_t>(i));
    }
    if (count < ranking_.size()) {
      const auto end = ranking_.begin() + static_cast<std::ptrdiff_t>(count);
      std::nth_element(ranking_.begin(), end, ranking_.end(), std::greater<>());
      ranking_.erase(end, ranking_.end());
    }
    for (const auto& [most, position] : ranking_) is_listed_[~position] = 1;
  }

  const NodeSetMeasure& measure_;
  const NodePicks& all_;
  NodeSetMeasure::Sums around_;
  std::vector<std::uint8_t> is_listed_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> ranking_;
};

}  // namespace

NodePicks short_list(const NodeSetMeasure& measure) { return ShortList(measure).run(); }

}  // namespace berth::plugins
