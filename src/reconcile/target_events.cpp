#include "reconcile/target_events.h"

#include <utility>

#include "berth/base/text.h"
#include "reconcile/reservation_marks.h"
#include "reconcile/target_condition.h"

namespace berth::reconcile {

void TargetEvents::publish(const Plan& plan, const Cluster& cluster, TimePoint now) {
  for (const EndedReservation& ended : plan.ended) {
    const Job& job = cluster.job(ended.job);
    conditions_[job.uid] = {ended.job, target_condition(ended)};
    publish_end(ended, cluster, now);
    published_.erase(job.uid);
  }
  for (const Reservation& each : plan.reservations) {
    const Job& job = cluster.job(each.job);
    conditions_[job.uid] = {each.job, target_condition(each, cluster)};
    const auto [entry, is_new] = published_.try_emplace(job.uid);
    Published& published = entry->second;
    if (is_new) {
      published = {observed_.marks_of(job.uid).elected_at, observed_.nodes_locked_for(job.uid)};
    }
    if (published.elected_at != each.election.since) {
      published.elected_at = each.election.since;
      publish(job, "Targeted",
              "elected as a target: " + each.election.why + "; lock: " + to_string(each.scheme),
              false, now);
    }
    publish_locks(each, cluster, published, now);
  }
  std::erase_if(conditions_, [&](const auto& entry) {
    return cluster.job(entry.second.job).uid != entry.first;
  });
  std::erase_if(published_,
                [this](const auto& entry) { return !conditions_.contains(entry.first); });
}

void TargetEvents::publish_locks(const Reservation& reservation, const Cluster& cluster,
                                 Published& published, TimePoint now) {
  std::set<std::string> nodes;
  std::vector<std::string> added;
  for (const NodeId id : reservation.nodes) {
    const std::string& name = cluster.node(id).name;
    nodes.insert(name);
    if (!published.nodes.contains(name)) added.push_back(name);
  }
  published.nodes = std::move(nodes);
  if (added.empty()) return;
  publish(cluster.job(reservation.job), "NodeLocked",
          "locked for it: " + first_names(added) + "; " +
              count_text(published.nodes.size(), "node") + " in all",
          false, now);
}

void TargetEvents::publish_end(const EndedReservation& ended, const Cluster& cluster,
                               TimePoint now) {
  std::vector<std::string> nodes;
  for (const NodeId id : ended.nodes) nodes.push_back(cluster.node(id).name);
  std::string message = "a target no longer: " + sentence_of(ended);
  if (!nodes.empty()) message += "; open again: " + first_names(nodes);
  const bool is_warning = ended.how == EndedReservation::How::given_up ||
                          ended.how == EndedReservation::How::impossible;
  publish(cluster.job(ended.job), "Released", message, is_warning, now);
}

void TargetEvents::publish(const Job& job, const char* reason, const std::string& message,
                           bool is_warning, TimePoint now) {
  events_.publish(ref_of(job), {is_warning, reason, message}, now);
  events_.log("job " + job.name + ": " + message);
}

std::optional<WrittenCondition> TargetEvents::condition_of(const Job& job) const {
  const auto found = conditions_.find(job.uid);
  const bool is_target = found != conditions_.end() && found->second.condition.holds;
  if (!is_target && !job.target_refused.empty()) return refused_name_condition(job);
  return found == conditions_.end() ? std::nullopt : std::optional(found->second.condition);
}

void TargetEvents::stop_leading() {
  published_.clear();
  conditions_.clear();
}

}  // namespace berth::reconcile
