#include "daemon/target_teller.h"

#include <utility>

#include "berth/base/text.h"
#include "daemon/target_words.h"

namespace berth::daemon {

void TargetTeller::report(const Plan& plan, const Cluster& cluster,
                          const ReservationReporter& api) {
  for (const EndedReservation& ended : plan.ended) {
    const Job& job = cluster.job(ended.job);
    said_[job.uid] = {ended.job, daemon::condition_of(ended)};
    tell_end(ended, cluster);
    told_.erase(job.uid);
  }
  for (const Reservation& each : plan.reservations) {
    const Job& job = cluster.job(each.job);
    said_[job.uid] = {each.job, daemon::condition_of(each, cluster)};
    const auto [entry, is_new] = told_.try_emplace(job.uid);
    Told& told = entry->second;
    if (is_new) told = {api.marks_of(job.uid).elected_at, api.nodes_locked_for(job.uid)};
    if (told.elected_at != each.election.since) {
      told.elected_at = each.election.since;
      tell(job, "Targeted",
           "elected as a target: " + each.election.why + "; lock: " + to_string(each.scheme),
           false);
    }
    tell_locks(each, cluster, told);
  }
  const auto is_over = [&](const auto& entry) {
    const auto& [uid, said] = entry;
    return cluster.job(said.job).uid != uid;
  };
  std::erase_if(said_, is_over);
  std::erase_if(told_, [this](const auto& entry) { return !said_.contains(entry.first); });
}

void TargetTeller::tell_locks(const Reservation& reservation, const Cluster& cluster, Told& told) {
  std::set<std::string> nodes;
  std::vector<std::string> fresh;
  for (const NodeId id : reservation.nodes) {
    const std::string& name = cluster.node(id).name;
    nodes.insert(name);
    if (!told.nodes.contains(name)) fresh.push_back(name);
  }
  told.nodes = std::move(nodes);
  if (fresh.empty()) return;
  tell(cluster.job(reservation.job), "NodeLocked",
       "locked for it: " + first_names(fresh) + "; " + count_text(told.nodes.size(), "node") +
           " in all",
       false);
}

void TargetTeller::tell_end(const EndedReservation& ended, const Cluster& cluster) {
  std::vector<std::string> nodes;
  for (const NodeId id : ended.nodes) nodes.push_back(cluster.node(id).name);
  std::string message = "a target no longer: " + sentence_of(ended);
  if (!nodes.empty()) message += "; open again: " + first_names(nodes);
  const bool is_warning = ended.how == EndedReservation::How::given_up ||
                          ended.how == EndedReservation::How::impossible;
  tell(cluster.job(ended.job), "Released", message, is_warning);
}

void TargetTeller::tell(const Job& job, const char* reason, const std::string& message,
                        bool is_warning) {
  ports::Event event;
  if (job.is_single) event.about = ports::Event::About::pod;
  std::tie(event.name_space, event.name) = split_name(job.name);
  event.uid = job.uid;
  event.is_warning = is_warning;
  event.reason = reason;
  event.message = message;
  event.is_volcano = job.is_volcano;
  sink_.tell(event);
  tell_("job " + job.name + ": " + message);
}

std::optional<WrittenCondition> TargetTeller::condition_of(const Job& job) const {
  const auto found = said_.find(job.uid);
  return found == said_.end() ? std::nullopt : std::optional(found->second.condition);
}

void TargetTeller::stop_leading() {
  told_.clear();
  said_.clear();
}

}  // namespace berth::daemon
