#include "reconcile/unclaimed_groups.h"

#include <algorithm>
#include <utility>

#include "berth/base/text.h"

namespace berth::reconcile {

namespace {

constexpr Duration kPodsCome = std::chrono::seconds(30);

}  // namespace

void UnclaimedGroups::note(JobId id, const Job& job, TimePoint now) {
  const auto known = known_.find(id);
  const bool is_same = known != known_.end() && known->second.uid == job.uid;
  if (!waits_unclaimed(job)) {
    known_.erase(id);
  } else if (!is_same) {
    known_[id] = {job.uid, now};
  }
}

void UnclaimedGroups::report(const std::vector<JobId>& changed, const Cluster& cluster,
                             TimePoint now) {
  for (const JobId id : changed) note(id, cluster.job(id), now);
  std::vector<std::string> names;
  for (auto& [id, known] : known_) {
    if (known.is_logged || now - known.since < kPodsCome) continue;
    known.is_logged = true;
    names.push_back(cluster.job(id).name);
  }
  if (names.empty()) return;
  std::sort(names.begin(), names.end());
  events_.log(unclaimed_text(names));
}

}  // namespace berth::reconcile
