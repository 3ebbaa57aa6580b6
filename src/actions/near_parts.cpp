#include <algorithm>
#include <utility>

#include "actions/near.h"

// TOPO-20. The domains of sets that have some of the tasks.

namespace berth::actions {

using namespace engine;

std::span<const std::size_t> Near::parts_of(TaskId task) const {
  const auto found = of_task_.find(task);
  if (found == of_task_.end()) return {};
  return found->second.parts;
}

// Those that it only should be in are chosen now.
const Within* Near::outer_of(TaskId task, std::size_t part) {
  const Within* outer = whole_.get();
  const auto found = of_task_.find(task);
  if (found == of_task_.end()) return outer;
  for (const std::size_t s : found->second.sets) {
    if (s == part) break;
    std::optional<Choice>& choice = chosen_[s];
    if (!choice) {
      choose_if_possible(sets_[s], outer, choice.emplace());
      choices_.push_back(s);
    }
    if (choice->within != nullptr) outer = choice->within.get();
  }
  return outer;
}

// With room for all that wait, or else for as many as the job lacks.
void Near::choose_if_possible(const NearSet& set, const Within* outer, Choice& choice) {
  const Counts counts = pending_of(set.waiting, set.waiting.size());
  const std::int64_t all = std::max<std::int64_t>(1, sum_of(counts));
  rooms_.clear();
  look_at(false, outer);
  for (const std::int64_t needed : {all, least_of(all)}) {
    const std::vector<TreeDomainId> domains = with_room(set, counts, needed);
    if (domains.empty()) continue;
    choice.within = filled(set, domains.front(), counts);
    return;
  }
}

// So many of a set at least, if all others get a place.
std::int64_t Near::least_of(std::int64_t all) const {
  const std::int64_t to_spare = static_cast<std::int64_t>(tasks_.size()) - lacking_;
  return std::clamp<std::int64_t>(all - to_spare, 1, all);
}

Near::Places Near::options(TaskId task, std::size_t part, bool is_on_leaving) {
  if (is_on_leaving && cluster_.releasing_task_count() == 0) return {};
  const NearSet& set = sets_[part];
  const Counts counts = pending_of(set.waiting, set.waiting.size());
  const std::int64_t all = std::max<std::int64_t>(1, sum_of(counts));
  const std::int64_t least = set.starts_whole ? all : least_of(all);
  Places places;
  do {
    rooms_.clear();
    look_at(is_on_leaving, outer_of(task, part));
    add_places(set, counts, all, places);
    if (least < all) add_places(set, counts, least, places);
  } while (places.empty() && give_up_preferred(task, part));
  if (places.empty() && !is_on_leaving) explain(set, counts);
  return places;
}

void Near::choose(TaskId task, std::size_t part, const Place& place) {
  const NearSet& set = sets_[part];
  look_at(place.is_on_leaving, outer_of(task, part));
  chosen_[part].emplace().within =
      filled(set, place.domain, pending_of(set.waiting, set.waiting.size()));
  choices_.push_back(part);
}

void Near::forget_since(std::size_t choices) {
  while (choices_.size() > choices) {
    chosen_[choices_.back()].reset();
    choices_.pop_back();
  }
}

void Near::begin(TaskId task) { session_.stay_within(outer_of(task, kNone)); }

// Of the sets of the task that are larger than this one, those that only should be near.
bool Near::give_up_preferred(TaskId task, std::size_t part) {
  const auto found = of_task_.find(task);
  if (found == of_task_.end()) return false;
  bool has_given_up = false;
  for (const std::size_t s : found->second.sets) {
    if (s == part) break;
    if (sets_[s].required || !chosen_[s] || chosen_[s]->within == nullptr) continue;
    chosen_[s]->within.reset();
    has_given_up = true;
  }
  return has_given_up;
}

}  // namespace berth::actions
