// Pdb: PodDisruptionBudgets hold while a session plans, so that it does not evict three pods to
// find that the fourth may not go.
// Rules: docs/design/pdb.md.
//
//   PDB-1  a pod is not evicted if its budget allows no more disruptions
//   PDB-2  an eviction counts from when a session decides it until the budget's status counts it
//   PDB-3  pods that leave together leave only if their budgets allow all of them
//   PDB-4  a pod of more than one budget is not evicted

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "berth/engine/plugin.h"

namespace berth::plugins {
namespace {

using namespace engine;

class Pdb final : public Plugin {
 public:
  explicit Pdb(Arguments&) {}

  void on_session_open(Session& session) override {
    cluster_ = &session.cluster();
    budgets_.clear();
    of_namespace_.clear();
    for (const auto& [name, budget] : cluster_->budgets()) {
      of_namespace_[budget.name_space].budgets.push_back(budgets_.size());
      budgets_.push_back({&budget, name, 0});
    }
    if (budgets_.empty()) return;
    count_what_leaves();
    session.attach<&Pdb::is_allowed>(points::evictable, *this);  // PDB-1, PDB-3, PDB-4
    session.attach<&Pdb::on_released>(points::released, *this);
    session.attach<&Pdb::on_allocated>(points::allocated, *this);
  }

 private:
  using Indices = std::vector<std::size_t>;  // into budgets_
  struct Counted {
    const BudgetObject* object;
    std::string_view name;
    std::int64_t used;  // of those that it allows
  };
  struct OfNamespace {
    Indices budgets;
    std::unordered_map<LabelSetId, Indices> by_labels;  // look-up only; as they are asked for
  };

  // PDB-2. Those that earlier sessions evicted.
  void count_what_leaves() {
    if (cluster_->releasing_task_count() == 0) return;
    for (std::size_t t = 0; t < cluster_->task_slots(); ++t) {
      const Task& task = cluster_->task(TaskId(t));
      if (task.is_evicted) count(task, +1);
    }
  }

  void on_released(const Task& task) {
    if (task.status == TaskStatus::releasing) count(task, +1);
  }
  void on_allocated(const Task& task) {
    // No session starts a pod: it takes an eviction back.
    if (is_on_its_node(task.status)) count(task, -1);
  }

  void count(const Task& task, std::int64_t by) {
    for (const std::size_t index : budgets_of(task)) {
      Counted& budget = budgets_[index];
      if (!budget.object->counts(short_name(task))) budget.used += by;
    }
  }

  Verdict is_allowed(const Leaving& leaving) const {
    std::map<std::size_t, std::int64_t> wanted;
    for (const TaskId id : leaving.tasks) {
      const Indices& its = budgets_of(cluster_->task(id));
      if (its.size() > 1) {
        return reject(Reason::several_budgets, static_cast<std::int64_t>(its.size()), 1);
      }
      for (const std::size_t index : its) ++wanted[index];
    }
    for (const auto& [index, count] : wanted) {
      const Counted& budget = budgets_[index];
      const std::int64_t left = std::max<std::int64_t>(0, budget.object->allowed - budget.used);
      if (count > left) return reject(Reason::budget_exhausted, left, count, budget.name);
    }
    return pass();
  }

  const Indices& budgets_of(const Task& task) const {
    static const Indices kNone;
    const std::string_view name_space = std::string_view(task.name).substr(0, task.name.find('/'));
    const auto found = of_namespace_.find(name_space);
    if (found == of_namespace_.end()) return kNone;
    const auto [entry, is_new] = found->second.by_labels.try_emplace(task.labels);
    if (!is_new) return entry->second;
    for (const std::size_t index : found->second.budgets) {
      const auto value_of = [&](const std::string& key) {
        return cluster_->relations().labels().find(task.labels, key);
      };
      if (budgets_[index].object->selects(value_of)) entry->second.push_back(index);
    }
    return entry->second;
  }

  static std::string short_name(const Task& task) {
    return task.name.substr(task.name.find('/') + 1);
  }

  const Cluster* cluster_ = nullptr;
  std::vector<Counted> budgets_;
  mutable std::map<std::string_view, OfNamespace> of_namespace_;
};

}  // namespace

BERTH_PLUGIN(Pdb, "pdb");

}  // namespace berth::plugins
