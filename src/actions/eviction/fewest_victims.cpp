#include "actions/eviction/fewest_victims.h"

#include <algorithm>
#include <limits>

namespace berth::actions {

namespace {

std::int64_t times(const FewestVictims::Amounts& room, const FewestVictims::Amounts& request) {
  std::int64_t most = std::numeric_limits<std::int32_t>::max();
  for (std::size_t d = 0; d < room.size(); ++d) {
    if (request[d] > 0) most = std::min(most, std::max<std::int64_t>(0, room[d]) / request[d]);
  }
  return most;
}

}  // namespace

// VICTIM-14
void FewestVictims::search(const Accept& accept) {
  accept_ = &accept;
  prepare();
  for (level_ = 1; level_ <= least_.pods && !is_over(); ++level_) {
    try_blocks(0, level_);
  }
}

void FewestVictims::prepare() {
  state_.assign(problem_.pods.size(), State::open);
  rooms_ = problem_.rooms;
  on_node_.resize(rooms_.size());
  std::vector<std::uint32_t> block_of(problem_.lots.size(), kNone);
  for (std::uint32_t p = 0; p < problem_.pods.size(); ++p) {
    const Pod& pod = problem_.pods[p];
    if (pod.node != kNone) on_node_[pod.node].push_back(p);
    if (pod.alone != kNone && pod.node != kNone) alone_.push_back(p);
    if (pod.whole == kNone) continue;
    if (block_of[pod.whole] == kNone) {
      block_of[pod.whole] = static_cast<std::uint32_t>(blocks_.size());
      blocks_.push_back(pod.whole);
      of_block_.emplace_back();
    }
    of_block_[block_of[pod.whole]].push_back(p);
  }
  // Those that do the same are neighbours, the first to leave first.
  std::stable_sort(alone_.begin(), alone_.end(), [&](std::uint32_t left, std::uint32_t right) {
    const auto key = [&](std::uint32_t p) {
      const Pod& pod = problem_.pods[p];
      return std::tie(pod.node, pod.like, pod.role, pod.request);
    };
    if (key(left) != key(right)) return key(left) < key(right);
    return problem_.lots[problem_.pods[left].alone].number <
           problem_.lots[problem_.pods[right].alone].number;
  });
}

void FewestVictims::set(std::uint32_t p, State state) {
  const Pod& pod = problem_.pods[p];
  const int sign = (state == State::leaves ? 1 : 0) - (state_[p] == State::leaves ? 1 : 0);
  state_[p] = state;
  if (pod.node == kNone || sign == 0) return;
  Amounts& room = rooms_[pod.node];
  for (std::size_t d = 0; d < room.size(); ++d) room[d] += sign * pod.request[d];
}

// Whole jobs first. Those that stay may still give surplus.
void FewestVictims::try_blocks(std::size_t block, std::int32_t left) {
  --bounds_.steps;
  if (is_over() || !could_do(left)) return;
  if (block == blocks_.size()) {
    count_suffixes(left);
    return try_pods(0, left);
  }
  const Lot& lot = problem_.lots[blocks_[block]];
  const auto pods = static_cast<std::int32_t>(of_block_[block].size());
  const Cost before = cost_;
  if (pods <= left) {
    for (const std::uint32_t p : of_block_[block]) set(p, State::leaves);
    chosen_.push_back(lot.number);
    cost_ = {before.pods + pods, std::max(before.grade, lot.grade), before.work + lot.work,
             std::max(before.last_lot, lot.number)};
    if (!costs_too_much()) try_blocks(block + 1, left - pods);
    chosen_.pop_back();
    cost_ = before;
  }
  for (const std::uint32_t p : of_block_[block]) {
    set(p, problem_.pods[p].alone == kNone ? State::stays : State::open);
  }
  try_blocks(block + 1, left);
  for (const std::uint32_t p : of_block_[block]) set(p, State::open);
}

// Then those that leave alone, node by node.
void FewestVictims::try_pods(std::size_t next, std::int32_t left) {
  --bounds_.steps;
  if (is_over()) return;
  if (left == 0) return judge();
  if (next == alone_.size()) return;
  const std::uint32_t p = alone_[next];
  const Pod& pod = problem_.pods[p];
  const bool begins_node = next == 0 || problem_.pods[alone_[next - 1]].node != pod.node;
  if (begins_node) {
    for (std::size_t s = 0; s < suffix_.size(); ++s) {
      std::int64_t most = suffix_[s][pod.node][static_cast<std::size_t>(left)];
      for (std::size_t n = 0; n < pod.node; ++n) {
        most += times(rooms_[n], problem_.members[s].request);
      }
      if (most < problem_.members[s].count) return;
    }
  }
  const auto does_the_same = [&](std::uint32_t other) {
    const Pod& o = problem_.pods[other];
    return std::tie(o.node, o.like, o.role, o.request) ==
           std::tie(pod.node, pod.like, pod.role, pod.request);
  };
  if (state_[p] == State::open && may_leave_alone(pod)) {
    const Lot& lot = problem_.lots[pod.alone];
    Job& job = problem_.jobs[pod.job];
    const Cost before = cost_;
    set(p, State::leaves);
    --job.surplus;
    if (pod.role != kNone) --job.of_role[pod.role];
    chosen_.push_back(lot.number);
    cost_ = {before.pods + 1, std::max(before.grade, lot.grade), before.work + lot.work,
             std::max(before.last_lot, lot.number)};
    if (!costs_too_much()) try_pods(next + 1, left - 1);
    chosen_.pop_back();
    cost_ = before;
    ++job.surplus;
    if (pod.role != kNone) ++job.of_role[pod.role];
    set(p, State::open);
  }
  // Without it, those that do the same and leave after it stay as well.
  std::size_t after = next + 1;
  while (after < alone_.size() && does_the_same(alone_[after])) ++after;
  try_pods(after, left);
}

bool FewestVictims::may_leave_alone(const Pod& pod) const {
  const Job& job = problem_.jobs[pod.job];
  return job.surplus > 0 && (pod.role == kNone || job.of_role[pod.role] > 0);
}

// At the end of a level only sets that cost less count.
bool FewestVictims::costs_too_much() const {
  return level_ == least_.pods &&
         std::tie(cost_.grade, cost_.work) > std::tie(least_.grade, least_.work);
}

// The most members that the node takes if 0, 1, ... of its open pods leave: of each resource, the
// largest.
std::vector<std::int32_t> FewestVictims::most_on(std::size_t node, const Members& members,
                                                 std::int32_t left) const {
  std::vector<Amounts> freed(rooms_[node].size());
  for (const std::uint32_t p : on_node_[node]) {
    if (state_[p] != State::open) continue;
    for (std::size_t d = 0; d < freed.size(); ++d) freed[d].push_back(problem_.pods[p].request[d]);
  }
  for (Amounts& each : freed) std::sort(each.rbegin(), each.rend());
  Amounts room = rooms_[node];
  std::vector<std::int32_t> most;
  for (std::size_t k = 0; k <= static_cast<std::size_t>(left); ++k) {
    most.push_back(static_cast<std::int32_t>(
        std::min<std::int64_t>(members.count, times(room, members.request))));
    for (std::size_t d = 0; d < freed.size(); ++d) room[d] += k < freed[d].size() ? freed[d][k] : 0;
  }
  return most;
}

void FewestVictims::count_tables(std::size_t size) const {
  bounds_.cells -= static_cast<std::int64_t>(rooms_.size() * size * size / 2);
}

// Could the members of each shape have room, if the others were not there?
bool FewestVictims::could_do(std::int32_t left) const {
  const auto size = static_cast<std::size_t>(left) + 1;
  for (const Members& members : problem_.members) {
    bounds_.steps -= static_cast<std::int64_t>(rooms_.size());
    count_tables(size);
    std::vector<std::int32_t> sum(size, 0);
    for (std::size_t n = 0; n < rooms_.size(); ++n) {
      const std::vector<std::int32_t> here = most_on(n, members, left);
      for (std::size_t k = size; k-- > 0;) {
        std::int32_t best = 0;
        for (std::size_t i = 0; i <= k; ++i) best = std::max(best, here[i] + sum[k - i]);
        sum[k] = std::min(best, members.count);
      }
    }
    if (sum.back() < members.count) return false;
  }
  return true;
}

// The same, from each node on.
void FewestVictims::count_suffixes(std::int32_t left) {
  const auto size = static_cast<std::size_t>(left) + 1;
  suffix_.assign(problem_.members.size(), {});
  for (std::size_t s = 0; s < suffix_.size(); ++s) {
    count_tables(size);
    suffix_[s].assign(rooms_.size() + 1, std::vector<std::int32_t>(size, 0));
    for (std::size_t n = rooms_.size(); n-- > 0;) {
      const std::vector<std::int32_t> here = most_on(n, problem_.members[s], left);
      for (std::size_t k = 0; k < size; ++k) {
        for (std::size_t i = 0; i <= k; ++i) {
          suffix_[s][n][k] = std::max(suffix_[s][n][k], here[i] + suffix_[s][n + 1][k - i]);
        }
      }
    }
  }
}

void FewestVictims::judge() {
  if (level_ == least_.pods && cost_ >= least_) return;
  if (!has_room()) return;
  if ((*accept_)(chosen_)) {
    least_ = cost_;
  } else {
    --bounds_.refused;
  }
}

bool FewestVictims::has_room() const {
  for (const Members& members : problem_.members) {
    std::int64_t most = 0;
    for (const Amounts& room : rooms_) most += times(room, members.request);
    if (most < members.count) return false;
  }
  if (problem_.members.size() == 1) return true;
  std::vector<Amounts> rooms = rooms_;
  return pack(0, problem_.members.front().count, 0, rooms);
}

bool FewestVictims::pack(std::size_t shape, std::int32_t count, std::size_t node,
                         std::vector<Amounts>& rooms) const {
  --bounds_.steps;
  if (count == 0) {
    if (++shape == problem_.members.size()) return true;
    return pack(shape, problem_.members[shape].count, 0, rooms);
  }
  if (node == rooms.size() || is_over()) return false;
  const Amounts& request = problem_.members[shape].request;
  const auto most =
      static_cast<std::int32_t>(std::min<std::int64_t>(count, times(rooms[node], request)));
  const auto take = [&](std::int32_t members) {
    for (std::size_t d = 0; d < request.size(); ++d) rooms[node][d] -= members * request[d];
  };
  for (std::int32_t here = most; here >= 0; --here) {
    take(here);
    const bool is_packed = pack(shape, count - here, node + 1, rooms);
    take(-here);
    if (is_packed) return true;
  }
  return false;
}

}  // namespace berth::actions
