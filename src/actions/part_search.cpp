#include "actions/part_search.h"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "actions/placement.h"

namespace berth::actions {

using namespace engine;

namespace {

std::optional<std::size_t> part_at(const Near& near, TaskId task, std::size_t depth) {
  const std::span<const std::size_t> parts = near.parts_of(task);
  return depth < parts.size() ? std::optional(parts[depth]) : std::nullopt;
}

}  // namespace

// Those of a set that are in none of the sets within it come after those that are.
void PartSearch::put_in_order(std::span<TaskId> tasks) const {
  constexpr auto kLast = std::numeric_limits<std::size_t>::max();
  std::map<std::size_t, std::size_t> first_of;  // by part: the place of its first task
  std::vector<std::pair<std::vector<std::size_t>, TaskId>> in_order;
  std::optional<std::size_t> first_alone;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    std::vector<std::size_t> key;
    for (const std::size_t part : near_.parts_of(tasks[i])) {
      key.push_back(first_of.try_emplace(part, i).first->second);
    }
    if (key.empty() && !first_alone) first_alone = i;
    key.push_back(key.empty() ? *first_alone : kLast);
    in_order.emplace_back(std::move(key), tasks[i]);
  }
  std::stable_sort(in_order.begin(), in_order.end(),
                   [](const auto& one, const auto& other) { return one.first < other.first; });
  std::transform(in_order.begin(), in_order.end(), tasks.begin(),
                 [](const auto& each) { return each.second; });
}

PartSearch::Outcome PartSearch::run(std::span<TaskId> tasks) {
  put_in_order(tasks);
  return run(tasks, 0, false);
}

PartSearch::Outcome PartSearch::run(Tasks tasks, std::size_t depth, bool is_in_whole) {
  Outcome sum;
  while (!tasks.empty()) {
    const std::optional<std::size_t> part = part_at(near_, tasks.front(), depth);
    const auto end = std::find_if(tasks.begin(), tasks.end(),
                                  [&](TaskId id) { return part_at(near_, id, depth) != part; });
    const Tasks group = tasks.first(static_cast<std::size_t>(end - tasks.begin()));
    tasks = tasks.subspan(group.size());
    const Outcome outcome =
        part ? place_set(group, *part, depth, is_in_whole) : terms_.place(group, is_in_whole);
    sum.placed += outcome.placed;
    sum.looked_at += outcome.is_done ? outcome.looked_at : group.size();
    sum.is_done = outcome.is_done;
    const bool is_in_vain = is_in_whole || terms_.needs_all;
    if (sum.is_done || (is_in_vain && outcome.placed < group.size())) break;
  }
  return sum;
}

PartSearch::Outcome PartSearch::place_set(Tasks tasks, std::size_t part, std::size_t depth,
                                          bool is_in_whole) {
  if (near_.is_chosen(part)) return run(tasks, depth + 1, is_in_whole);
  const bool is_whole = is_in_whole || near_.starts_whole(part);
  std::optional<Near::Place> best;
  std::size_t most = 0;
  Outcome outcome;
  const bool is_placed = try_domains(tasks.front(), part, [&](const Near::Place& domain) {
    outcome = run(tasks, depth + 1, is_whole);
    if (outcome.is_done || outcome.placed == tasks.size()) return true;
    if (outcome.placed > most) best = domain;
    most = std::max(most, outcome.placed);
    return false;
  });
  if (!is_placed && (!best || is_whole || terms_.needs_all)) return {};
  if (!is_placed) {
    near_.choose(tasks.front(), part, *best);
    return run(tasks, depth + 1, is_whole);
  }
  const bool is_end_of_whole = is_whole && !is_in_whole && !outcome.is_done;
  if (is_end_of_whole && terms_.is_done && terms_.is_done()) {
    outcome.is_done = true;
    outcome.looked_at = tasks.size();
  }
  return outcome;
}

bool PartSearch::place_all(std::span<TaskId> tasks) {
  put_in_order(tasks);
  return place_rest(tasks);
}

bool PartSearch::place_rest(Tasks tasks) {
  if (tasks.empty()) return true;
  const std::span<const std::size_t> parts = near_.parts_of(tasks.front());
  for (const std::size_t part : parts) {
    if (near_.is_chosen(part)) continue;
    return try_domains(tasks.front(), part, [&](const Near::Place&) { return place_rest(tasks); });
  }
  const auto end = std::find_if(tasks.begin(), tasks.end(), [&](TaskId id) {
    return !std::ranges::equal(near_.parts_of(id), parts);
  });
  const Tasks group = tasks.first(static_cast<std::size_t>(end - tasks.begin()));
  if (terms_.place(group, true).placed < group.size()) return false;
  return place_rest(tasks.subspan(group.size()));
}

namespace {

// Of a failed try. Is it one that is not so in other domains?
bool would_others_do(const std::optional<Refusal>& why) {
  return !why || why->reason == Reason::none || why->reason == Reason::no_domain_has_room;
}

}  // namespace

bool PartSearch::try_domains(TaskId first, std::size_t part, const Try& place) {
  const std::optional<Refusal> known = why_;
  // Of another set, which may have other limits. Otherwise the first reason stays: each costs a
  // look at all nodes.
  if (!would_others_do(known)) why_.reset();
  const Statement::Checkpoint before = statement_.checkpoint();
  bool is_first = true;
  for (const bool is_on_leaving : {false, true}) {
    const Near::Places domains = terms_.options(first, part, is_on_leaving);
    const std::size_t choices = near_.choices();  // with those of larger sets
    for (const Near::Place& domain : domains) {
      if (!is_first && (tries_ >= kTriesMost || !would_others_do(why_))) break;
      is_first = false;
      ++tries_;
      near_.choose(first, part, domain);
      if (place(domain)) {
        why_ = known;
        return true;
      }
      statement_.roll_back(before);
      near_.forget_since(choices);
    }
  }
  if (is_first && !why_) why_ = refusal_of(job_, near_.why());
  if (known) why_ = known;
  return false;
}

}  // namespace berth::actions
