#include <algorithm>
#include <utility>

#include "actions/eviction/solver.h"
#include "berth/base/look_up.h"
#include "berth/engine/fit.h"
#include "berth/model/room.h"

// The search for the members of one shape.

namespace berth::actions {

using namespace engine;

// VICTIM-4, VICTIM-5.
bool Solver::place_shape(const std::vector<TaskId>& tasks, OfferSearch::Terms terms) {
  std::size_t next = 0;
  while (next < tasks.size() && place_without_evicting(tasks[next])) ++next;
  if (next == tasks.size()) return true;
  OfferSearch search(session_, policy_, candidates_, is_banned_, kept_);
  terms.members = static_cast<std::int32_t>(tasks.size() - next);
  is_hopeless_ = !could_place(terms, search);
  if (is_hopeless_) return false;
  if (!candidates_.are_in_order() && !order_candidates()) return false;
  // VICTIM-12. How many a spread lets in depends on the other domains.
  if (!cluster_.shape(terms.shape).terms.spread.empty()) terms.at_once = 1;
  return place_by_offers(std::span(tasks).subspan(next), terms, search);
}

bool Solver::place_by_offers(std::span<const TaskId> tasks, OfferSearch::Terms terms,
                             OfferSearch& search) {
  const std::vector<std::uint8_t> passing = session_.passing(terms.shape);
  OfferHeap heap;
  const auto offer_of = [&](NodeId node) {
    std::optional<Offer> offer = search.on(node, terms);
    const bool is_for_now = !offer && search.may_be_opened();
    if (is_for_now) heap.put_aside(node, cluster_.relations().opened());
    return offer;
  };
  const auto ask = [&](NodeId node) {
    if (!is_open(node, terms.shape, passing)) return;
    if (std::optional<Offer> offer = offer_of(node)) heap.push(*std::move(offer));
  };
  const auto ask_all = [&] {
    heap.clear();
    for (std::size_t n = 0; n < cluster_.node_count(); ++n) ask(NodeId(n));
  };
  ask_all();
  while (!tasks.empty()) {
    terms.members = static_cast<std::int32_t>(tasks.size());
    for (const NodeId node : heap.take_aside(cluster_.relations().opened())) ask(node);
    if (heap.is_empty()) {
      // Nobody more could make room; but the queue may hold back what there is room for.
      if (!may_have(tasks.front())) return false;
      if (!place_without_evicting(tasks.front())) return false;
      tasks = tasks.subspan(1);
      continue;
    }
    const NodeId node = heap.pop().node;
    const std::optional<Offer> offer = offer_of(node);
    if (!offer) continue;
    if (!heap.is_empty() && is_better(heap.best(), *offer)) {
      heap.push(*offer);
      continue;
    }
    const std::vector<NodeId> vacated = vacated_by(*offer);
    switch (take(*offer, tasks, terms, search)) {
      case Taken::some:
        for (const NodeId each : vacated) ask(each);
        for (const NodeId each : heap.take_failed()) ask(each);
        break;
      case Taken::lots_stay:
        ask(node);
        break;
      case Taken::refused:
        heap.note_failed(node);
        break;
      case Taken::queue_has_too_much:
        if (std::exchange(terms.is_paid, true)) return false;
        ask_all();
        break;
      case Taken::queue_holds_back:
        return false;
    }
  }
  return true;
}

// As many members as the offer has room for; `tasks` are the others then.
Solver::Taken Solver::take(const Offer& offer, std::span<const TaskId>& tasks,
                           const OfferSearch::Terms& terms, const OfferSearch& search) {
  const Statement::Checkpoint before = statement_.checkpoint();
  const std::size_t evicted_before = evicted_.size();
  if (!make_room(offer, terms, search)) return Taken::lots_stay;
  if (offer.lots.empty() && !may_have(tasks.front())) {
    return Taken::queue_has_too_much;  // there is room
  }
  std::size_t count = 0;
  for (; count < static_cast<std::size_t>(offer.members); ++count) {
    if (!may_have(tasks[count])) return Taken::queue_holds_back;
    if (!place_on(tasks[count], offer.node)) break;
  }
  tasks = tasks.subspan(count);
  if (count > 0) return Taken::some;
  // VICTIM-10. The node refuses them once those have left; so they stay.
  statement_.roll_back(before);
  forget_evicted_after(evicted_before);
  return Taken::refused;
}

// May members go there, other pods aside?
bool Solver::is_open(NodeId node, ShapeId shape, const std::vector<std::uint8_t>& passing) const {
  return passing[node.index()] != 0 && session_.may_choose(node) &&
         session_.is_open_to(node, claimant_) &&
         !is_outside(session_.start(), cluster_, cluster_.shape(shape), node);
}

// The node, and the others that a whole job has left.
std::vector<NodeId> Solver::vacated_by(const Offer& offer) const {
  std::vector<NodeId> vacated{offer.node};
  if (!offer.takes_whole_jobs) return vacated;
  for (const std::uint32_t lot : offer.lots) {
    for (const TaskId id : candidates_.lots()[lot].tasks) {
      vacated.push_back(cluster_.task(id).node);
    }
  }
  sort_once(vacated);
  return vacated;
}

// VICTIM-4. Even if all candidates left, protected or not.
bool Solver::could_place(const OfferSearch::Terms& terms, OfferSearch& search) {
  most_ = std::max(most_, static_cast<std::int32_t>(placed_.size()));
  const auto& requested = cluster_.shape(terms.shape).requested;
  if (!candidates_.could_any_take(requested, terms.takes_whole_jobs)) return false;
  const bool is_any_banned = !has_asked_nobody();
  const std::vector<std::uint8_t>& passing = session_.passing(terms.shape);
  std::int64_t members = 0;
  for (std::size_t n = 0; n < cluster_.node_count() && members < terms.members; ++n) {
    const NodeId node(n);
    if (!candidates_.could_take(node, requested, terms.takes_whole_jobs)) continue;
    if (!is_open(node, terms.shape, passing)) continue;
    members += search.most_on(node, terms, is_any_banned);
  }
  if (members >= terms.members && !terms.takes_whole_jobs) {
    members = std::min(members, most_by_number(terms, passing));
  }
  if (members >= terms.members) return true;
  most_ = std::max(most_,
                   static_cast<std::int32_t>(placed_.size()) + static_cast<std::int32_t>(members));
  return false;
}

// SURPLUS-2. No more surplus leaves than each job has.
std::int64_t Solver::most_by_number(const OfferSearch::Terms& terms,
                                    const std::vector<std::uint8_t>& passing) const {
  const auto& requested = cluster_.shape(terms.shape).requested;
  std::int64_t members = candidates_.most_by_surplus(requested);
  for (std::size_t n = 0; n < cluster_.node_count() && members < terms.members; ++n) {
    const NodeId node(n);
    if (!is_open(node, terms.shape, passing)) continue;
    members += times_covered(requested, [&](Dimension d) { return cluster_.future_idle(node, d); });
  }
  return members;
}

// As things are without the members that have a place already.
bool Solver::order_candidates() {
  const Solution so_far{{}, placed_};
  evict_again({});
  candidates_.put_in_order();
  ban_own();
  return restore(so_far);
}

}  // namespace berth::actions
