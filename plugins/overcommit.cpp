// Overcommit: admit a little more than there is room for, since jobs finish while others come; but
// not so much that controllers drown in pending pods.
// Rules: docs/design/overcommit.md.
//
//   OVERCOMMIT-1  capacity: what usable nodes have times `overcommit-factor`, less what is used
//   OVERCOMMIT-2  surplus that is lent, and what comes after the job or could leave for it, is free
//   OVERCOMMIT-3  a job is admitted if each dimension fits into these, or passes by OVERCOMMIT-4
//   OVERCOMMIT-4  a dimension within the queue's guarantee passes, however full the cluster is
//   OVERCOMMIT-5  so does a job for which others would have to give room back
//
// Argument: overcommit-factor, 1 to 1000, at most three decimals, default 1.2. S0 sets 1.0, so that
// the job that waits is the one that lacks room.

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
    // Keeps the scarcest resource: the one with the smallest part of the need. Ties go by name, so
    // that the reason does not depend on the order of arrival.
    const Resources request = asked_for_admission(*cluster_, job);
    Verdict shortage = pass();
    Dimension scarcest{0};
    for (std::size_t d = 0; d < request.extent(); ++d) {
      const Dimension dimension(d);
      if (request[dimension] <= 0 || is_guaranteed(queue, dimension, request[dimension])) continue;
      // OVERCOMMIT-3. Surplus is expensive, so it is computed only where it matters.
      Admissions& admissions = session_->admissions();
      std::int64_t room = admissible(dimension) - admissions.in_queue(0, dimension) -
                          admissions.unmet().due_to_others(session_->queues(), at, dimension);
      if (request[dimension] <= room) continue;
      // OVERCOMMIT-2
      room += admissions.surplus(*session_, 0, dimension);
      room = saturated_sum(room, admissions.behind(*session_, job, dimension));
      const std::string& name = cluster_->dimensions().name(dimension);
      if (request[dimension] <= room) continue;
      room = std::max<std::int64_t>(room, 0);
      const auto order = by_scarcity(room, request[dimension], shortage.have, shortage.need);
      if (!shortage && (order > 0 || (order == 0 && shortage.what < name))) continue;
      shortage = reject(Reason::cluster_overcommitted, room, request[dimension], name);
      scarcest = dimension;
    }
    // OVERCOMMIT-5
    if (shortage || session_->admissions().is_entitled(*session_, job, request)) return permit();
    shortage.detail = session_->keep(what_takes(job, at, scarcest));
    return veto(shortage);
  }

  // Room that is idle but not available: it is promised to others.
  std::string what_takes(const Job& job, std::size_t at, Dimension d) {
    const Admissions& admissions = session_->admissions();
    return joined(admitted_text(*cluster_, admissions, job.id, 0, d),
                  kept_for_text(*cluster_, session_->queues(), admissions.unmet(), at, d));
  }

  // OVERCOMMIT-4. Each dimension by itself: a queue is seldom guaranteed all that its jobs ask for.
  bool is_guaranteed(std::uint32_t queue, Dimension dimension, std::int64_t amount) {
    const UnmetGuarantees& unmet = session_->admissions().unmet();
    return queue != QueueTree::kNowhere &&
           unmet.is_covered(session_->queues(), queue, dimension, amount);
  }

  // OVERCOMMIT-1, in 128 bits: total times factor may pass 2^63.
  std::int64_t admissible(Dimension dimension) const {
    const __int128 scaled =
        static_cast<__int128>(open_.allocatable(dimension)) * factor_thousandths_;
    const __int128 room = scaled / 1000 - open_.used(dimension);
    constexpr std::int64_t kRoomMost = std::int64_t{1} << 62;
    return room > kRoomMost ? kRoomMost : static_cast<std::int64_t>(room);
  }

  std::int64_t factor_thousandths_;
  Session* session_ = nullptr;
  const Cluster* cluster_ = nullptr;
  OpenNodes open_;
};

}  // namespace

BERTH_PLUGIN(Overcommit, "overcommit");

}  // namespace berth::plugins
