#include <algorithm>

#include "forecast/profile.h"

// Room that is kept for jobs that wait, and when they can have it.

namespace berth::forecast {

void Profile::put_in_order() {
  const auto sooner = [&](std::uint32_t left, std::uint32_t right) {
    const auto &a = pieces_[left], &b = pieces_[right];
    return a.gone_by != b.gone_by ? a.gone_by < b.gone_by : left < right;
  };
  const auto is_over = [&](std::uint32_t piece) { return pieces_[piece].is_over; };
  std::erase_if(by_limit_, is_over);
  std::erase_if(to_order_, is_over);
  std::sort(to_order_.begin(), to_order_.end(), sooner);
  const auto middle = static_cast<std::ptrdiff_t>(by_limit_.size());
  by_limit_.insert(by_limit_.end(), to_order_.begin(), to_order_.end());
  std::inplace_merge(by_limit_.begin(), by_limit_.begin() + middle, by_limit_.end(), sooner);
  to_order_.clear();
}

std::int64_t Profile::count(const WaitingJob::Part& part, const Room& room) const {
  const std::vector<std::uint8_t>& passes = state_.kinds[part.kind].passes;
  std::int64_t sum = 0;
  for (std::uint32_t node = 0; node < state_.nodes; ++node) {
    if (usable_[node] != 0 && passes[node] != 0) sum += slots_in(room, {node, part.kind});
  }
  return sum;
}

// Jobs for which room is kept have it for as long as they may stay. True: the room has changed.
bool Profile::pass_keeps(TimePoint before, TimePoint to, Room& room) const {
  bool changes = false;
  for (const Keep& keep : keeps_) {
    const bool begins = before < keep.from && keep.from <= to;
    const bool ends = before < keep.until && keep.until <= to;
    if (begins == ends) continue;
    changes = true;
    for (const Pod& pod : keep.pods) change(room, pod, begins ? -1 : 1);
  }
  return changes;
}

TimePoint Profile::next_of_keeps(TimePoint after) const {
  TimePoint next = TimePoint::max();
  for (const Keep& keep : keeps_) {
    if (keep.until > after) next = std::min(next, keep.until);
  }
  return next;
}

// It stays beyond the times from which room is kept for others.
bool Profile::fits_from(const WaitingJob& job, TimePoint from) {
  const TimePoint until = later(from, job.stay);
  Room least = room_then_;
  for (const Keep& keep : keeps_) {
    if (keep.from <= from || keep.from >= until) continue;
    for (std::size_t i = 0; i < least.size(); ++i) least[i] = std::min(least[i], keep.free[i]);
  }
  if (!lay_out(job, least)) return false;
  for (const Pod& pod : laid_) change(room_then_, pod, -1);
  return true;
}

TimePoint Profile::earliest(std::uint32_t index) {
  const WaitingJob& job = state_.waiting[index];
  mark_usable(index);
  put_in_order();
  room_then_ = idle_;
  pass_keeps(TimePoint::min(), now_, room_then_);
  std::vector<std::int64_t> sums(job.parts.size());
  const auto count_all = [&] {
    for (std::size_t p = 0; p < sums.size(); ++p) sums[p] = count(job.parts[p], room_then_);
  };
  const auto fits = [&](TimePoint from) {
    for (std::size_t p = 0; p < sums.size(); ++p) {
      if (sums[p] < job.parts[p].count) return false;
    }
    return fits_from(job, from);
  };
  // Did anything change on its nodes since it was last laid out?
  bool is_other = true;
  const auto give_back = [&](const Piece& piece) {
    is_other = is_other || usable_[piece.node] != 0;
    for (const int sign : {-1, 1}) {
      for (std::size_t p = 0; p < sums.size(); ++p) {
        const Pod pod{piece.node, job.parts[p].kind};
        const bool counts = usable_[pod.node] != 0 && state_.kinds[pod.kind].passes[pod.node] != 0;
        if (counts) sums[p] += sign * slots_in(room_then_, pod);
      }
      if (sign < 0) change(room_then_, {piece.node, piece.kind}, 1);
    }
  };
  count_all();
  TimePoint at = now_;
  for (std::size_t i = 0; !is_other || !fits(at);) {
    is_other = false;
    if (is_cancelled_ && is_cancelled_()) return TimePoint::max();
    const TimePoint limit =
        i < by_limit_.size() ? std::max(now_, pieces_[by_limit_[i]].gone_by) : TimePoint::max();
    const TimePoint next = std::min(limit, next_of_keeps(at));
    if (next == TimePoint::max()) return next;
    if (pass_keeps(at, next, room_then_)) {
      count_all();
      is_other = true;
    }
    at = next;
    for (; i < by_limit_.size() && pieces_[by_limit_[i]].gone_by <= at; ++i) {
      give_back(pieces_[by_limit_[i]]);
    }
  }
  return at;
}

// Nodes that are busy now come first, so that idle ones stay open.
bool Profile::lay_out(const WaitingJob::Part& part, Room& room) {
  const std::vector<std::uint8_t>& passes = state_.kinds[part.kind].passes;
  std::int64_t left = part.count;
  for (const bool takes_idle : {false, true}) {
    for (std::uint32_t node = 0; node < state_.nodes && left > 0; ++node) {
      const Pod pod{node, part.kind};
      if (usable_[node] == 0 || passes[node] == 0) continue;
      if ((slots_in(idle_, pod) > 0) != takes_idle) continue;
      for (std::int64_t slots = slots_in(room, pod); slots > 0 && left > 0; --slots, --left) {
        change(room, pod, -1);
        laid_.push_back(pod);
      }
    }
  }
  return left == 0;
}

bool Profile::lay_out(const WaitingJob& job, Room& room) {
  laid_.clear();
  const bool fits = std::all_of(job.parts.begin(), job.parts.end(),
                                [&](const auto& part) { return lay_out(part, room); });
  if (fits) return true;
  for (const Pod& pod : laid_) change(room, pod, 1);
  return false;
}

void Profile::keep(std::uint32_t job, TimePoint from) {
  keeps_.push_back({job, from, later(from, state_.waiting[job].stay), laid_, room_then_});
  lacks_.clear();
}

void Profile::close(std::uint32_t index) {
  lacks_.clear();
  for (std::size_t n = 0; n < state_.nodes; ++n) {
    if (kept_for_[n] == index) is_closed_[n] = 1;
  }
}

void Profile::choose_nodes(std::uint32_t index, bool takes_all) {
  const WaitingJob& job = state_.waiting[index];
  for (const WaitingJob::Part& part : job.parts) {
    std::int64_t lacks = part.count;
    std::vector<std::pair<std::int64_t, std::uint32_t>> open;  // by idle room
    for (std::uint32_t node = 0; node < state_.nodes; ++node) {
      const Pod pod{node, part.kind};
      const std::int64_t most =
          state_.kinds[part.kind].passes[node] != 0 ? slots_in(capacity_, pod) : 0;
      if (kept_for_[node] == index) lacks -= most;
      if (kept_for_[node] == kNone && most > 0) open.emplace_back(-slots_in(idle_, pod), node);
    }
    if (lacks <= 0 && !takes_all) continue;
    std::sort(open.begin(), open.end());
    for (const auto& [idle, node] : open) {
      if (lacks <= 0 && !takes_all) break;
      lacks -= slots_in(capacity_, {node, part.kind});
      kept_for_[node] = index;
      has_nodes_[index] = 1;
    }
  }
}

std::size_t Profile::nodes_needed(const WaitingJob& job) const {
  std::int64_t needed = 0;
  for (const WaitingJob::Part& part : job.parts) {
    std::int64_t best = 0;
    std::int64_t sum = 0;
    for (std::uint32_t node = 0; node < state_.nodes; ++node) {
      if (state_.kinds[part.kind].passes[node] == 0) continue;
      const std::int64_t slots = slots_in(capacity_, {node, part.kind});
      best = std::max(best, slots);
      sum += slots;
    }
    if (sum < part.count) return 0;
    needed = std::max(needed, (part.count + best - 1) / best);
  }
  return static_cast<std::size_t>(needed);
}

}  // namespace berth::forecast
