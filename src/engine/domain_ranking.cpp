#include "engine/domain_ranking.h"

#include <algorithm>

#include "engine/ranking.h"
#include "engine/score_blocks.h"

namespace berth::engine {

namespace {

std::vector<std::string> names_of(const DomainTable& domains,
                                  const std::vector<TopologyKeyId>& keys) {
  std::vector<std::string> names;
  for (const TopologyKeyId key : keys) names.push_back(domains.name(key));
  return names;
}

}  // namespace

DomainRanking::DomainRanking(const DomainTable& domains, std::vector<TopologyKeyId> keys)
    : keys_(std::move(keys)), key_names_(names_of(domains, keys_)) {}

bool DomainRanking::is_for(const DomainTable& domains,
                           const std::vector<TopologyKeyId>& keys) const {
  return keys == keys_ && names_of(domains, keys) == key_names_;
}

void DomainRanking::catch_up(const Cluster& cluster, const Ranking& ranking) {
  const ChangeJournal& changes = cluster.changes();
  if (spec_version_ != cluster.spec_version()) {
    arrange(cluster);
    take_all(ranking);
  } else if (rescored_ != ranking.rescored() || !changes.has_since(position_) ||
             changes.since(position_).size() > cluster.node_count()) {
    take_all(ranking);
  } else {
    for (const NodeId node : changes.since(position_)) {
      set(place_of_[node.index()], ranking.score(node));
    }
  }
  spec_version_ = cluster.spec_version();
  rescored_ = ranking.rescored();
  position_ = changes.position();
}

void DomainRanking::arrange(const Cluster& cluster) {
  groups_ = group_nodes(cluster, keys_);
  std::vector<std::size_t> sizes(groups_.count, 0);
  for (const std::uint32_t group : groups_.of) ++sizes[group];
  group_.clear();
  group_at_.clear();
  std::vector<std::size_t> next;  // free place, by group
  for (std::size_t g = 0; g < groups_.count; ++g) {
    const std::size_t blocks = (sizes[g] + kScoreBlock - 1) / kScoreBlock;
    group_.push_back({group_at_.size(), blocks, kUnfit, false});
    next.push_back(group_at_.size() * kScoreBlock);
    group_at_.resize(group_at_.size() + blocks, static_cast<std::uint32_t>(g));
  }
  node_at_.assign(group_at_.size() * kScoreBlock, NodeId());
  place_of_.clear();
  for (std::size_t n = 0; n < groups_.of.size(); ++n) {
    const std::size_t place = next[groups_.of[n]]++;
    node_at_[place] = NodeId(n);
    place_of_.push_back(static_cast<std::uint32_t>(place));
  }
}

void DomainRanking::take_all(const Ranking& ranking) {
  left_out_.clear();
  scores_.assign(node_at_.size(), kUnfit);
  for (std::size_t n = 0; n < place_of_.size(); ++n) {
    scores_[place_of_[n]] = ranking.score(NodeId(n));
  }
  block_best_.resize(group_at_.size());
  for (std::size_t block = 0; block < block_best_.size(); ++block) {
    block_best_[block] = highest_in_block(&scores_[block * kScoreBlock]);
  }
  for (Group& group : group_) {
    group.best = highest_of(block_best_.data() + group.first_block, group.blocks);
    group.is_left_out = false;
  }
}

void DomainRanking::set(std::size_t place, std::int32_t score) {
  const std::int32_t before = std::exchange(scores_[place], score);
  const std::size_t block = place / kScoreBlock;
  const std::int32_t block_before = block_best_[block];
  if (score > block_before) {
    block_best_[block] = score;
  } else if (score < before && before == block_before) {
    block_best_[block] = highest_in_block(&scores_[block * kScoreBlock]);
  }
  if (block_best_[block] == block_before) return;
  Group& group = group_[group_at_[block]];
  group.best = highest_of(block_best_.data() + group.first_block, group.blocks);
}

void DomainRanking::take_turn(std::uint64_t serial, std::uint64_t opened, const Ranking& ranking) {
  const std::pair turn{serial, opened};
  if (turn_ == turn) return;
  turn_ = turn;
  for (Group& group : group_) group.is_left_out = false;
  for (const NodeId node : left_out_) set(place_of_[node.index()], ranking.score(node));
  left_out_.clear();
}

void DomainRanking::leave_out(NodeId node) {
  set(place_of_[node.index()], kUnfit);
  left_out_.push_back(node);
}

void DomainRanking::leave_out_group_of(NodeId node) {
  group_[groups_.of[node.index()]].is_left_out = true;
}

NodeId DomainRanking::best() const {
  std::int32_t highest = kUnfit;
  for (const Group& group : group_) {
    if (!group.is_left_out) highest = std::max(highest, group.best);
  }
  NodeId best;
  if (highest == kUnfit) return best;
  for (const Group& group : group_) {
    if (group.is_left_out || group.best != highest) continue;
    const NodeId node = first_with(group, highest);
    if (!best.is_valid() || node < best) best = node;
  }
  return best;
}

// Nodes of a group are in the order of their ids.
NodeId DomainRanking::first_with(const Group& group, std::int32_t score) const {
  std::size_t block = group.first_block;
  while (block_best_[block] != score) ++block;
  const std::size_t first = block * kScoreBlock;
  return node_at_[first + static_cast<std::size_t>(first_in_block(&scores_[first], score))];
}

std::size_t DomainRanking::bytes() const {
  return scores_.size() * (sizeof(std::int32_t) + sizeof(NodeId)) +
         place_of_.size() * 2 * sizeof(std::uint32_t);
}

}  // namespace berth::engine
