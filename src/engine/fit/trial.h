#pragma once

#include <map>
#include <utility>
#include <vector>

#include "berth/engine/occupants.h"
#include "berth/engine/start.h"
#include "berth/model/cluster.h"
#include "berth/model/volume_trial.h"

namespace berth::engine {

// Members that are tried on nodes, beside the tasks of the cluster: what relations between them
// allow, and the volumes that they take from each other. Nothing in the cluster changes.
class Trial {
 public:
  // `occupants`: the tasks of the cluster that count beside them, for spreads and volumes.
  Trial(const Cluster& cluster, Occupants occupants)
      : cluster_(cluster),
        occupants_(occupants),
        volumes_(cluster.relations().volumes(), occupants == Occupants::staying) {}

  // How many of `count` such members the relations let the node take, after those put before. The
  // rest of the question, room for example, is the caller's.
  std::int32_t most(const Shape& shape, NodeId node, std::int32_t count) const;
  // Why it takes not even one, in the order of RELATION-10; `none`: it does.
  Reason refusal(const Shape& shape, NodeId node) const;
  void put(const Shape& shape, NodeId node, std::int32_t count);

  // RELATION-9
  void start_in(std::vector<Start> starts) { starts_ = std::move(starts); }
  // Do relations decide about such members?
  bool concerns(const Shape& shape) const {
    return shape.terms.decide() || (!starts_.empty() && !shape.terms.matched.empty());
  }

  // Takes back what was put since mark() gave this.
  std::size_t mark() const { return log_.size(); }
  void take_back_to(std::size_t mark);

 private:
  using Place = std::pair<TermId, DomainId>;
  struct Step {
    Place place;
    std::int32_t count = 0;
    std::size_t volumes = 0;  // their mark before; `count` is 0
  };
  std::int32_t most_by_terms(const Shape& shape, NodeId node, std::int32_t count) const;
  std::int32_t tried(TermId term, DomainId domain) const;
  bool is_any_tried(const std::vector<TermId>& terms) const;
  bool is_any_tried_near(const std::vector<TermId>& terms, NodeId node) const;
  bool is_outside(const Shape& shape, NodeId node) const;
  bool may_come_first(const Shape& shape) const;
  bool lacks_near(const Shape& shape, NodeId node) const;
  std::int32_t most_of_spread(const Shape& shape, std::size_t spread, NodeId node,
                              std::int32_t count) const;
  std::int32_t pods_in(TermId term, DomainId domain) const;
  // As the lowest count sees the domain: pods that may leave hold it up as long as they are there.
  std::int32_t level_of(TermId term, DomainId domain) const;
  const CountsOfDomains& counts_of(TermId term) const;
  void change(const Place& place, std::int32_t by);

  const Cluster& cluster_;
  std::vector<Start> starts_;
  Occupants occupants_;
  std::map<Place, std::int32_t> tried_;
  // Of spreads that were asked about, with the members that are tried.
  mutable std::map<TermId, CountsOfDomains> spreads_;
  mutable VolumeTrial volumes_;  // most() leaves it as it was
  std::vector<Step> log_;
};

}  // namespace berth::engine
