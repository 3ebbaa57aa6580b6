#include "plugins/proportion/admission_rules.h"

#include <algorithm>
#include <limits>

#include "berth/engine/admissions.h"
#include "berth/engine/limit_text.h"
#include "berth/engine/need.h"
#include "berth/engine/queue_tree.h"
#include "berth/engine/scarcity.h"

namespace berth::plugins {

using namespace engine;

void AdmissionRules::attach(Session& session, const std::shared_ptr<const QueueShares>& shares,
                            bool lends) {
  session_ = &session;
  shares_ = &shares;
  lends_ = lends;
  session.attach<&AdmissionRules::is_within_capability>(points::job_enqueueable, *this);
  session.attach<&AdmissionRules::is_entitled>(points::entitled_once_asked, *this);
}

// PROPORTION-2. Of several resources that are short, the scarcest is the reason.
Vote AdmissionRules::is_within_capability(const Job& job) {
  const Cluster& cluster = session_->cluster();
  const QueueTree& tree = session_->queues();
  Admissions& admissions = session_->admissions();
  const Resources request = asked_for_admission(cluster, job);
  Verdict shortage = pass();
  for (std::size_t at = tree.position_of(job.queue);; at = tree.member(at).parent) {
    for (std::size_t i = 0; i < request.extent(); ++i) {
      const Dimension d(i);
      if (request[d] <= 0 || !is_bounded(at, d)) continue;
      const std::int64_t most = (*shares_)->at((*shares_)->real_capability, at, d);
      std::int64_t room = most - admissions.unmet().has(at, d);
      if (request[d] <= room) continue;
      room += admissions.surplus(*session_, at, d);
      room = saturated_sum(room, admissions.behind(*session_, job, d));
      if (request[d] <= room) continue;
      room = std::max<std::int64_t>(room, 0);
      const std::string& name = cluster.dimensions().name(d);
      const auto order = by_scarcity(room, request[d], shortage.have, shortage.need);
      if (!shortage && (order > 0 || (order == 0 && shortage.what <= name))) continue;
      shortage = reject(Reason::queue_capability, room, request[d], name);
    }
    if (!shortage) {
      if (admissions.is_entitled(*session_, job, request)) return permit();
      const Dimension d = cluster.dimensions().find(shortage.what);
      shortage.detail = session_->keep(joined(capability_text(cluster, tree, at, d),
                                              admitted_text(cluster, admissions, job.id, at, d)));
      return veto(shortage);
    }
    if (at == 0) return permit();
  }
}

// A bound by nothing but the size of the cluster is left to overcommit.
bool AdmissionRules::is_bounded(std::size_t at, Dimension d) const {
  const QueueShares& shares = **shares_;
  return session_->queues().limit(at, d) < std::numeric_limits<std::int64_t>::max() ||
         shares.at(shares.real_capability, at, d) < shares.at(shares.real_capability, 0, d);
}

// TALLY-6
Verdict AdmissionRules::is_entitled(const Job& job, const Resources& in_all) {
  const std::uint32_t at = session_->queues().position_of(job.queue);
  const QueueShares& shares = shares_with_groups();
  for (std::size_t i = 0; i < in_all.extent(); ++i) {
    const Dimension d(i);
    const std::int64_t most =
        std::max(shares.at(shares.deserved, at, d), shares.at(shares.guarantee, at, d));
    if (in_all[d] > 0 && in_all[d] > most) {
      return reject(Reason::not_entitled, in_all[d], most,
                    session_->cluster().dimensions().name(d));
    }
  }
  return pass();
}

const QueueShares& AdmissionRules::shares_with_groups() {
  if (known_for_ != *shares_) {
    known_for_ = *shares_;
    with_groups_ = division_.divide(session_->cluster(), session_->queues(), lends_,
                                    session_->feasibility(), true);
  }
  return *with_groups_;
}

}  // namespace berth::plugins
