// plugins/proportion.cpp
//
// Proportion: divide the cluster among the queues, and hold everybody to it.
//
// How much each queue may have is worked out by the engine (docs/design/queues.md): its deserved
// share, the guarantee in force, and its real capability. This plugin makes them count:
//
//   P1  who is first?   A queue of higher spec.priority; then the one with the smaller share, which
//                       is the largest, over all resources, of allocated / deserved.
//   P2  admission       By P1 too, but with what is in queue counted as if it were there: so a
//                       queue that has been let in much waits for one that has not. A job is
//                       admitted if allocated + in queue + its minResources - surplus stay within
//                       the real capability of its queue, and of each queue above it.
//   P3  served at all?  Not a queue that has its share of everything.
//   P4  never beyond    A task is placed only within the real capability of its queue, and of each
//                       queue above it.
//   P5  kept room       ... and only if what other queues are guaranteed and have not taken is
//   left.
//                       What lies within the guarantee of the task's own queue asks nobody.
//   P6  whole jobs      A job that has not got its minimum may be begun while its queue, without
//                       this job, has less than its share of what the task asks for; it may be
//                       completed beyond that: shares are not cut to the size of gangs, and a share
//                       that no gang fits would lie idle. Surplus is placed within the share only.
//
// Arguments: lend, true or false (default): whether others may use the part of a guarantee that its
// queue does not ask for. guarantee, soft (default) or hard: whether others have to leave for
// guarantees that nobody uses (S1; docs/design/shuffle.md); soft leaves it to each queue (S3).
//
// Worked example: docs/design/proportion.md.

#include <algorithm>
#include <limits>
#include <vector>

#include "berth/engine/overdrawn.h"
#include "berth/engine/plugin.h"
#include "berth/engine/queue_division.h"

namespace berth::plugins {
namespace {

using namespace engine;

using Share = std::uint64_t;  // of deserved, in 2^-32, rounded down
constexpr int kShareBits = 32;
constexpr Share kUnknown = std::numeric_limits<Share>::max();
constexpr Share kBeyondAll = kUnknown - 1;

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
        is_hard_(arguments.word("guarantee", "soft", {"soft", "hard"}) == "hard") {}

  void on_session_open(Session& session) override {
    session_ = &session;
    cluster_ = &session.cluster();
    divide();
    session.attach<&Proportion::neediest_first>(points::queue_order, *this);            // P1
    session.attach<&Proportion::least_admitted_first>(points::admission_order, *this);  // P2
    session.attach<&Proportion::is_within_capability>(points::job_enqueueable, *this);  // P2
    session.attach<&Proportion::has_share_left>(points::overused, *this);               // P3
    session.attach<&Proportion::may_have>(points::allocatable, *this);                  // P4 to P6
    session.attach<&Proportion::take>(points::allocated, *this);
    session.attach<&Proportion::give_back>(points::released, *this);
    session.attach<&Proportion::tell>(points::queue_shares, *this);
    session.attach<&Proportion::name_overdrawn>(points::victims, *this);
  }

 private:
  // Nothing is done when nothing changed since the last session.
  void divide() {
    const QueueTree& tree = session_->queues();
    if (shares_ != nullptr && stamp_ == cluster_->stamp() && version_ == tree.version()) return;
    stamp_ = cluster_->stamp();
    version_ = tree.version();
    shares_ = division_.divide(*cluster_, tree, lends_);
    const std::size_t dimensions = shares_->dimensions;
    allocated_.assign(tree.size() * dimensions, 0);
    untaken_.assign(tree.size() * dimensions, 0);
    share_.assign(tree.size(), kUnknown);
    for (std::size_t at = tree.size(); at-- > 0;) {
      const QueueTree::Member& member = tree.member(at);
      for (std::size_t d = 0; d < dimensions; ++d) {
        std::int64_t& has = allocated_[at * dimensions + d];
        if (member.queue.is_valid()) has += cluster_->queue(member.queue).allocated[Dimension(d)];
        if (at == 0) continue;
        allocated_[member.parent * dimensions + d] += has;
        untaken_[member.parent * dimensions + d] += untaken_of(at, d);
      }
    }
  }

  std::int64_t amount(const QueueShares::Amounts& amounts, std::size_t at, std::size_t d) const {
    return amounts[at * shares_->dimensions + d];
  }
  std::int64_t untaken_of(std::size_t at, std::size_t d) const {
    return std::max<std::int64_t>(0, amount(shares_->kept, at, d) - amount(allocated_, at, d));
  }

  // --- P1, P2 -----------------------------------------------------------------------------------

  Order neediest_first(const Queue& left, const Queue& right) const {
    if (left.priority != right.priority) return right.priority <=> left.priority;
    return known_share(left) <=> known_share(right);
  }

  Order least_admitted_first(const Queue& left, const Queue& right) const {
    if (left.priority != right.priority) return right.priority <=> left.priority;
    return share_with_queued(left) <=> share_with_queued(right);
  }

  // Worked out anew only when the queue has got or lost something.
  Share known_share(const Queue& queue) const {
    const std::size_t at = position_of(queue);
    if (share_[at] == kUnknown) share_[at] = dominant_share(at, [](Dimension) { return 0; });
    return share_[at];
  }

  Share share_with_queued(const Queue& queue) const {
    const std::size_t at = position_of(queue);
    const Admissions& admissions = session_->admissions();
    return dominant_share(at, [&](Dimension d) { return admissions.in_queue(at, d); });
  }

  template <class More>
  Share dominant_share(std::size_t at, const More& more) const {
    Share most = 0;
    for (std::size_t d = 0; d < shares_->dimensions; ++d) {
      const std::int64_t has = amount(allocated_, at, d) + more(Dimension(d));
      most = std::max(most, share_of(has, amount(shares_->deserved, at, d)));
    }
    return most;
  }

  Vote is_within_capability(const Job& job) {
    const QueueTree& tree = session_->queues();
    Admissions& admissions = session_->admissions();
    const Resources& request = *job.min_resources;
    Verdict shortage = pass();
    for (std::size_t at = tree.position_of(job.queue); at != 0; at = tree.member(at).parent) {
      for (std::size_t d = 0; d < request.extent(); ++d) {
        const Dimension dimension(d);
        if (request[dimension] <= 0) continue;
        std::int64_t room = amount(shares_->real_capability, at, d) - amount(allocated_, at, d) -
                            admissions.in_queue(at, dimension);
        if (request[dimension] <= room) continue;
        room += admissions.surplus(*cluster_, tree, at, dimension);
        if (request[dimension] > room) {
          note(shortage, Reason::queue_capability, std::max<std::int64_t>(room, 0),
               request[dimension], dimension);
        }
      }
      if (!shortage) return veto(shortage);
    }
    return permit();
  }

  // --- P3 ---------------------------------------------------------------------------------------

  Verdict has_share_left(const Queue& queue) const {
    const std::size_t at = position_of(queue);
    Verdict used = pass();
    for (std::size_t d = 0; d < shares_->dimensions; ++d) {
      const std::int64_t has = amount(allocated_, at, d);
      const std::int64_t deserved = amount(shares_->deserved, at, d);
      if (has < deserved) return pass();
      if (has > 0) note(used, Reason::queue_share_used, has, deserved, Dimension(d));
    }
    if (used) note(used, Reason::queue_share_used, 0, 0, kCpu);
    return used;
  }

  // --- P4, P5, P6 -------------------------------------------------------------------------------

  Verdict may_have(const Queue& queue, const Task& task) const {
    const Shape& shape = cluster_->shape(task.shape);
    const std::size_t at = position_of(queue);
    if (Verdict verdict = is_within_share(at, task, shape); !verdict) return verdict;
    const QueueTree& tree = session_->queues();
    Verdict refusal = pass();
    for (std::size_t each = at; each != 0; each = tree.member(each).parent) {
      for (const auto& [dimension, asked] : shape.requested) {
        const std::size_t d = dimension.index();
        const std::int64_t has = amount(allocated_, each, d);
        const std::int64_t room = amount(shares_->real_capability, each, d) - has;
        if (asked > room) {
          const bool is_all = amount(shares_->real_capability, each, d) >= tree.total(dimension);
          note(refusal, is_all ? Reason::insufficient_resource : Reason::queue_capability, room,
               asked, dimension);
        }
        if (has + asked <= amount(shares_->kept, each, d)) continue;
        // Where nothing is kept, what is there is for the nodes and the parent's bounds to say.
        const std::int64_t kept = kept_for_others(each, d);
        const std::int64_t unkept = room_of_parent(each, d) - kept;
        if (kept > 0 && asked > unkept) {
          note(refusal, Reason::guarantees_kept, unkept, asked, dimension);
        }
      }
      if (!refusal) return refusal;
    }
    return refusal;
  }

  Verdict is_within_share(std::size_t at, const Task& task, const Shape& shape) const {
    const Job& job = cluster_->job(task.job);
    const bool is_incomplete = job.placed_count() < job.min_available;
    Verdict refusal = pass();
    for (const auto& [dimension, asked] : shape.requested) {
      const std::size_t d = dimension.index();
      const std::int64_t has = amount(allocated_, at, d);
      const std::int64_t deserved = amount(shares_->deserved, at, d);
      const std::int64_t without = has - job.allocated[dimension] - job.pipelined[dimension];
      const bool may = is_incomplete ? without < deserved : has + asked <= deserved;
      if (may) continue;
      const bool is_all = deserved >= session_->queues().total(dimension);
      note(refusal, is_all ? Reason::insufficient_resource : Reason::queue_share_used, has,
           deserved, dimension);
    }
    return refusal;
  }

  std::int64_t kept_for_others(std::size_t at, std::size_t d) const {
    return amount(untaken_, session_->queues().member(at).parent, d) - untaken_of(at, d);
  }
  std::int64_t room_of_parent(std::size_t at, std::size_t d) const {
    const std::size_t parent = session_->queues().member(at).parent;
    return amount(shares_->real_capability, parent, d) - amount(allocated_, parent, d);
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
      const std::size_t d = dimension.index();
      for (std::size_t at = first;; at = tree.member(at).parent) {
        const std::int64_t before = untaken_of(at, d);
        allocated_[at * shares_->dimensions + d] += sign * asked;
        share_[at] = kUnknown;
        if (at == 0) break;
        untaken_[tree.member(at).parent * shares_->dimensions + d] += untaken_of(at, d) - before;
      }
    }
  }

  void tell(std::shared_ptr<const QueueShares>* shares) { *shares = shares_; }

  void name_overdrawn(std::vector<TaskId>* victims) {
    if (!is_hard_ && !session_->queues().member(0).is_hard) return;
    const std::vector<TaskId> overdrawn = overdrawn_tasks(*session_, *shares_, is_hard_);
    victims->insert(victims->end(), overdrawn.begin(), overdrawn.end());
  }

  std::size_t position_of(const Queue& queue) const {
    return session_->queues().position_of(queue.id);
  }

  // Of several, the dimension first by name: ids follow arrival. That the cluster is full, nodes
  // say better than we can; it stands only where nothing of the queue's own is in the way.
  void note(Verdict& verdict, Reason reason, std::int64_t have, std::int64_t need,
            Dimension dimension) const {
    const std::string& name = cluster_->dimensions().name(dimension);
    const bool is_room = reason == Reason::insufficient_resource;
    const bool was_room = verdict.reason == Reason::insufficient_resource;
    if (!verdict && (is_room != was_room ? is_room : verdict.what <= name)) return;
    verdict = reject(reason, std::max<std::int64_t>(have, 0), need, name);
  }

  bool lends_;
  bool is_hard_;
  Session* session_ = nullptr;
  const Cluster* cluster_ = nullptr;
  QueueDivision division_;
  std::shared_ptr<const QueueShares> shares_;
  std::uint64_t stamp_ = 0;
  std::uint64_t version_ = 0;
  // With all below them and with what is promised to them; by position and dimension.
  std::vector<std::int64_t> allocated_;
  // Of what is kept for the children, what they have not taken.
  std::vector<std::int64_t> untaken_;
  mutable std::vector<Share> share_;  // P1, by position
};

}  // namespace

BERTH_PLUGIN(Proportion, "proportion");

}  // namespace berth::plugins
