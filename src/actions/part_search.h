#pragma once

#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "actions/near.h"
#include "berth/engine/statement.h"
#include "berth/model/plan.h"

namespace berth::actions {

// Places the tasks of a job with parts that must be near by themselves (TOPO-20, TOPO-25): set by
// set, each in one of its domains after the other, within those of the larger sets around it, until
// one has room for all of it. If none has, a set that need not start whole takes the one with most.
class PartSearch {
 public:
  struct Outcome {
    std::size_t placed = 0;
    std::size_t looked_at = 0;  // of the tasks, in their order
    bool is_done = false;       // the others are not looked at
  };
  struct Terms {
    // Places tasks that are in the same sets. `is_in_whole`: it is all or nothing, and not done
    // before its end.
    std::function<Outcome(std::span<const TaskId>, bool is_in_whole)> place;
    // The domains of the task's set, the first first: with idle room, or with room that is being
    // vacated.
    std::function<Near::Places(TaskId, std::size_t part, bool is_on_leaving)> options;
    std::function<bool()> is_done;  // asked after each set that starts whole; may be empty
    bool needs_all = false;         // to place some is in vain
  };

  // `why` gets the first reason, if it has none. All must outlive it.
  PartSearch(Near& near, engine::Statement& statement, Terms terms, std::optional<Refusal>& why,
             JobId job)
      : near_(near), statement_(statement), terms_(std::move(terms)), why_(why), job_(job) {}

  // Sets come in the order of their first tasks; the tasks are put in the order of their sets.
  Outcome run(std::span<TaskId> tasks);
  // All of them, or none: a set goes to its next domain if those after it find no place.
  bool place_all(std::span<TaskId> tasks);

 private:
  using Tasks = std::span<const TaskId>;
  using Try = std::function<bool(const Near::Place&)>;  // false: it is undone

  void put_in_order(std::span<TaskId> tasks) const;
  Outcome run(Tasks tasks, std::size_t depth, bool is_in_whole);
  Outcome place_set(Tasks tasks, std::size_t part, std::size_t depth, bool is_in_whole);
  bool place_rest(Tasks tasks);
  bool try_domains(TaskId first, std::size_t part, const Try& place);

  static constexpr int kTriesMost = 256;  // beyond these, each set has its first domain only

  Near& near_;
  engine::Statement& statement_;
  const Terms terms_;
  std::optional<Refusal>& why_;
  const JobId job_;
  int tries_ = 0;
};

}  // namespace berth::actions
