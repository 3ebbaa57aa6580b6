#include "forecast/profile.h"

#include <algorithm>
#include <limits>

namespace berth::forecast {

namespace {

constexpr std::size_t kExactMost = 4096;  // pods that run and jobs that wait
constexpr std::int64_t kStepsOfDistance = 32;

}  // namespace

Profile::Profile(const State& state)
    : state_(state),
      dimensions_(state.dimensions),
      now_(state.now),
      is_exact_(state.running.size() + state.waiting.size() <= kExactMost),
      idle_(state.idle),
      capacity_(state.idle),
      kept_for_(state.kept_for),
      has_nodes_(state.waiting.size()),
      queues_(state.queues),
      slots_(state.kinds.size()),
      is_closed_(state.nodes),
      usable_(state.nodes) {
  for (const std::uint32_t target : kept_for_) {
    if (target != kNone) has_nodes_[target] = 1;
  }
  pieces_.reserve(state.running.size());
  for (const RunningPods& pod : state.running) {
    change(capacity_, {pod.node, pod.kind}, 1);
    add({pod.gone_by, pod.expected, pod.node, pod.kind, pod.queue});
  }
}

void Profile::add(const Piece& piece) {
  const auto index = static_cast<std::uint32_t>(pieces_.size());
  pieces_.push_back(piece);
  if (piece.expected != TimePoint::max()) ends_.push({on_grid(piece.expected), index});
  if (piece.gone_by != TimePoint::max()) to_order_.push_back(index);
}

// PLANNER-5. The further away, the coarser.
TimePoint Profile::on_grid(TimePoint at) const {
  if (is_exact_) return at;
  const std::int64_t second = Duration(std::chrono::seconds(1)).count();
  const std::int64_t distance = (at - state_.now).count();
  std::int64_t step = second;
  while (step * 2 * kStepsOfDistance <= distance) step *= 2;
  const std::int64_t steps = (distance + step - 1) / step;
  return state_.now + Duration(steps * step);
}

void Profile::change(Room& room, Pod pod, std::int64_t by) const {
  std::int64_t* const row = room.data() + pod.node * dimensions_;
  for (const auto& [dimension, amount] : state_.kinds[pod.kind].request) {
    row[dimension] += by * amount;
  }
}

void Profile::change_idle(Pod pod, std::int64_t by) {
  change(idle_, pod, by);
  changed_.push_back(pod.node);
}

void Profile::charge(std::uint32_t queue, std::uint32_t kind, std::int64_t by) {
  for (; queue != kNone; queue = queues_[queue].above) {
    for (const auto& [dimension, amount] : state_.kinds[kind].request) {
      queues_[queue].has[dimension] += by * amount;
    }
  }
}

std::int64_t Profile::slots_in(const Room& room, Pod pod) const {
  const std::int64_t* const row = room.data() + pod.node * dimensions_;
  std::int64_t least = std::numeric_limits<std::int32_t>::max();
  for (const auto& [dimension, amount] : state_.kinds[pod.kind].request) {
    if (row[dimension] < amount) return 0;
    least = std::min(least, row[dimension] / amount);
  }
  return least;
}

const Profile::Slots& Profile::slots(std::uint32_t kind) {
  Slots& slots = slots_[kind];
  const std::vector<std::uint8_t>& passes = state_.kinds[kind].passes;
  const auto look_at = [&](std::uint32_t node) {
    const std::int64_t now = passes[node] != 0 ? slots_in(idle_, {node, kind}) : 0;
    slots.sum += now - slots.at[node];
    slots.at[node] = static_cast<std::int32_t>(now);
  };
  if (slots.at.empty() || changed_.size() - slots.seen > state_.nodes) {
    slots.at.resize(state_.nodes);
    for (std::uint32_t node = 0; node < state_.nodes; ++node) look_at(node);
  } else {
    for (std::size_t i = slots.seen; i < changed_.size(); ++i) look_at(changed_[i]);
  }
  slots.seen = changed_.size();
  return slots;
}

// --- ends -------------------------------------------------------------------------------------

TimePoint Profile::next_end() const { return ends_.empty() ? TimePoint::max() : ends_.top().at; }

void Profile::pass_to(TimePoint now) {
  now_ = now;
  for (; !ends_.empty() && ends_.top().at <= now; ends_.pop()) {
    Piece& piece = pieces_[ends_.top().piece];
    piece.is_over = true;
    change_idle({piece.node, piece.kind}, 1);
    charge(piece.queue, piece.kind, -1);
  }
  keeps_.clear();
  lacks_.clear();
  std::fill(is_closed_.begin(), is_closed_.end(), 0);
}

// --- starts -----------------------------------------------------------------------------------

bool Profile::is_beyond_queue(const WaitingJob& job) const {
  std::vector<std::int64_t> asks(dimensions_);
  for (const WaitingJob::Part& part : job.parts) {
    for (const auto& [dimension, amount] : state_.kinds[part.kind].request) {
      asks[dimension] += part.count * amount;
    }
  }
  for (std::uint32_t queue = job.queue; queue != kNone; queue = queues_[queue].above) {
    const QueueRoom& room = queues_[queue];
    for (std::size_t d = 0; d < dimensions_; ++d) {
      if (asks[d] > 0 && room.has[d] > room.most[d] - asks[d]) return true;
    }
  }
  return false;
}

void Profile::mark_usable(std::uint32_t job) {
  const bool is_bound = has_nodes_[job] != 0;
  for (std::size_t n = 0; n < state_.nodes; ++n) {
    const bool is_own = kept_for_[n] == job;
    usable_[n] = is_own || (!is_bound && is_closed_[n] == 0) ? 1 : 0;
  }
}

std::int64_t Profile::slots_until(Pod pod, TimePoint until) const {
  std::int64_t least = slots_in(idle_, pod);
  for (const Keep& keep : keeps_) {
    if (keep.from < until && least > 0) least = std::min(least, slots_in(keep.free, pod));
  }
  return least;
}

void Profile::place(Pod pod, TimePoint until, std::int64_t by) {
  change_idle(pod, -by);
  for (Keep& keep : keeps_) {
    if (keep.from < until) change(keep.free, pod, -by);
  }
}

bool Profile::find_room(std::uint32_t job, const WaitingJob::Part& part, TimePoint until) {
  const Slots& known = slots(part.kind);
  if (known.sum < part.count) return false;
  const auto met = static_cast<std::size_t>(std::count_if(
      keeps_.begin(), keeps_.end(), [&](const Keep& keep) { return keep.from < until; }));
  const bool is_bound = has_nodes_[job] != 0;
  for (const Lack& lack : lacks_) {
    if (!is_bound && lack.kind == part.kind && lack.keeps == met && lack.most < part.count) {
      return false;
    }
  }
  std::vector<std::pair<std::int64_t, std::uint32_t>> nodes;  // the fullest first
  std::int64_t sum = 0;
  for (std::uint32_t node = 0; node < state_.nodes; ++node) {
    if (known.at[node] == 0 || usable_[node] == 0) continue;
    const std::int64_t slots = slots_until({node, part.kind}, until);
    if (slots == 0) continue;
    nodes.emplace_back(slots, node);
    sum += slots;
  }
  if (sum < part.count) {
    if (!is_bound) lacks_.push_back({part.kind, met, sum});
    return false;
  }
  std::sort(nodes.begin(), nodes.end());
  std::int64_t left = part.count;
  for (const auto& [slots, node] : nodes) {
    for (std::int64_t i = 0; i < slots && left > 0; ++i, --left) {
      laid_.push_back({node, part.kind});
      place(laid_.back(), until, 1);
    }
  }
  return true;
}

bool Profile::start(std::uint32_t index) {
  const WaitingJob& job = state_.waiting[index];
  const TimePoint until = later(now_, job.stay);
  mark_usable(index);
  laid_.clear();
  const bool starts = std::all_of(job.parts.begin(), job.parts.end(),
                                  [&](const auto& part) { return find_room(index, part, until); });
  for (const Pod& pod : laid_) {
    if (!starts) {
      place(pod, until, -1);
      continue;
    }
    charge(job.queue, pod.kind, 1);
    add({until, later(now_, job.run), pod.node, pod.kind, job.queue});
  }
  if (!starts) return false;
  std::replace(kept_for_.begin(), kept_for_.end(), index, kNone);
  has_nodes_[index] = 0;
  return true;
}

// --- room that is kept ------------------------------------------------------------------------

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
  const auto give_back = [&](const Piece& piece) {
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
  for (std::size_t i = 0; !fits(at);) {
    const TimePoint limit =
        i < by_limit_.size() ? std::max(now_, pieces_[by_limit_[i]].gone_by) : TimePoint::max();
    const TimePoint next = std::min(limit, next_of_keeps(at));
    if (next == TimePoint::max()) return next;
    if (pass_keeps(at, next, room_then_)) count_all();
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
