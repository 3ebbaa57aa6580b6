// plugins/overcommit.cpp
//
// Overcommit: admit a little more than there is room for, and no more.
//
// Jobs finish while others are admitted, so a cluster that admits only what fits now runs half
// empty; one that admits everything drowns its controllers in pods that wait.
//
//   O1  What may be admitted is the sum of all nodes that take pods times `overcommit-factor`, less
//       what is used there.
//   O2  What running jobs have beyond their minResources counts as free: they can be made to give
//       it back (S4).
//   O3  A job is admitted if in every dimension that it asks for it passes by O4, or what is in
//       queue, what other queues are due of their guarantees, and its minResources fit into O1 and
//       O2.
//   O4  A dimension passes, however full the cluster is, if what its queue has, what is in queue
//       there, and its minResources stay within what is guaranteed to the queue, or to one above
//       it that owes it to no other (S1).
//
// Argument: overcommit-factor, 1 to 1000, at most three decimals, default 1.2. S0 sets 1.0 so that
// the job that waits is the one that lacks room.
//
// Worked example: docs/design/overcommit.md.

#include <algorithm>
#include <string>

#include "berth/engine/limit_text.h"
#include "berth/engine/need.h"
#include "berth/engine/open_nodes.h"
#include "berth/engine/plugin.h"
#include "berth/engine/scarcity.h"

namespace berth::plugins {
namespace {

using namespace engine;

class Overcommit final : public Plugin {
 public:
  explicit Overcommit(Arguments& arguments)
      : factor_thousandths_(arguments.thousandths("overcommit-factor", 1'200, 1'000, 1'000'000)) {}

  void on_session_open(Session& session) override {
    session_ = &session;
    cluster_ = &session.cluster();
    session.attach<&Overcommit::has_room_for>(points::job_enqueueable, *this);
  }

 private:
  Vote has_room_for(const Job& job) {
    open_.refresh(*cluster_);
    const std::uint32_t queue = session_->queues().position_of(job.queue);
    const std::size_t at = queue == QueueTree::kNowhere ? 0 : queue;
    // Of several that are short the scarcest, of which the smallest part of the need is there; ties
    // by name, so that the reason does not depend on who came first.
    const Resources request = asked_for_admission(*cluster_, job);
    Verdict shortage = pass();
    Dimension scarcest{0};
    for (std::size_t d = 0; d < request.extent(); ++d) {
      const Dimension dimension(d);
      if (request[dimension] <= 0 || is_guaranteed(queue, dimension, request[dimension])) continue;
      // O3. Surplus is dear to work out and asked for only where it matters.
      const Admissions& admissions = session_->admissions();
      std::int64_t room = admissible(dimension) - admissions.in_queue(0, dimension) -
                          admissions.unmet().due_to_others(session_->queues(), at, dimension);
      if (request[dimension] <= room) continue;
      room += session_->admissions().surplus(*cluster_, session_->queues(), 0, dimension);  // O2
      const std::string& name = cluster_->dimensions().name(dimension);
      if (request[dimension] <= room) continue;
      room = std::max<std::int64_t>(room, 0);
      const auto order = by_scarcity(room, request[dimension], shortage.have, shortage.need);
      if (!shortage && (order > 0 || (order == 0 && shortage.what < name))) continue;
      shortage = reject(Reason::cluster_overcommitted, room, request[dimension], name);
      scarcest = dimension;
    }
    if (shortage) return permit();
    shortage.detail = session_->keep(what_takes(job, at, scarcest));
    return veto(shortage);
  }

  // Room that is idle and not to be had: it is promised to others.
  std::string what_takes(const Job& job, std::size_t at, Dimension d) {
    const Admissions& admissions = session_->admissions();
    return joined(admitted_text(*cluster_, admissions, job.id, 0, d),
                  kept_for_text(*cluster_, session_->queues(), admissions.unmet(), at, d));
  }

  // O4. Each dimension by itself: a queue is seldom guaranteed all that its jobs ask for.
  bool is_guaranteed(std::uint32_t queue, Dimension dimension, std::int64_t amount) {
    const UnmetGuarantees& unmet = session_->admissions().unmet();
    return queue != QueueTree::kNowhere &&
           unmet.is_covered(session_->queues(), queue, dimension, amount);
  }

  // O1, in 128 bits: total times factor may pass 2^63.
  std::int64_t admissible(Dimension dimension) const {
    const __int128 scaled =
        static_cast<__int128>(open_.allocatable(dimension)) * factor_thousandths_;
    const __int128 room = scaled / 1000 - open_.used(dimension);
    constexpr std::int64_t kMost = std::int64_t{1} << 62;
    return room > kMost ? kMost : static_cast<std::int64_t>(room);
  }

  std::int64_t factor_thousandths_;
  Session* session_ = nullptr;
  const Cluster* cluster_ = nullptr;
  OpenNodes open_;
};

}  // namespace

BERTH_PLUGIN(Overcommit, "overcommit");

}  // namespace berth::plugins
