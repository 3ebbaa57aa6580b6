#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "actions/near_sets.h"
#include "berth/engine/session.h"
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
  // Must some of its pods be near each other?
  bool is_required() const;
  // TOPO-20. Those of these tasks that must be near come first, set by set, the larger sets first:
  // the others could take the room of a set whose domain is chosen.
  void put_in_order(std::span<TaskId> tasks) const;
  // Must some of its tasks be near each other by themselves?
  bool has_parts() const { return has_parts_; }

  // Where the tasks are tried.
  struct Place {
    TreeDomainId domain = {};    // for all of them; invalid: there is none for all
    bool is_on_leaving = false;  // with room that is being vacated
  };
  // TOPO-18. In the order in which they are tried.
  std::vector<Place> places();
  // TOPO-22. The domains that could hold all tasks if others left, in the order of names. None:
  // they may be in any. Empty: only some of them must be near, or parts of them.
  std::optional<std::vector<Place>> places_to_clear() const;

  // TOPO-22. May all tasks be placed on these nodes, in any order?
  bool are_near(const std::vector<NodeId>& nodes) const;
  // The one in which nodes are kept for the job, if it must be in one: where some are kept already,
  // or else that with the most idle room of those that are large enough.
  void enter_place_to_keep();
  // From now on, until leave().
  void enter(const Place& place);
  void leave();
  // No part has a domain any more.
  void begin_again() { chosen_.assign(sets_.size(), std::nullopt); }
  // TOPO-20. The task is about to be placed, until end(). False: its part finds no domain.
  bool begin(TaskId task);
  void end() { session_.stay_within(whole_ ? &*whole_ : nullptr); }
  // The task found no place. Where its part only should be near, that may be anywhere from now on.
  // False: it is so already, or it must be near.
  bool gives_way(TaskId task);
  // Why no place was found, or the last task could not begin.
  const engine::Verdict& why() const { return why_; }

 private:
  using Range = engine::TreeNodes::Range;
  using Room = std::shared_ptr<const engine::TreeRoom>;
  using Counts = std::vector<std::pair<ShapeId, std::int64_t>>;  // in the order of the tasks
  struct Choice {
    std::optional<engine::Within> within;  // none: it may be anywhere
  };

  const NearSet* whole() const;
  std::vector<NodeId> there_of(const NearSet& set) const;
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
  void add_places(const NearSet& set, std::int64_t needed, std::vector<Place>& places);
  void look_at(bool leaving, const engine::Within* among);
  void explain(const NearSet& set, const Counts& counts);
  bool choose(const NearSet& set, const engine::Within* outer, Choice& choice);
  engine::Within filled(const NearSet& set, TreeDomainId domain, const Counts& counts);
  void fill(const NearSet& set, TreeDomainId domain, std::int64_t count,
            const engine::TreeRoom& room, engine::Within& within) const;
  void fill_each(const NearSet& set, const TreeDomain::Children& domains, std::int64_t count,
                 const engine::TreeRoom& room, engine::Within& within) const;
  void fill_nodes(const NearSet& set, Range range, engine::Within& within) const;

  engine::Session& session_;
  const Cluster& cluster_;
  const Job& job_;
  const std::vector<TaskId> tasks_;
  const std::int32_t lacking_;
  bool has_parts_ = false;
  std::vector<TaskId> required_;                        // sorted: of sets that must be near
  std::vector<NearSet> sets_;                           // the first may be of all tasks
  std::map<TaskId, std::vector<std::size_t>> of_task_;  // its sets but the whole
  engine::Verdict why_;
  // As look_at() has it:
  bool is_on_leaving_ = false;
  const engine::Within* among_ = nullptr;
  std::map<std::pair<const engine::TreeNodes*, ShapeId>, Room> rooms_;
  // As enter() has it:
  std::optional<engine::Within> whole_;
  std::vector<std::optional<Choice>> chosen_;  // by set; none: not yet
};

}  // namespace berth::actions
