#include "engine/ranking.h"

#include <algorithm>
#include <utility>

#include "berth/base/check.h"
#include "berth/base/look_up.h"
#include "berth/engine/node_block.h"
#include "berth/engine/session.h"
#include "berth/engine/vectorise.h"
#include "engine/fit/first_refusal.h"

namespace berth::engine {

bool has_wishes(const Session& session, const Shape& shape) {
  if (shape.base == shape.id) return false;
  const PodRelations& relations = session.cluster().relations();
  const auto counts_any = [&](TermId id) { return relations.term(id).counts.domain_count() > 0; };
  const auto is_there = [&](ImageId id) { return relations.images().nodes_with(id) > 0; };
  if (!session.is_silent(points::wish_order)) {
    const ShapeTerms& terms = shape.terms;
    if (!terms.preferred_spread.empty()) return true;
    if (std::any_of(terms.preferred.begin(), terms.preferred.end(), counts_any)) return true;
    if (std::any_of(terms.drawn_by.begin(), terms.drawn_by.end(), counts_any)) return true;
  }
  return std::any_of(shape.images.begin(), shape.images.end(), is_there);
}

namespace {

// Grows with each change of a count. Never 0.
std::uint64_t version_of_wishes(const Cluster& cluster, const Shape& shape) {
  std::uint64_t version = 1;
  for (const auto* const terms :
       {&shape.terms.preferred, &shape.terms.preferred_spread, &shape.terms.drawn_by}) {
    for (const TermId id : *terms) version += cluster.relations().term(id).counts.version();
  }
  return version;
}

// Of the terms that decide where such a pod may go; sorted.
std::vector<TopologyKeyId> topology_keys(const Cluster& cluster, const Shape& shape) {
  std::vector<TopologyKeyId> keys;
  const ShapeTerms& terms = shape.terms;
  for (const auto* some :
       {&terms.affinity, &terms.anti_affinity, &terms.refused_by, &terms.spread}) {
    for (const TermId id : *some) keys.push_back(cluster.relations().term(id).key);
  }
  sort_once(keys);
  return keys;
}

}  // namespace

void Ranking::catch_up(Session& session) {
  const Cluster& cluster = session.cluster();
  const ChangeJournal& changes = cluster.changes();
  const bool is_specified_anew = spec_version_ != cluster.spec_version();
  const bool has_new_images = !cluster.shape(shape_).images.empty() && has_wishes() &&
                              image_version_ != cluster.relations().images().version();
  if (is_specified_anew) rank_specifications(session);
  if (is_specified_anew || has_new_images) rank_preferences(session);
  if (has_wishes()) catch_up_wishes(session);
  const bool has_new_scores = version_ != session.memory().node_order_version;
  version_ = session.memory().node_order_version;
  if (has_new_scores) ++rescored_;
  if (has_new_scores || is_specified_anew) known_.clear();
  if (is_specified_anew || has_new_images || has_new_scores) {
    rank_all(session);
  } else if (!changes.has_since(position_)) {
    rank_all(session);
  } else if (position_ != changes.position()) {
    const auto missed = changes.since(position_);
    // Scoring a scattered node costs about four times its part of a full pass.
    if (missed.size() == 1) {
      rank_node(session, missed.front());
    } else if (missed.size() * 4 > cluster.node_count()) {
      rank_all(session);
    } else {
      rank_nodes(session, missed);
    }
  }
  position_ = changes.position();
}

void Ranking::rank_specifications(Session& session) {
  const Cluster& cluster = session.cluster();
  const Shape& base = cluster.shape(base_);
  spec_version_ = cluster.spec_version();
  const std::size_t nodes = cluster.node_count();
  const auto blocks_of = [](std::size_t count) { return (count + kBlock - 1) / kBlock; };
  const std::size_t blocks = blocks_of(nodes);
  early_refusals_.clear();
  refuses_early_.assign(nodes, 0);
  passes_.assign(nodes, 0);
  could_pass_.assign(nodes, 0);
  scores_.assign(blocks * kBlock, kUnfit);
  super_best_.assign(blocks_of(blocks), kUnfit);
  block_best_.assign(super_best_.size() * kBlock, kUnfit);
  for (std::size_t n = 0; n < nodes; ++n) {
    const Verdict verdict = may_run_on(session, base, NodeId(n));
    passes_[n] = verdict ? 1 : 0;
    could_pass_[n] = passes_in_time(verdict) ? 1 : 0;
    const bool is_early =
        !verdict && (verdict.reason == Reason::vetoed ||
                     !passes_before_room({cluster, base, cluster.node(NodeId(n))}));
    if (!is_early) continue;
    refuses_early_[n] = 1;
    ++early_refusals_[{verdict.reason, std::string(verdict.what)}];
  }
}

void Ranking::rank_preferences(Session& session) {
  const Cluster& cluster = session.cluster();
  image_version_ = cluster.relations().images().version();
  wish_version_ = 0;
  wishes_.clear();
  preference_.assign(passes_.size(), 0);
  session.ask(points::batch_node_order, cluster.shape(shape_), passes_, preference_.data());
}

// AFFINITY-10, SPREAD-9. Scores of nodes that have not changed follow.
void Ranking::catch_up_wishes(Session& session) {
  const Shape& shape = session.cluster().shape(shape_);
  const std::uint64_t version = version_of_wishes(session.cluster(), shape);
  if (wish_version_ == version) return;
  wish_version_ = version;
  std::vector<std::int32_t> now(passes_.size(), 0);
  session.ask(points::wish_order, shape, passes_, now.data());
  wishes_.resize(now.size(), 0);
  for (std::size_t n = 0; n < now.size(); ++n) {
    const std::int32_t change = now[n] - wishes_[n];
    preference_[n] += change;
    if (scores_[n] != kUnfit) scores_[n] += change;
  }
  wishes_ = std::move(now);
  ++rescored_;
  for (std::size_t block = 0; block < scores_.size() / kBlock; ++block) lift_block(block);
  for (std::size_t super = 0; super < super_best_.size(); ++super) lift_super(super);
}

void Ranking::rank_all(Session& session) {
  const std::size_t nodes = session.cluster().node_count();
  for (std::size_t first = 0; first < nodes; first += kBlock) {
    const std::size_t count = std::min(kBlock, nodes - first);
    score(session, NodeBlock(session.cluster(), session.shares(), first, count), &scores_[first]);
  }
  for (std::size_t block = 0; block < scores_.size() / kBlock; ++block) lift_block(block);
  for (std::size_t super = 0; super < super_best_.size(); ++super) lift_super(super);
}

void Ranking::rank_node(Session& session, NodeId node) {
  const std::size_t n = node.index();
  const std::int32_t before = scores_[n];
  std::uint8_t fits = 0;
  find_room(session, NodeBlock(session.cluster(), session.shares(), n, 1), &fits);
  scores_[n] = fits != 0 ? preference_[n] + sum_of(session, node) : kUnfit;
  lift(node, before);
}

// The node's score was this before.
void Ranking::lift(NodeId node, std::int32_t before) {
  const std::size_t n = node.index();
  if (scores_[n] == before) return;
  const std::size_t block = n / kBlock;
  const std::int32_t block_before = block_best_[block];
  if (scores_[n] > block_before) {
    block_best_[block] = scores_[n];
  } else if (before == block_before) {
    lift_block(block);
  }
  if (block_best_[block] != block_before) lift_super(block / kBlock);
}

void Ranking::rank_nodes(Session& session, std::span<const NodeId> nodes) {
  is_block_stale_.assign(block_best_.size(), 0);
  std::int32_t fresh[kBlock];
  NodeBlock::Scratch scratch;
  for (std::size_t begin = 0; begin < nodes.size(); begin += kBlock) {
    const auto some = nodes.subspan(begin, std::min(kBlock, nodes.size() - begin));
    score(session, NodeBlock(session.cluster(), session.shares(), some, scratch), fresh);
    for (std::size_t i = 0; i < some.size(); ++i) {
      scores_[some[i].index()] = fresh[i];
      is_block_stale_[some[i].index() / kBlock] = 1;
    }
  }
  for (std::size_t block = 0; block < scores_.size() / kBlock; ++block) {
    if (is_block_stale_[block] != 0) lift_block(block);
  }
  for (std::size_t super = 0; super < super_best_.size(); ++super) lift_super(super);
}

DomainRanking& Ranking::allowed(const Cluster& cluster, const Shape& shape) {
  if (std::exchange(turn_, shape.serial) != shape.serial) begin_turn(cluster, shape);
  allowed_.back()->catch_up(cluster, *this);
  return *allowed_.back();
}

void Ranking::begin_turn(const Cluster& cluster, const Shape& shape) {
  const DomainTable& domains = cluster.relations().domains();
  const std::vector<TopologyKeyId> keys = topology_keys(cluster, shape);
  const auto known = std::find_if(allowed_.begin(), allowed_.end(),
                                  [&](const auto& each) { return each->is_for(domains, keys); });
  if (known != allowed_.end()) {
    std::rotate(known, known + 1, allowed_.end());
  } else {
    if (allowed_.size() == kDomainRankingsMax) allowed_.erase(allowed_.begin());
    allowed_.push_back(std::make_unique<DomainRanking>(domains, keys));
  }
  allowed_.back()->catch_up(cluster, *this);
  allowed_bytes_ = 0;
  for (const auto& each : allowed_) allowed_bytes_ += each->bytes();
}

namespace {

BERTH_VECTORISED
void keep_where_covered(const std::int64_t* available, std::int64_t amount, std::size_t count,
                        std::uint8_t* fits) {
  for (std::size_t i = 0; i < count; ++i) {
    fits[i] = static_cast<std::uint8_t>(fits[i] & (available[i] >= amount ? 1 : 0));
  }
}

// Moves those that are alike out of `left`, and says how many they are.
BERTH_VECTORISED
std::size_t give_score(std::int32_t sum, const std::int32_t* preferences, std::size_t count,
                       const std::uint8_t* alike, std::uint8_t* left, std::int32_t* scores) {
  std::size_t many = 0;
  for (std::size_t i = 0; i < count; ++i) {
    scores[i] = alike[i] != 0 ? preferences[i] + sum : scores[i];
    left[i] = static_cast<std::uint8_t>(left[i] - alike[i]);
    many += alike[i];
  }
  return many;
}

}  // namespace

// 1 for those that have room, else 0.
void Ranking::find_room(Session& session, const NodeBlock& block, std::uint8_t* fits) const {
  const Cluster& cluster = session.cluster();
  const Shape& shape = cluster.shape(base_);
  const std::size_t count = block.count();
  std::uint8_t copies[kBlock];
  std::copy_n(block.pick(passes_, copies), count, fits);
  for (const auto& [dimension, amount] : shape.requested) {
    keep_where_covered(block.available(dimension), amount, count, fits);
  }
  if (const NodeLocks& locks = cluster.locks(); locks.are_any()) {
    for (std::size_t i = 0; i < count; ++i) {
      const NodeId node = block.node(i);
      if (locks.target_in_the_way(node, for_.target).is_valid()) fits[i] = 0;
      if (locks.queue(node) != for_.queue) fits[i] = 0;
    }
  }
  if (depends_on_ == DependsOn::specification) return;
  for (std::size_t i = 0; i < count; ++i) {
    if (fits[i] != 0) fits[i] = fits_beside(session, shape, block.node(i)) ? 1 : 0;
  }
}

// Many nodes of a block are alike: empty, or filled by members of one gang. One is scored for all.
void Ranking::score(Session& session, const NodeBlock& block, std::int32_t* scores) {
  const Cluster& cluster = session.cluster();
  const NodeClasses& classes = session.memory().node_classes;
  const std::size_t count = block.count();
  std::uint8_t left[kBlock];
  find_room(session, block, left);
  std::fill_n(scores, count, kUnfit);
  std::int32_t copies[kBlock];
  const std::int32_t* preferences = block.pick(preference_, copies);
  for (std::size_t first = 0;; ++first) {
    first = static_cast<std::size_t>(std::find(left + first, left + count, 1) - left);
    if (first == count) return;
    std::uint8_t alike[kBlock];
    std::copy_n(left, count, alike);
    classes.keep_alike(cluster, block, first, alike);
    const std::int32_t sum = sum_of(session, block.node(first));
    const std::size_t many = give_score(sum, preferences, count, alike, left, scores);
    if (many * 8 < count) break;
  }
  score_each(session, block, left, scores);
}

std::int32_t Ranking::sum_of(Session& session, NodeId node) {
  const Cluster& cluster = session.cluster();
  const std::uint32_t node_class = session.memory().node_classes.of(node);
  if (const auto* known = known_.find(cluster, node_class, node)) {
    return static_cast<std::int32_t>(*known);
  }
  std::int32_t sum = 0;
  session.ask(points::node_order, cluster.shape(base_),
              NodeBlock(cluster, session.shares(), node.index(), 1), static_cast<ScoreSums>(&sum));
  known_.keep(sum);
  return sum;
}

// Those that are marked.
void Ranking::score_each(Session& session, const NodeBlock& block, const std::uint8_t* marked,
                         std::int32_t* scores) const {
  const Cluster& cluster = session.cluster();
  NodeId nodes[kBlock];
  std::int32_t sums[kBlock];
  std::uint8_t at[kBlock];
  std::size_t number = 0;
  for (std::size_t i = 0; i < block.count(); ++i) {
    at[number] = static_cast<std::uint8_t>(i);
    nodes[number] = block.node(i);
    sums[number] = preference_[nodes[number].index()];
    number += marked[i];
  }
  if (number == 0) return;
  const NodeBlock few(cluster, session.shares(), std::span(nodes, number),
                      session.memory().scratch);
  session.ask(points::node_order, cluster.shape(base_), few, static_cast<ScoreSums>(sums));
  for (std::size_t f = 0; f < number; ++f) scores[at[f]] = sums[f];
}

void Ranking::lift_block(std::size_t block) {
  block_best_[block] = highest_in_block(&scores_[block * kBlock]);
}

void Ranking::lift_super(std::size_t super) {
  super_best_[super] = highest_in_block(&block_best_[super * kBlock]);
}

NodeId Ranking::best() const {
  if (super_best_.empty()) return NodeId();
  // Down the levels: the first that has it leads to the lowest id that has it.
  const auto best = std::max_element(super_best_.begin(), super_best_.end());
  if (*best == kUnfit) return NodeId();
  std::size_t at = static_cast<std::size_t>(best - super_best_.begin());
  at = at * kBlock + static_cast<std::size_t>(first_in_block(&block_best_[at * kBlock], *best));
  at = at * kBlock + static_cast<std::size_t>(first_in_block(&scores_[at * kBlock], *best));
  return NodeId(at);
}

namespace {

// Numbers of nodes by reason and name.
class Refusals {
 public:
  void add(const Verdict& why, std::int32_t nodes = 1) {
    NodeRefusals& found = found_[{why.reason, std::string(why.what)}];
    found.reason = why.reason;
    found.what = why.what;
    found.nodes += nodes;
    if (why.reason != Reason::insufficient_resource) return;
    found.have = std::max(found.have, why.have);
    found.need = why.need;
  }
  std::vector<NodeRefusals> most_first() && {
    std::vector<NodeRefusals> all;
    for (auto& [why, refusals] : found_) all.push_back(std::move(refusals));
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& left, const auto& right) { return left.nodes > right.nodes; });
    return all;
  }

 private:
  std::map<std::pair<Reason, std::string>, NodeRefusals> found_;
};

}  // namespace

// RELATION-10
std::vector<NodeRefusals> Ranking::why_nowhere(Session& session, const Shape& shape, JobId job) {
  const Cluster& cluster = session.cluster();
  Refusals refusals;
  for (const auto& [why, nodes] : early_refusals_) {
    refusals.add(reject(why.first, 0, 0, why.second), nodes);
  }
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    const NodeId node(n);
    if (refuses_early_[n] != 0) continue;
    if (const Verdict veto = check_vetoes(session, shape, node); veto.reason == Reason::vetoed) {
      refusals.add(veto);
    } else if (cluster.is_locked_out(node, job)) {
      refusals.add(session.is_open_to(node, job));
    } else if (const Verdict why = refusal_from_room_on(session, shape, node); !why) {
      refusals.add(why);
    } else if (const Verdict other = may_run_on(session, shape, node); !other) {
      refusals.add(other);  // of a plugin that knows more
    } else if (const Verdict beside = fits_beside(session, shape, node); !beside) {
      refusals.add(beside);
    }
  }
  return std::move(refusals).most_first();
}

}  // namespace berth::engine
