#include "engine/exact_fill.h"

#include <algorithm>

#include "berth/base/look_up.h"
#include "berth/engine/fit.h"
#include "berth/engine/session.h"

namespace berth::engine {

ExactFill::ExactFill(Session& session, const Need& need, const std::vector<NodeId>& nodes) {
  const Cluster& cluster = session.cluster();
  for (const Need::Part& part : need.parts) {
    const Shape& shape = cluster.shape(part.shape);
    if (shape.has_relations() || shape.has_host_ports || shape.has_volumes) return;
    for (const auto& [dimension, amount] : shape.requested) asked_.push_back(dimension);
  }
  sort_once(asked_);
  for (const std::size_t p : parts_largest_first(cluster, need)) add_part(session, need, p);
  add_nodes(cluster, nodes);
  is_possible_ = nodes_.size() <= kNodesMost && may_do();
}

void ExactFill::add_part(Session& session, const Need& need, std::size_t number) {
  const Need::Part& of = need.parts[number];
  Part part{number, {}, of.count, session.passing(of.shape)};
  for (const Dimension d : asked_) {
    part.request.push_back(session.cluster().shape(of.shape).request[d]);
  }
  parts_.push_back(std::move(part));
}

// Those that take a member. The fullest first: what they take leaves others whole.
void ExactFill::add_nodes(const Cluster& cluster, const std::vector<NodeId>& nodes) {
  std::vector<std::pair<Amounts, NodeId>> found;
  for (const NodeId node : nodes) {
    Amounts room;
    for (const Dimension d : asked_) room.push_back(IdleNow{cluster}.at(node, d));
    found.emplace_back(std::move(room), node);
  }
  std::sort(found.begin(), found.end());
  for (auto& each : found) {
    const NodeId node = each.second;
    rooms_.push_back(std::move(each.first));
    const bool takes_any = std::any_of(parts_.begin(), parts_.end(), [&](const Part& part) {
      return part.passing[node.index()] != 0 && capacity(part, rooms_.size() - 1) > 0;
    });
    if (takes_any) {
      nodes_.push_back(node);
    } else {
      rooms_.pop_back();
    }
  }
  for (Part& part : parts_) {
    std::vector<std::uint8_t> passing;
    for (const NodeId node : nodes_) passing.push_back(part.passing[node.index()]);
    part.passing = std::move(passing);
  }
}

std::int64_t ExactFill::capacity(const Part& part, std::size_t node) const {
  std::int64_t most = part.count;
  for (std::size_t d = 0; d < asked_.size(); ++d) {
    if (part.request[d] > 0) {
      most = std::min(most, std::max<std::int64_t>(0, rooms_[node][d]) / part.request[d]);
    }
  }
  return most;
}

// Is there enough in sum, of each resource and for each part by itself?
bool ExactFill::may_do() const {
  for (std::size_t d = 0; d < asked_.size(); ++d) {
    __int128 room = 0;
    for (const Amounts& each : rooms_) room += std::max<std::int64_t>(0, each[d]);
    for (const Part& part : parts_) room -= static_cast<__int128>(part.request[d]) * part.count;
    if (room < 0) return false;
  }
  return std::all_of(parts_.begin(), parts_.end(), [&](const Part& part) {
    std::int64_t most = 0;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      if (part.passing[n] != 0) most += capacity(part, n);
    }
    return most >= part.count;
  });
}

std::vector<Bins::Filling::Place> ExactFill::run() {
  if (!is_possible_) return {};
  taken_.assign(parts_.size(), std::vector<std::int32_t>(nodes_.size(), 0));
  if (!try_part(0)) return {};
  std::vector<Bins::Filling::Place> places;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      if (taken_[p][n] > 0) places.push_back({parts_[p].number, nodes_[n], taken_[p][n]});
    }
  }
  return places;
}

bool ExactFill::try_part(std::size_t p) {
  if (p == parts_.size()) return true;
  const Part& part = parts_[p];
  std::vector<std::int64_t> room_behind(nodes_.size() + 1, 0);  // in members
  for (std::size_t n = nodes_.size(); n-- > 0;) {
    room_behind[n] = room_behind[n + 1] + (part.passing[n] != 0 ? capacity(part, n) : 0);
  }
  steps_ += static_cast<std::int64_t>(nodes_.size());
  return try_node(p, 0, part.count, room_behind);
}

// Nodes that are alike take no more, one after the other: other ways are the same ways.
bool ExactFill::try_node(std::size_t p, std::size_t node, std::int32_t left,
                         const std::vector<std::int64_t>& room_behind) {
  if (left == 0) return try_part(p + 1);
  if (++steps_ > kStepsMost || room_behind[node] < left) return false;
  const std::int64_t here = room_behind[node] - room_behind[node + 1];
  auto most = static_cast<std::int32_t>(std::min<std::int64_t>(here, left));
  if (node > 0 && are_alike(p, node - 1, node)) most = std::min(most, taken_[p][node - 1]);
  for (std::int32_t count = most; count >= 0; --count) {
    if (room_behind[node + 1] < left - count) return false;
    take(p, node, count);
    if (try_node(p, node + 1, left - count, room_behind)) return true;
    take(p, node, 0);
  }
  return false;
}

void ExactFill::take(std::size_t p, std::size_t node, std::int32_t count) {
  const std::int64_t more = count - taken_[p][node];
  for (std::size_t d = 0; d < asked_.size(); ++d) {
    rooms_[node][d] -= more * parts_[p].request[d];
  }
  taken_[p][node] = count;
}

// For this part and those after it. The first has taken its members already.
bool ExactFill::are_alike(std::size_t p, std::size_t first, std::size_t second) const {
  const auto pass_both = [&](const Part& part) {
    return part.passing[first] == part.passing[second];
  };
  if (!std::all_of(parts_.begin() + static_cast<std::ptrdiff_t>(p), parts_.end(), pass_both)) {
    return false;
  }
  for (std::size_t d = 0; d < asked_.size(); ++d) {
    const std::int64_t before = rooms_[first][d] + taken_[p][first] * parts_[p].request[d];
    if (before != rooms_[second][d]) return false;
  }
  return true;
}

}  // namespace berth::engine
