// Proportion: hold each queue to its share, its guarantee and its real capability, as worked out by
// queue_division.h (docs/design/queues.md). Rules: docs/design/proportion.md.
//
//   PROPORTION-1  order of queues: priority, then the smaller share
//   PROPORTION-2  admission: within the real capability of the queue and of each above it
//   PROPORTION-3  placing: the queue has less than it deserves of what the task asks for
//   PROPORTION-4  placing: never beyond real capability
//   PROPORTION-5  placing: unmet guarantees of other queues are left
//   PROPORTION-6  placing: a started minimum is completed
//   PROPORTION-7  what targets lack counts to their queues, for all others
//   PROPORTION-8  a starved target does not wait for PROPORTION-3
//   PROPORTION-9  room that nobody within a share can use is lent beyond shares
//   PROPORTION-10 with `hold-shares: false` PROPORTION-3 does not hold
//
// Arguments: lend, may others use what a queue does not ask for of its guarantee; lend-idle, does
// PROPORTION-9 hold; hold-shares, does PROPORTION-3; guarantee, do pods of others have to leave for
// it (docs/design/shuffle.md).

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "berth/engine/fit.h"
#include "berth/engine/limit_text.h"
#include "berth/engine/need.h"
#include "berth/engine/plugin.h"
#include "berth/engine/scarcity.h"
#include "berth/engine/unmet_guarantees.h"
#include "plugins/proportion/admission_rules.h"
#include "plugins/proportion/guarantee_victims.h"
#include "plugins/proportion/queue_division.h"
#include "plugins/proportion/queue_reach.h"
#include "plugins/proportion/reclaim_rules.h"
#include "plugins/proportion/target_claims.h"
#include "plugins/proportion/target_room.h"

namespace berth::plugins {
namespace {

using namespace engine;

using Share = std::uint64_t;  // of deserved, in 2^-32, rounded down
constexpr int kShareBits = 32;
constexpr Share kUnknown = std::numeric_limits<Share>::max();
constexpr Share kBeyondAll = kUnknown - 1;

constexpr const char* kBeyondShares =
    "beyond it, a job starts on idle room that no queue within its share can use, if it may be "
    "evicted again";

Share share_of(std::int64_t allocated, std::int64_t deserved) {
  if (allocated <= 0) return 0;
  if (deserved <= 0) return kBeyondAll;
  const __int128 share = (static_cast<__int128>(allocated) << kShareBits) / deserved;
  return share > kBeyondAll ? kBeyondAll : static_cast<Share>(share);
}

class Proportion final : public Plugin {
 public:
  explicit Proportion(Arguments& arguments)
      : lends_(arguments.boolean("lend", false)),
        lends_idle_(arguments.boolean("lend-idle", true)),
        holds_shares_(arguments.boolean("hold-shares", true)),
        is_hard_(arguments.word("guarantee", "soft", {"soft", "hard"}) == "hard") {}

  void on_session_open(Session& session) override {
    session_ = &session;
    cluster_ = &session.cluster();
    claims_.reset();
    reach_.clear();
    share_texts_.clear();
    session.attach<&Proportion::divide>(points::opened, *this);
    session.attach<&Proportion::neediest_first>(points::queue_order, *this);  // PROPORTION-1
    session.attach<&Proportion::least_admitted_first>(points::admission_order,
                                                      *this);  // PROPORTION-2
    admission_.attach(session, shares_, lends_);               // PROPORTION-2
    session.attach<&Proportion::may_have>(points::allocatable,
                                          *this);  // PROPORTION-3 to PROPORTION-8
    session.attach<&Proportion::lends_idle>(points::idle_room_is_lent, *this);  // PROPORTION-9
    session.attach<&Proportion::could_ever_have>(points::job_possible, *this);  // PROPORTION-4
    session.attach<&Proportion::would_let_start>(points::reservable, *this);    // LOCK-8
    session.attach<&Proportion::take>(points::allocated, *this);
    session.attach<&Proportion::give_back>(points::released, *this);
    session.attach<&Proportion::report_shares>(points::queue_shares, *this);
    session.attach<&Proportion::report_idle_arguments>(points::notes, *this);
    session.attach<&Proportion::name_overdrawn>(points::victims, *this);
    reclaim_.attach(session, shares_, unmet_);
  }

 private:
  // Does nothing when nothing changed since the last session.
  void divide() {
    const QueueTree& tree = session_->queues();
    if (shares_ != nullptr && stamp_ == cluster_->stamp() && version_ == tree.version()) return;
    stamp_ = cluster_->stamp();
    version_ = tree.version();
    shares_ = division_.divide(*cluster_, tree, lends_, session_->feasibility());
    share_.assign(tree.size(), kUnknown);
    unmet_.reset(tree, shares_->kept, allocated_by_position(*cluster_, tree));
  }

  std::int64_t amount(const QueueShares::Amounts& amounts, std::size_t at, std::size_t d) const {
    return amounts[at * shares_->dimensions + d];
  }

  // --- PROPORTION-1, PROPORTION-2 ---------------------------------------------------------------

  Order neediest_first(const Queue& left, const Queue& right) const {
    const auto [l, r] = session_->queues().where_paths_part(left, right);
    if (const Order order = priority_at(r) <=> priority_at(l); order != Order::equal) return order;
    return known_share(l) <=> known_share(r);
  }

  Order least_admitted_first(const Queue& left, const Queue& right) const {
    const auto [l, r] = session_->queues().where_paths_part(left, right);
    if (const Order order = priority_at(r) <=> priority_at(l); order != Order::equal) return order;
    return admitted_for_weight(l) <=> admitted_for_weight(r);
  }

  std::int32_t priority_at(std::uint32_t at) const {
    const QueueId queue = session_->queues().member(at).queue;
    return queue.is_valid() ? cluster_->queue(queue).priority : 0;
  }

  // By weight, not by deserved: jobs that wait for admission may have no pods yet that ask.
  Share admitted_for_weight(std::uint32_t at) const {
    const Admissions& admissions = session_->admissions();
    Share most = 0;
    for (std::size_t d = 0; d < shares_->dimensions; ++d) {
      const Dimension dimension(d);
      const std::int64_t has = admissions.unmet().has(at, dimension);
      most = std::max(most, share_of(has, session_->queues().total(dimension)));
    }
    return most / static_cast<Share>(session_->queues().member(at).weight);
  }

  Share known_share(std::size_t at) const {
    if (share_[at] != kUnknown) return share_[at];
    Share most = 0;
    for (std::size_t d = 0; d < shares_->dimensions; ++d) {
      const std::int64_t deserved = amount(shares_->deserved, at, d);
      most = std::max(most, share_of(unmet_.has(at, Dimension(d)), deserved));
    }
    return share_[at] = most;
  }

  // --- PROPORTION-3 to PROPORTION-8 -------------------------------------------------------------

  Verdict may_have(const Queue& queue, const Task& task) {
    const Shape& shape = cluster_->shape(task.shape);
    const std::size_t at = position_of(queue);
    const Job& job = cluster_->job(task.job);
    const bool is_starved = job.election && job.placed_count() < job.min_available &&
                            session_->ask(points::may_exceed_share, job);
    const bool is_bound = holds_shares_ && !is_starved;  // PROPORTION-10
    if (const Verdict share = is_bound ? is_within_share(at, task, shape) : pass(); !share) {
      return share;
    }
    Verdict refusal = pass();
    const QueueTree& tree = session_->queues();
    std::size_t refused_at = 0;
    for (const auto& [dimension, asked] : shape.requested) {
      const std::int64_t total = tree.total(dimension);
      std::int64_t due = 0;  // to others
      bool is_own = false;   // of what is kept for this queue or one above it
      for (std::size_t each = at; each != 0; each = tree.member(each).parent) {
        const std::int64_t most = shares_->at(shares_->real_capability, each, dimension);
        const std::int64_t claimed =
            most < total ? claims_.at(*session_, each, dimension, task) : 0;
        const std::int64_t has = saturated_sum(unmet_.has(each, dimension), claimed);
        if (asked > most - has) {
          const bool is_room = most >= total;
          if (note(refusal, is_room ? Reason::insufficient_resource : Reason::queue_capability,
                   most - has, asked, dimension)) {
            refused_at = each;
          }
        }
        is_own = is_own || saturated_sum(saturated_sum(has, asked), due) <=
                               shares_->at(shares_->kept, each, dimension);
        if (is_own) continue;
        due += unmet_.due_to_siblings(tree, each, dimension);
        const std::size_t parent = tree.member(each).parent;
        const std::int64_t room = shares_->at(shares_->real_capability, parent, dimension) -
                                  unmet_.has(parent, dimension);
        // Locks keep the room of targets, except where all the rest is an unmet guarantee.
        const std::int64_t claimed_above = claims_.at(*session_, parent, dimension, task);
        const std::int64_t left = room - saturated_sum(due, claimed_above);
        // The whole is without cordoned room, and without what a pod of no queue is about to leave.
        const bool is_room = asked > room && parent == 0;
        if (asked > room && (!is_room || engine::tolerates_cordon(shape))) continue;
        if (due > 0 && asked > left &&
            note(refusal, is_room ? Reason::insufficient_resource : Reason::guarantees_kept, left,
                 asked, dimension)) {
          refused_at = parent;
        }
      }
    }
    return refusal ? refusal : for_the_whole_job(refusal, job, at, refused_at);
  }

  bool lends_idle() const { return lends_idle_ && holds_shares_; }

  Verdict is_within_share(std::size_t at, const Task& task, const Shape& shape) {
    const Job& job = cluster_->job(task.job);
    const bool is_incomplete = job.placed_count() < job.min_available;
    // PROPORTION-9
    const bool is_lent =
        lends_idle_ && session_->lending().is_on() &&
        reclaim_.could_leave(static_cast<std::uint32_t>(at),
                             is_incomplete ? JobPart::Kind::whole : JobPart::Kind::surplus);
    Verdict refusal = pass();
    Dimension refused{0};
    JobId first;  // a target that what is left of the share is for
    for (const auto& [dimension, asked] : shape.requested) {
      const std::size_t d = dimension.index();
      const std::int64_t deserved = amount(shares_->deserved, at, d);
      const bool is_short = shares_->is_short[at * shares_->dimensions + d] != 0;
      const bool is_all = deserved >= session_->queues().total(dimension);
      std::int64_t has = unmet_.has(at, dimension);
      // A queue that deserves part of a unit may have the unit, or the last by name never has any.
      const auto is_below = [&](std::int64_t amount) {
        return amount < deserved || (is_short && amount == deserved);
      };
      const JobId target =
          is_all ? JobId() : claims_.waits_for_share(*session_, at, dimension, task);
      const bool leaves_it_its_turn = !target.is_valid() || is_below(saturated_sum(has, asked));
      if (is_incomplete) has -= job.allocated[dimension] + job.pipelined[dimension];
      if ((is_lent || is_below(has)) && leaves_it_its_turn) continue;
      if (note(refusal, is_all ? Reason::insufficient_resource : Reason::queue_share_used, has,
               deserved, dimension)) {
        refused = dimension;
        first = is_below(has) ? target : JobId();
      }
    }
    if (refusal.reason != Reason::queue_share_used) return refusal;
    const auto before = [&] { return target_text(job, cluster_->job(first)) + " is before it"; };
    // PROPORTION-8
    refusal.detail = first.is_valid() ? session_->keep(before()) : why_no_more(at, refused);
    return refusal;
  }

  std::string_view why_no_more(std::size_t at, Dimension d) {
    auto& [stamp, text] = share_texts_[{at, d}];
    if (std::exchange(stamp, cluster_->stamp()) == cluster_->stamp()) return text;
    std::string why = share_text(*cluster_, session_->queues(), *shares_, unmet_, at, d);
    const bool may_have_more =
        shares_->at(shares_->deserved, at, d) < shares_->at(shares_->real_capability, at, d);
    if (lends_idle_ && session_->reclaims() && may_have_more) why = joined(why, kBeyondShares);
    return text = session_->keep(std::move(why));
  }

  // A job is refused as a whole: what its minimum needs, and what it may have of that.
  Verdict for_the_whole_job(Verdict refusal, const Job& job, std::size_t at,
                            std::size_t refused_at) {
    if (refusal.reason == Reason::insufficient_resource) return refusal;
    const Dimension d = cluster_->dimensions().find(refusal.what);
    if (job.placed_count() < job.min_available) {
      const std::int64_t own = job.allocated[d] + job.pipelined[d];
      refusal.have = saturated_sum(refusal.have, own);
      refusal.need = std::max(refusal.need, saturated_sum(need_of(*session_, job).request[d], own));
    }
    const QueueTree& tree = session_->queues();
    std::string why = refusal.reason == Reason::queue_capability
                          ? capability_text(*cluster_, tree, refused_at, d)
                          : kept_for_text(*cluster_, tree, unmet_, at, d);
    const auto claims = claims_.parts(*session_, refused_at, d, job.id);
    refusal.detail = session_->keep(joined(why, targets_text(*cluster_, job.id, d, claims)));
    return refusal;
  }

  Verdict would_let_start(const Job& job, const Need& need, const std::vector<NodeId>& nodes) {
    return room_for_target(*session_, *shares_, unmet_, claims_, {job, need, nodes});
  }

  Verdict could_ever_have(const Job& job, const Need& need) {
    const QueueTree& tree = session_->queues();
    if (reach_.empty()) reach_ = queue_reach(tree, session_->feasibility(), lends_);
    Verdict refusal = pass();
    std::size_t refused_at = 0;
    for (std::size_t at = tree.position_of(job.queue);; at = tree.member(at).parent) {
      for (std::size_t d = 0; d < need.request.extent(); ++d) {
        const Dimension dimension(d);
        const std::int64_t has = job.allocated[dimension] + job.pipelined[dimension];
        const std::int64_t asked = saturated_sum(need.request[dimension], has);
        const std::int64_t most = reach_[at * tree.dimensions() + d];
        // The check of the nodes reports that the whole cluster is too small.
        const bool is_of_queue = most < session_->feasibility().ceiling(dimension);
        if (need.request[dimension] > 0 && asked > most && is_of_queue) {
          if (note(refusal, Reason::queue_too_small, most, asked, dimension)) refused_at = at;
        }
      }
      if (at == 0) break;
    }
    if (refusal) return refusal;
    refusal.detail = session_->keep(
        capability_text(*cluster_, tree, refused_at, cluster_->dimensions().find(refusal.what)));
    return refusal;
  }

  // --- tallies ----------------------------------------------------------------------------------

  void take(const Task& task) { count(task, +1); }
  void give_back(const Task& task) { count(task, -1); }

  void count(const Task& task, int sign) {
    if (!task.job.is_valid()) return;
    const QueueTree& tree = session_->queues();
    const std::uint32_t first = tree.position_of(cluster_->job(task.job).queue);
    if (first == QueueTree::kNowhere) return;
    for (const auto& [dimension, asked] : cluster_->shape(task.shape).requested) {
      unmet_.add(tree, first, dimension, sign * asked);
    }
    for (std::uint32_t at = first; at != 0; at = tree.member(at).parent) share_[at] = kUnknown;
  }

  void report_shares(std::shared_ptr<const QueueShares>* shares) { *shares = shares_; }

  void report_idle_arguments(std::vector<std::string>* notes) {
    if (!is_hard_ || session_->plan().evicts) return;
    notes->emplace_back(
        "plugin proportion: \"guarantee: hard\" has no effect: no action evicts; add shuffle");
  }

  void name_overdrawn(std::vector<TaskId>* victims) {
    // With nodes of their own, queues get the room there, by reclaim (NODES-17).
    const bool is_on_nodes = session_->plan().reclaims && !session_->is_silent(points::queue_nodes);
    if (!is_hard_ && (is_on_nodes || !session_->queues().has_hard_guarantees())) return;
    const std::vector<TaskId> overdrawn = guarantee_victims(*session_, *shares_, is_hard_);
    victims->insert(victims->end(), overdrawn.begin(), overdrawn.end());
  }

  std::size_t position_of(const Queue& queue) const {
    return session_->queues().position_of(queue.id);
  }

  // Keeps the scarcest resource: the one with the smallest part of the need. Ties go by name, since
  // ids follow arrival. The nodes report a full cluster better, so this reason stays only if no
  // limit of the queue applies. Returns true if this resource is kept.
  bool note(Verdict& verdict, Reason reason, std::int64_t have, std::int64_t need,
            Dimension dimension) const {
    const std::string& name = cluster_->dimensions().name(dimension);
    const bool is_room = reason == Reason::insufficient_resource;
    const bool was_room = verdict.reason == Reason::insufficient_resource;
    have = std::max<std::int64_t>(have, 0);
    if (!verdict && is_room != was_room && is_room) return false;
    if (!verdict && is_room == was_room) {
      // Of shares, the one that is furthest exceeded: `have` is used, and `need` is the share.
      const bool is_share = reason == Reason::queue_share_used;
      const auto order = is_share ? by_scarcity(need, std::max<std::int64_t>(1, have), verdict.need,
                                                std::max<std::int64_t>(1, verdict.have))
                                  : by_scarcity(have, need, verdict.have, verdict.need);
      if (order > 0 || (order == 0 && verdict.what <= name)) return false;
    }
    verdict = reject(reason, have, need, name);
    return true;
  }

  bool lends_;
  bool lends_idle_;
  bool holds_shares_;
  bool is_hard_;
  Session* session_ = nullptr;
  const Cluster* cluster_ = nullptr;
  QueueDivision division_;
  std::shared_ptr<const QueueShares> shares_;
  std::uint64_t stamp_ = 0;
  std::uint64_t version_ = 0;
  UnmetGuarantees unmet_;  // with what is promised
  TargetClaims claims_;
  AdmissionRules admission_;
  ReclaimRules reclaim_;
  std::map<std::pair<std::size_t, Dimension>, std::pair<std::uint64_t, std::string_view>>
      share_texts_;                   // with the stamp of the cluster
  std::vector<std::int64_t> reach_;   // by position and dimension, in this session
  mutable std::vector<Share> share_;  // PROPORTION-1, by position
};

}  // namespace

BERTH_PLUGIN(Proportion, "proportion");

}  // namespace berth::plugins
