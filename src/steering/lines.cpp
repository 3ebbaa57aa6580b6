#include <algorithm>
#include <utility>

#include "steering/steering.h"
#include "steering/turns.h"

// The pods among which the order matters, and whose turn it is (RELATION-12).

namespace berth::steering {

namespace {

bool is_order_term(const Cluster& cluster, TermId term) {
  const TermRole role = cluster.relations().term(term).spec.role;
  return role == TermRole::spread || role == TermRole::affinity;
}

// Pods in no group share a line if they have this term in common; invalid: they are in none.
TermId line_of(const Cluster& cluster, const Shape& shape) {
  TermId first;
  const auto take = [&](TermId term) { first = std::min(first, term); };
  for (const TermId term : shape.terms.spread) take(term);
  for (const TermId term : shape.terms.affinity) take(term);
  for (const TermId term : shape.terms.counted) {
    if (is_order_term(cluster, term)) take(term);
  }
  return first;
}

}  // namespace

void Steering::gather_lines(const Cluster& cluster) {
  lines_.clear();
  sequence_.clear();
  std::map<TermId, Line> lines_of_singles;
  const auto matters = [&](const ByUid::iterator pod) {
    return depends_on_order(cluster, cluster.shape_of(pod->second.task));
  };
  const auto is_earlier = [](const ByUid::iterator left, const ByUid::iterator right) {
    return left->second.order < right->second.order;
  };
  for (auto& [id, gang] : gangs_) {
    sequence_.push_back(id);
    for (const auto pod : gang) pod->second.is_in_line = false;
    if (cluster.job(id).is_single) {
      const Progress& progress = gang.front()->second;
      const TermId term = line_of(cluster, cluster.shape_of(progress.task));
      const bool is_in_line = term.is_valid() && !progress.may_exchange;
      if (is_in_line) lines_of_singles[term].pods.push_back(gang.front());
    } else if (std::any_of(gang.begin(), gang.end(), matters)) {
      std::stable_sort(gang.begin(), gang.end(), is_earlier);
      lines_.push_back({gang});
    }
  }
  for (auto& [term, line] : lines_of_singles) {
    if (std::none_of(line.pods.begin(), line.pods.end(), matters)) continue;
    std::stable_sort(line.pods.begin(), line.pods.end(), is_earlier);
    put_in_sequence(line);
    lines_.push_back(std::move(line));
  }
  for (const Line& line : lines_) {
    for (const auto pod : line.pods) pod->second.is_in_line = true;
  }
}

// Jobs of one pod are carried out in the order of the line, where they stood among all jobs.
void Steering::put_in_sequence(const Line& line) {
  std::set<JobId> jobs;
  for (const auto pod : line.pods) jobs.insert(pod->second.job);
  auto next = line.pods.begin();
  for (JobId& id : sequence_) {
    if (jobs.contains(id)) id = (*next++)->second.job;
  }
}

void Steering::give_turns(const Cluster& cluster, Line& line) {
  std::vector<Turn> turns;
  for (const auto pod : line.pods) {
    auto& [uid, progress] = *pod;
    progress.has_come = progress.has_come || (options_.has_come && options_.has_come(uid));
    turns.push_back({progress.task, progress.may_exchange, progress.has_come, progress.has_turn});
  }
  steering::give_turns(cluster, options_.mode == Mode::view, turns);
  line.is_waiting = false;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    line.pods[i]->second.has_turn = turns[i].is_its;
    line.is_waiting = line.is_waiting || !turns[i].is_its;
  }
}

// SPREAD-11. It is nominated in its turn; until then its room is kept by the extender alone.
bool Steering::is_later(const Cluster& cluster, const Progress& progress) const {
  return progress.is_in_line && !progress.has_turn && !progress.may_exchange &&
         is_counted_by_spread(cluster, cluster.shape_of(progress.task));
}

}  // namespace berth::steering
