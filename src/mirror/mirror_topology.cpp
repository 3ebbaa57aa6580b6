#include <cstdint>
#include <utility>

#include "mirror/mirror.h"

// Topologies follow nodes and their own objects, and each job gets the wish of its group, its pods
// and their controllers: docs/design/topology.md.

namespace berth::mirror {

void Mirror::on(const TopologyObject& object) {
  cluster_.mutable_topologies().put(object);
  topologies_changed_ = true;
}

void Mirror::on(const TopologyDeleted& deleted) {
  cluster_.mutable_topologies().erase(deleted);
  topologies_changed_ = true;
}

// TOPO-7
void Mirror::note_place(const NodeObject& node) {
  cluster_.mutable_topologies().put_node(node.name, node.labels);
  topologies_changed_ = true;
}

void Mirror::settle_topologies() {
  if (!std::exchange(topologies_changed_, false)) return;
  TopologyTable& topologies = cluster_.mutable_topologies();
  topologies.settle(nodes_);
  // The sentences about wishes name levels.
  const std::uint64_t before = std::exchange(levels_version_, topologies.levels_version());
  if (before != levels_version_) mark_all_dirty();
}

void Mirror::mark_jobs_of(const std::set<std::string>& owners) {
  if (owners.empty()) return;
  for (const JobId id : target_names_.jobs_of(owners)) mark_dirty(id);
}

// TOPO-12. All words about the job's pods.
TopologyWish Mirror::wish_of(JobId id) const {
  const Job& job = cluster_.job(id);
  TopologyWish wish = topology_wishes_.of(id);
  if (topology_wishes_.do_owners_say()) {
    const std::string name_space = job.name.substr(0, job.name.find('/'));
    for (const std::string& owner : target_names_.owners_of(id)) {
      add_wish(wish, topology_wishes_.of_owner(owner, name_space));
    }
  }
  const auto group = job.is_single ? groups_.end() : groups_.find(job.name);
  if (group != groups_.end()) add_wish(wish, group->second.object.topology);
  tidy_up(wish);
  return wish;
}

// TOPO-8
void Mirror::note_rules(const Job& job, const TopologyWish& wish) {
  if (wish.rules.empty() && job.topology.rules.empty()) return;
  const LabelTable& labels = cluster_.relations().labels();
  for (const TaskId id : std::vector<TaskId>(job.tasks)) {
    std::uint64_t rules = 0;
    for (std::size_t i = 0; i < wish.rules.size(); ++i) {
      const NearRule& rule = wish.rules[i];
      const bool is_about_it = may_be_about(rule, labels, cluster_.task(id).labels) &&
                               (!rule.pods.say_so || topology_wishes_.says(id, rule));
      if (is_about_it) rules |= std::uint64_t{1} << i;
    }
    if (cluster_.task(id).near_rules != rules) cluster_.mutable_task(id).near_rules = rules;
  }
}

// The user reads in the condition `Honoured` which of his words do not count.
void Mirror::note_unhonoured(JobId id, std::vector<std::string> refused) {
  TopologyWish wish = wish_of(id);
  const Job& job = cluster_.job(id);
  const auto group = job.is_single ? groups_.end() : groups_.find(job.name);
  std::vector<std::string> all;
  if (group != groups_.end()) {
    all = group->second.object.not_honoured;
    all.insert(all.end(), refused.begin(), refused.end());
  }
  // TOPO-13
  for (std::string& each : not_honoured_of(wish, cluster_.topologies(), job.is_single)) {
    all.push_back(std::move(each));
  }
  note_rules(job, wish);
  if (job.topology == wish && job.not_honoured == all) return;
  Job& changed = cluster_.mutable_job(id);
  changed.topology = std::move(wish);
  changed.not_honoured = std::move(all);
}

}  // namespace berth::mirror
