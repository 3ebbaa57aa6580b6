#include <utility>

#include "berth/base/check.h"
#include "berth/engine/need.h"
#include "berth/engine/session.h"

// Targets and locks, as actions move them.

namespace berth::engine {

void Session::elect(JobId job, std::string why) {
  BERTH_CHECK(!cluster_.job(job).election);
  // Targets are in the order of their election, also those of one session.
  const bool is_named = cluster_.job(job).is_named_target;
  ledger_.set_election(job, Election{now_ + Duration(elections_++), std::move(why), is_named});
}

void Session::name_target(JobId target) {
  Election election = *cluster_.job(target).election;
  election.is_named = true;
  ledger_.set_election(target, std::move(election));
}

void Session::release(JobId target, EndedReservation::How how, const Verdict& why) {
  EndedReservation ended{target, how, *cluster_.job(target).election,
                         cluster_.nodes_locked_for(target)};
  ended.reason = why.reason;
  ended.have = why.have;
  ended.need = why.need;
  ended.what = why.what;
  for (const NodeId node : ended.nodes) unlock(node);
  ledger_.set_election(target, std::nullopt);
  plan_.ended.push_back(std::move(ended));
}

void Session::lock(NodeId node, JobId target) {
  const Lock& before = cluster_.node(node).lock;
  BERTH_CHECK(cluster_.job(target).election && !before.job.is_valid() && !before.is_foreign);
  ledger_.set_lock(node, Lock{target, false, now_});
}

void Session::unlock(NodeId node) { ledger_.set_lock(node, Lock()); }

void Session::forget_needless_elections() {
  for (const JobId target : std::vector<JobId>(cluster_.targets())) {
    const Job& job = cluster_.job(target);
    const bool is_new = job.election->since >= now_;
    if (is_new && has_minimum(*this, job) && cluster_.nodes_locked_for(target).empty()) {
      ledger_.set_election(target, std::nullopt);
    }
  }
}

void Session::note_impossible(JobId job, const Verdict& why) {
  impossible_.insert_or_assign(job, why);
}

}  // namespace berth::engine
