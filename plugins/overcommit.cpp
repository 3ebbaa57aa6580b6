// plugins/overcommit.cpp
//
// Overcommit: admit a little more than there is room for, and no more.
//
// Jobs finish while others are admitted, so a cluster that admits only what fits now runs half
// empty; one that admits everything drowns its controllers in pods that wait.
//
//   O1  What may be admitted is the sum of all nodes times `overcommit-factor`, less what is used.
//   O2  A job that is in and has not got all of its minResources keeps the rest as its own: it is
//       "in queue". A running job owes itself the same while it has its minimum of members;
//       pods that are gated do not count.
//   O3  A job is admitted if what is in queue and its minResources fit into O1 in every dimension
//       that it asks for.
//   O4  An admitted job is in queue from then on, in this session too. Votes change nothing.
//
// Argument: overcommit-factor, 1 to 1000, at most three decimals, default 1.2. S0 sets 1.0 so that
// the job that waits is the one that lacks room.
//
// Worked example: docs/design/overcommit.md.

#include <algorithm>
#include <string>

#include "berth/engine/plugin.h"

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
    counted_at_ = 0;
    session.attach<&Overcommit::has_room_for>(points::job_enqueueable, *this);  // O3
    session.attach<&Overcommit::is_in_queue>(points::job_enqueued, *this);      // O4
  }

 private:
  Vote has_room_for(const Job& job) {
    count_in_queue();
    // The dimension first by name, so that the reason does not depend on who came first.
    const Resources& request = *job.min_resources;
    Verdict shortage = pass();
    for (std::size_t d = 0; d < request.extent(); ++d) {
      const Dimension dimension(d);
      if (request[dimension] <= 0) continue;
      const std::int64_t room = admissible(dimension) - in_queue_[dimension];
      const std::string& name = cluster_->dimensions().name(dimension);
      if (request[dimension] <= room || (!shortage && shortage.what < name)) continue;
      shortage = reject(Reason::cluster_overcommitted, std::max<std::int64_t>(room, 0),
                        request[dimension], name);
    }
    return shortage ? permit() : veto(shortage);
  }

  // The tally moves on only if it was true until this admission; else the next vote counts anew.
  void is_in_queue(const Job& job) {
    if (session_->ledger().operations().back().stamp_before != counted_at_) return;
    in_queue_ += owed_to(job);
    counted_at_ = cluster_->stamp();
  }

  // Anew only when something else than an admission has changed the cluster.
  void count_in_queue() {
    if (counted_at_ == cluster_->stamp()) return;
    counted_at_ = cluster_->stamp();
    in_queue_ = Resources();
    for (const JobId id : cluster_->open_jobs()) in_queue_ += owed_to(cluster_->job(id));
  }

  // O1, in 128 bits: total times factor may pass 2^63.
  std::int64_t admissible(Dimension dimension) const {
    const __int128 scaled =
        static_cast<__int128>(cluster_->total_allocatable()[dimension]) * factor_thousandths_;
    const __int128 room = scaled / 1000 - cluster_->total_used()[dimension];
    constexpr std::int64_t kMost = std::int64_t{1} << 62;
    return room > kMost ? kMost : static_cast<std::int64_t>(room);
  }

  // O2
  static Resources owed_to(const Job& job) {
    if (!job.min_resources) return {};
    const bool in_queue = job.phase == GroupPhase::inqueue;
    const bool runs_whole =
        job.phase == GroupPhase::running &&
        job.placed_count() - job.count(TaskStatus::succeeded) >= job.min_available;
    if (!in_queue && !runs_whole) return {};
    return positive_difference(positive_difference(*job.min_resources, job.allocated),
                               job.gated_request);
  }

  std::int64_t factor_thousandths_;
  Session* session_ = nullptr;
  const Cluster* cluster_ = nullptr;
  Resources in_queue_;
  std::uint64_t counted_at_ = 0;  // the cluster's stamp then
};

}  // namespace

BERTH_PLUGIN(Overcommit, "overcommit");

}  // namespace berth::plugins
