#include "forecast/profile.h"

#include <algorithm>
#include <limits>

namespace berth::forecast {

namespace {

constexpr std::size_t kExactMost = 4096;  // pods that run and jobs that wait
constexpr std::int64_t kStepsOfDistance = 32;

}  // namespace

Profile::Profile(const State& state, IsCancelled is_cancelled)
    : state_(state),
      is_cancelled_(std::move(is_cancelled)),
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

// The list of changes may not grow for ever.
void Profile::forget_slots() {
  changed_.clear();
  for (Slots& each : slots_) each = {};
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
  if (changed_.size() > 16 * state_.nodes) forget_slots();
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

std::size_t Profile::keeps_before(TimePoint until) const {
  return static_cast<std::size_t>(std::count_if(
      keeps_.begin(), keeps_.end(), [&](const Keep& keep) { return keep.from < until; }));
}

// Cheap: most jobs fail here.
bool Profile::may_have_room(std::uint32_t job, const WaitingJob::Part& part, TimePoint until) {
  if (slots(part.kind).sum < part.count) return false;
  if (has_nodes_[job] != 0) return true;
  const std::size_t met = keeps_before(until);
  return std::none_of(lacks_.begin(), lacks_.end(), [&](const Lack& lack) {
    return lack.kind == part.kind && lack.keeps == met && lack.most < part.count;
  });
}

bool Profile::find_room(std::uint32_t job, const WaitingJob::Part& part, TimePoint until) {
  const Slots& known = slots(part.kind);
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
    if (has_nodes_[job] == 0) lacks_.push_back({part.kind, keeps_before(until), sum});
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
  const bool may_start = std::all_of(job.parts.begin(), job.parts.end(), [&](const auto& part) {
    return may_have_room(index, part, until);
  });
  if (!may_start) return false;
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

}  // namespace berth::forecast
