#include "world/budgets.h"

#include <algorithm>

namespace berth::world {

void Budgets::protect(const Job& job, std::int32_t away_most) {
  BudgetObject budget;
  budget.name_space = "default";
  budget.name = budget.uid = job.name;
  budget.selector = {{"job", Operator::in, {job.name}}};
  away_most_[job.name] = away_most;
  server_.put(std::move(budget));
  look_soon(job.name);
}

void Budgets::remove(const Job& job) {
  away_most_.erase(job.name);
  server_.erase<BudgetObject>(job.budget());
}

void Budgets::look_soon(const std::string& job) {
  if (!away_most_.contains(job) || !looks_.insert(job).second) return;
  agenda_.after(agenda_.between(20ms, 2s), [this, job] {
    looks_.erase(job);
    look(job);
  });
}

void Budgets::look(const std::string& name) {
  const auto away_most = away_most_.find(name);
  if (away_most == away_most_.end()) return;
  const Job& job = jobs_.at(name);
  server_.change<BudgetObject>(job.budget(), [&](BudgetObject& budget) {
    std::int32_t healthy = 0;
    std::erase_if(budget.disrupted, [this](const std::string& pod) {
      const PodObject* const its = server_.find_pod_named("default/" + pod);
      return its == nullptr || its->terminating;
    });
    for (const std::string& uid : job.pods) {
      const PodObject* const pod = server_.find<PodObject>(uid);
      if (pod == nullptr || pod->terminating || pod->phase != PodPhase::running) continue;
      if (!budget.counts(pod->name)) ++healthy;
    }
    budget.allowed = std::max(0, healthy - (job.size - away_most->second));
  });
}

}  // namespace berth::world
