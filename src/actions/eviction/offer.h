#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "actions/eviction/candidates.h"

namespace berth::actions {

// The room of one node for so many members of a claimant, once these lots have left.
struct Offer {
  NodeId node;
  std::int32_t members = 0;
  std::int32_t elsewhere = 0;  // further members that the lots make room for on other nodes, about
  std::int32_t victims = 0;    // pods of the lots, on all nodes
  // Of the victims, in parts of the cluster; 0 unless the smallest go first.
  std::int64_t size = 0;
  bool takes_whole_jobs = false;
  std::vector<std::uint32_t> lots = {};  // numbers, in their order; empty: there is room
  bool is_own = false;                   // a node of the claimant's queue, or of one above it
  std::uint32_t grade = 0;               // of the last lot
  std::int64_t work = 0;                 // that is lost
};

// VICTIM-5, VICTIM-13. Surplus before whole jobs, then the fewest victims a member, then the lots
// that leave first, then the name of the node.
bool is_better(const Offer& left, const Offer& right);

// The order in which victims are tried. `whole_jobs`: no surplus. `any`: all sets, in a small
// problem.
enum class VictimOrder : std::uint8_t { given, smallest_first, whole_jobs, any };

// Looks for the best offer of a node, without any change of the cluster.
class OfferSearch {
 public:
  struct Terms {
    JobId claimant;
    ShapeId shape;
    std::int32_t members = 0;  // the most that are needed
    bool takes_whole_jobs = false;
    bool is_strict = false;
    // The smallest victims first: the last may take its queue below its share.
    bool is_smallest_first = false;
    // The queue may have nothing that is idle: all room must come from victims.
    bool is_paid = false;
    std::int32_t at_once = std::numeric_limits<std::int32_t>::max();  // the most on one node
  };

  // `is_banned`, by lot: refused before. `kept` gets the lots that a guarantee keeps.
  OfferSearch(engine::Session& session, const EvictionPolicy& policy, const Candidates& candidates,
              const std::vector<std::uint8_t>& is_banned, std::set<std::uint32_t>& kept)
      : session_(session),
        policy_(policy),
        candidates_(candidates),
        is_banned_(is_banned),
        kept_(kept) {}

  // None: nobody there could make room for even one.
  std::optional<Offer> on(NodeId node, const Terms& terms);
  // If on() has just found none: may that change with pods on other nodes?
  bool may_be_opened() const {
    return admits_.reason == Reason::topology_spread ||
           admits_.reason == Reason::pod_affinity_mismatch;
  }
  // No more than this can ever be placed there, whatever the protections say.
  std::int32_t most_on(NodeId node, const Terms& terms, bool is_any_banned);

  // The largest part of the cluster that the lot has, of the resources that the shape asks for.
  std::int64_t size_of(std::uint32_t lot, const Terms& terms) const;

 private:
  struct Gain {
    std::uint32_t lot = 0;
    std::int32_t victims = 0;
    std::int32_t elsewhere = 0;
    std::vector<std::int64_t> freed;  // as Shape::requested
    bool keeps_away = false;          // VICTIM-9: it must leave, if any does
    bool is_whole = false;
    std::int64_t work = 0;
    std::uint16_t role = kNoRole;    // of surplus, if it counts
    std::size_t group = kUngrouped;  // number of its job in groups_
  };
  // A job of which not all gains of a node may be taken together.
  struct Group {
    JobId job;
    std::int32_t surplus = 0;  // pods
    std::vector<std::int32_t> of_role = {};
  };
  // Gains that are taken together.
  struct Taken {
    std::vector<std::uint8_t> is_in;  // by gain
    std::vector<Group> left;          // as groups_: what may still leave; nothing once all do
    std::vector<std::int64_t> room;
    std::int32_t victims = 0;
    std::int32_t elsewhere = 0;
    std::int64_t work = 0;
    int whole_jobs = 0;
  };
  static constexpr std::size_t kUngrouped = static_cast<std::size_t>(-1);

  std::vector<Gain> gains_on(NodeId node, const Terms& terms, bool for_bound);
  std::optional<Gain> gain_of(const Candidates::Share& share, NodeId node, const Terms& terms,
                              bool for_bound);
  bool judge(Gain& gain, const Terms& terms, const engine::Claimant& claimant);
  void group(std::vector<Gain>& gains);
  void move(Taken& taken, const Gain& gain, std::size_t number, int sign) const;
  bool take(Taken& taken, const std::vector<Gain>& gains, std::size_t number) const;
  bool have_all_left(const Taken& taken, const std::vector<Gain>& gains) const;
  Offer offer_of(NodeId node, const Terms& terms, const Taken& taken,
                 const std::vector<Gain>& gains) const;
  Offer fewest(NodeId node, const Terms& terms, const std::vector<Gain>& gains) const;
  void sort_by_size(std::vector<Gain>& gains, const Terms& terms) const;
  std::int32_t gained_by(std::uint32_t lot, const Terms& terms);
  bool would_admit(NodeId node, const Terms& terms, const std::vector<Gain>& gains) const;
  std::int32_t members_in(const std::vector<std::int64_t>& room, const Terms& terms) const;

  engine::Session& session_;
  const EvictionPolicy& policy_;
  const Candidates& candidates_;
  const std::vector<std::uint8_t>& is_banned_;
  std::set<std::uint32_t>& kept_;
  std::map<std::uint32_t, std::int32_t> gained_;  // by lot, when it was first asked for
  std::vector<std::int64_t> room_;                // of the node in question, as Shape::requested
  std::vector<Group> groups_;                     // of that node
  engine::Verdict admits_;                        // that node, with those who are there
};

// The room on the node for such pods, but for what must come from victims.
std::int64_t room_on(const Cluster& cluster, NodeId node, Dimension d, bool is_paid);
// The resources of which there is less for this many members, and what these ask for. All of them,
// if there is room: others are in their way.
std::vector<std::pair<Dimension, std::int64_t>> shortage_on(const Cluster& cluster, NodeId node,
                                                            const OfferSearch::Terms& terms,
                                                            std::int32_t members);

}  // namespace berth::actions
