#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "berth/engine/session.h"
#include "engine/near_sets.h"
#include "engine/tree_room.h"

// How near each other the pods of a job must be, or should: rules TOPO-16 to TOPO-22 of
// docs/design/topology.md.

namespace berth::actions {

// A try of one job. While it is in a place, the session chooses nodes there alone.
class Near {
 public:
  // `tasks`: to be placed, in their order; of these the job lacks so many of its minimum.
  Near(engine::Session& session, const Job& job, const std::vector<TaskId>& tasks,
       std::int32_t lacking);
  // Of all that the job lacks of its minimum.
  Near(engine::Session& session, const Job& job);
  ~Near() { leave(); }
  Near(const Near&) = delete;
  Near& operator=(const Near&) = delete;

  bool asks_for_nothing() const { return sets_.empty(); }
  // TOPO-20. Those of these tasks that must be near come first, set by set, the larger sets first:
  // the others could take the room of a set whose domain is chosen.
  void put_in_order(std::span<TaskId> tasks) const;
  // Must some of its tasks be near each other by themselves? Then PartSearch places them.
  bool has_parts() const { return has_parts_; }

  // Where the tasks are tried, or those of a part.
  struct Place {
    TreeDomainId domain = {};    // for all of them; invalid: there is none for all
    bool is_on_leaving = false;  // with room that is being vacated
    bool operator==(const Place&) const = default;
  };
  using Places = std::vector<Place>;
  // TOPO-18. In the order in which they are tried.
  Places places();
  // From now on, until leave().
  void enter(const Place& place);
  void leave();
  // TOPO-22. Must others leave a domain, or some, for it? The domains for all of its tasks, in the
  // order of names; one that is invalid stands for all nodes.
  std::optional<Places> places_to_clear() const;
  // TOPO-22. May all tasks be placed on these nodes, in any order?
  bool are_near(const std::vector<NodeId>& nodes) const;
  // The one in which nodes are kept for the job, if it must be in one: where some are kept already,
  // or else that with the most idle room of those that are large enough.
  void enter_place_to_keep();
  // In what is chosen for these tasks, which are in the same sets: nodes that hold them once they
  // are emptied. Those that are kept already come first, then those with the most idle room.
  std::vector<NodeId> nodes_to_keep(std::span<const TaskId> tasks);
  // These nodes are chosen no more, until leave().
  void leave_out(const std::vector<NodeId>& nodes);

  // The sets that the task must be in, but for the one of all tasks: the larger first.
  std::span<const std::size_t> parts_of(TaskId task) const;
  bool starts_whole(std::size_t part) const { return sets_[part].starts_whole; }
  bool is_chosen(std::size_t part) const { return chosen_[part].has_value(); }
  // TOPO-20. The domains with room for the part of this task, as in TOPO-18, within those that are
  // chosen for larger ones: idle room, or room that is being vacated. If there is none, sets that
  // only should be near are given up. Empty: why() says why.
  Places options(TaskId task, std::size_t part, bool is_on_leaving);
  // TOPO-22. The domains that others could leave for it, as in enter_place_to_keep().
  Places options_to_clear(TaskId task, std::size_t part);
  void choose(TaskId task, std::size_t part, const Place& place);
  // Choices are undone down to a number of them.
  std::size_t choices() const { return choices_.size(); }
  void forget_since(std::size_t choices);

  // TOPO-20. The task is about to be placed, until end().
  void begin(TaskId task);
  void end() { session_.stay_within(whole_.get()); }
  // The task found no place. Where its part only should be near, that may be anywhere from now on.
  // False: it is so already, or it must be near.
  bool gives_up_preferred(TaskId task) { return give_up_preferred(task, kNone); }
  // Why there is no place.
  const engine::Verdict& why() const { return why_; }

 private:
  using Range = engine::TreeNodes::Range;
  using Within = engine::Within;
  using Room = std::shared_ptr<const engine::TreeRoom>;
  using Counts = std::vector<std::pair<ShapeId, std::int64_t>>;  // in the order of the tasks
  using NearSet = engine::NearSet;
  struct Choice {
    std::unique_ptr<Within> within;  // null: it may be anywhere
  };

  static constexpr std::size_t kNone = SIZE_MAX;

  // Must some of its pods be near each other?
  bool is_required() const { return !required_.empty(); }
  const NearSet* whole() const;
  std::vector<NodeId> there_of(const NearSet& set) const;
  static std::int64_t sum_of(const Counts& counts);
  static std::pair<ShapeId, std::int64_t> most_frequent(const Counts& counts);
  Counts pending_of(const std::vector<TaskId>& tasks, std::size_t most) const;
  Room room_of(const NearSet& set, ShapeId shape);
  // Of each kind of these pods.
  std::vector<Room> rooms_of(const NearSet& set, const Counts& counts);
  static std::int64_t fitting(const std::vector<Room>& rooms, TreeDomainId domain,
                              const Counts& counts);
  std::vector<TreeDomainId> domains_of_those_there(const NearSet& set) const;
  // Of the required level.
  std::vector<TreeDomainId> domains_to_look_at(const NearSet& set) const;
  std::vector<TreeDomainId> with_room(const NearSet& set, const Counts& counts,
                                      std::int64_t needed);
  void add_places(const NearSet& set, const Counts& counts, std::int64_t needed, Places& places);
  void look_at(bool leaving, const Within* among);
  void explain(const NearSet& set, const Counts& counts);
  // As chosen for the smallest set of the task that is larger than this one; kNone: for its
  // smallest.
  const Within* outer_of(TaskId task, std::size_t part);
  std::int64_t least_of(std::int64_t all) const;
  bool give_up_preferred(TaskId task, std::size_t part);
  void choose_if_possible(const NearSet& set, const Within* outer, Choice& choice);
  struct Cleared {
    TreeDomainId domain;
    bool holds_all = false;
    std::int64_t kept = 0;  // tasks that kept nodes have room for
    std::int64_t idle = 0;  // tasks that there is room for now
  };
  std::vector<Cleared> once_cleared(const NearSet& set);
  void count_own();
  std::int64_t room_once_emptied(ShapeId shape, NodeId node) const;
  bool is_among(NodeId node) const { return among_ == nullptr || among_->has[node.index()] != 0; }
  std::unique_ptr<Within> filled(const NearSet& set, TreeDomainId domain, const Counts& counts);
  void fill(const NearSet& set, TreeDomainId domain, std::int64_t count,
            const engine::TreeRoom& room, Within& within) const;
  void fill_each(const NearSet& set, const TreeDomain::Children& domains, std::int64_t count,
                 const engine::TreeRoom& room, Within& within) const;
  void fill_nodes(const NearSet& set, Range range, Within& within) const;

  engine::Session& session_;
  const Cluster& cluster_;
  const Job& job_;
  const std::vector<TaskId> tasks_;
  const std::int32_t lacking_;
  bool has_parts_ = false;
  std::vector<TaskId> required_;  // sorted: of sets that must be near
  std::vector<NearSet> sets_;     // the first may be of all tasks
  // Its sets but the whole, and those of them that must be near.
  struct OfTask {
    std::vector<std::size_t> sets;
    std::vector<std::size_t> parts;
  };
  std::map<TaskId, OfTask> of_task_;
  engine::Verdict why_;
  // As look_at() has it:
  bool is_on_leaving_ = false;
  const Within* among_ = nullptr;
  std::map<std::pair<const engine::TreeNodes*, ShapeId>, Room> rooms_;
  std::map<NodeId, Resources> own_on_;  // requests of tasks that have a place by now
  // As enter() has it:
  std::unique_ptr<Within> whole_;
  std::vector<std::optional<Choice>> chosen_;  // by set; none: not yet
  std::vector<std::size_t> choices_;           // sets, in the order in which they were chosen
};

}  // namespace berth::actions
