#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "actions/eviction/offer.h"

namespace berth::actions {

// Offers of nodes, the best first; and nodes that refuse the members for the moment, because of
// where others are.
class OfferHeap {
 public:
  bool is_empty() const { return heap_.empty(); }
  const Offer& best() const { return heap_.front(); }

  void push(Offer offer) {
    heap_.push_back(std::move(offer));
    std::push_heap(heap_.begin(), heap_.end(), is_worse);
  }
  Offer pop() {
    std::pop_heap(heap_.begin(), heap_.end(), is_worse);
    Offer offer = std::move(heap_.back());
    heap_.pop_back();
    return offer;
  }
  void clear() { heap_.clear(), aside_.clear(), failed_.clear(); }

  // `opened`: PodRelations::opened(). The node is asked again when that has changed.
  void put_aside(NodeId node, std::uint64_t opened) {
    if (aside_.empty()) opened_ = opened;
    aside_.push_back(node);
  }
  // The nodes to ask again now.
  std::vector<NodeId> take_aside(std::uint64_t opened) {
    return opened == opened_ ? std::vector<NodeId>() : std::exchange(aside_, {});
  }
  // It refused them when others had left. It is asked again when others have a place.
  void note_failed(NodeId node) { failed_.push_back(node); }
  std::vector<NodeId> take_failed() { return std::exchange(failed_, {}); }

 private:
  static bool is_worse(const Offer& left, const Offer& right) { return is_better(right, left); }

  std::vector<Offer> heap_;
  std::vector<NodeId> aside_;
  std::vector<NodeId> failed_;
  std::uint64_t opened_ = 0;  // when the first was put aside
};

}  // namespace berth::actions
