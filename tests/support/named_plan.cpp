#include "support/named_plan.h"

#include <string_view>

namespace berth::support {

namespace {

std::vector<std::string> by_names(const Cluster& cluster,
                                  const std::vector<Placement>& placements) {
  std::vector<std::string> names;
  for (const Placement& each : placements) {
    names.push_back(cluster.task(each.task).name + " on " + cluster.node(each.node).name);
  }
  return names;
}

std::map<std::string, std::map<std::string, NamedAmounts>> by_names(const Cluster& cluster,
                                                                    const QueueShares& shares) {
  std::map<std::string, std::map<std::string, NamedAmounts>> named{
      {"deserved", {}}, {"guarantee", {}}, {"capability", {}}};
  for (std::size_t row = 0; row < shares.rows.size(); ++row) {
    const QueueId id = shares.rows[row].queue;
    const std::string queue = id.is_valid() ? cluster.queue(id).name : "root";
    for (std::size_t d = 0; d < shares.dimensions; ++d) {
      const std::string& dimension = cluster.dimensions().name(Dimension(d));
      const auto set = [&](const char* what, const QueueShares::Amounts& amounts) {
        const std::int64_t amount = shares.at(amounts, row, Dimension(d));
        if (amount != 0) named[what][queue][dimension] = amount;
      };
      set("deserved", shares.deserved);
      set("guarantee", shares.guarantee);
      set("capability", shares.real_capability);
    }
  }
  return named;
}

void name_considered(const Cluster& cluster, const Plan& plan, NamedPlan& named) {
  for (const ConsideredEvictions& each : plan.considered) {
    const std::string start = cluster.job(each.job).name + " by " + std::string(each.action) + " ";
    const std::string what = each.why.what.empty() ? "" : each.why.what + " ";
    named.considered.push_back(start + std::string(code(each.why.reason)) + " " + what +
                               std::to_string(each.why.have) + "/" + std::to_string(each.why.need) +
                               " of " + std::to_string(each.candidates) + " pods");
    for (const Spared& spared : each.spared) {
      named.spared.push_back(start + std::string(code(spared.reason)) + " " +
                             std::to_string(spared.pods) + " pods");
    }
  }
}

std::string beneficiary_of(const Cluster& cluster, const PlannedEviction& eviction) {
  if (eviction.beneficiary.is_valid()) return cluster.job(eviction.beneficiary).name;
  return eviction.queue.is_valid() ? "queue " + cluster.queue(eviction.queue).name : "nobody";
}

NamedQueueNodes by_names(const Cluster& cluster, const QueueReservation& reservation) {
  NamedQueueNodes named;
  named.evicts = reservation.evicts;
  named.asked_nodes = reservation.asked_nodes;
  for (const NodeId node : reservation.nodes) named.nodes.push_back(cluster.node(node).name);
  for (const QueueReservation::Amount& each : reservation.amounts) {
    const std::string& name = cluster.dimensions().name(each.dimension);
    named.amounts["asked"][name] = each.asked;
    named.amounts["idle"][name] = each.idle;
    named.amounts["own"][name] = each.own;
    named.amounts["leaving"][name] = each.leaving;
    named.amounts["missing"][name] = each.missing();
  }
  named.choice = reservation.choice;
  named.clipped = reservation.clipped;
  named.is_met = reservation.is_met;
  return named;
}

void name_queue_nodes(const Cluster& cluster, const Plan& plan, NamedPlan& named) {
  std::map<NodeId, QueueId> owners;
  for (const QueueNodes& each : plan.queue_nodes) {
    for (const NodeId node : each.nodes) owners[node] = each.queue;
  }
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    const auto found = owners.find(NodeId(n));
    const QueueId owner = found == owners.end() ? QueueId() : found->second;
    if (owner == cluster.node(NodeId(n)).queue_lock.queue) continue;
    named.relocked.push_back(cluster.node(NodeId(n)).name + " for " +
                             (owner.is_valid() ? cluster.queue(owner).name : "nobody"));
  }
  for (const QueueReservation& each : plan.queue_reservations) {
    named.queue_nodes[cluster.queue(each.queue).name] = by_names(cluster, each);
  }
}

void write(std::string& text, std::string_view title, const std::vector<std::string>& items) {
  for (const std::string& item : items) {
    text += "  ";
    text += title;
    text += " " + item + "\n";
  }
}

}  // namespace

NamedPlan by_names(const Cluster& cluster, const Plan& plan) {
  NamedPlan named;
  named.binds = by_names(cluster, plan.binds);
  named.pipelined = by_names(cluster, plan.pipelined);
  for (const PlannedEviction& each : plan.evictions) {
    named.evictions.push_back(cluster.task(each.task).name + " from " +
                              cluster.node(each.node).name + " for " +
                              beneficiary_of(cluster, each) + " by " + std::string(each.action) +
                              " as " + berth::to_string(each.as));
  }
  name_considered(cluster, plan, named);
  for (const JobId job : plan.admitted) named.admitted.push_back(cluster.job(job).name);
  for (const JobId job : plan.returned) named.returned.push_back(cluster.job(job).name);
  for (const Reservation& each : plan.reservations) {
    std::string text = cluster.job(each.job).name + " by " + berth::to_string(each.scheme) + " on";
    for (const NodeId node : each.nodes) text += " " + cluster.node(node).name;
    for (const Reservation::Missing& missing : each.missing) {
      text += ", " + cluster.dimensions().name(missing.dimension) + " " +
              std::to_string(missing.idle) + "/" + std::to_string(missing.need);
    }
    named.reservations.push_back(text + (each.is_covered ? "" : ", not covered"));
  }
  for (const EndedReservation& each : plan.ended) {
    named.ended.push_back(cluster.job(each.job).name + " " + berth::to_string(each.how));
    if (each.reason != Reason::none) named.ended.back() += " " + std::string(code(each.reason));
  }
  name_queue_nodes(cluster, plan, named);
  if (plan.shares != nullptr) named.shares = by_names(cluster, *plan.shares);
  for (const JobId job : plan.order.value_or(std::vector<JobId>())) {
    named.order.push_back(cluster.job(job).name);
  }
  for (const Refusal& each : plan.refusals) {
    const std::string task = each.task.is_valid() ? cluster.task(each.task).name : "";
    named.refusals[cluster.job(each.job).name] = {each.reason, each.have, each.need, each.what,
                                                  each.message(task)};
  }
  return named;
}

std::string NamedQueueNodes::to_string() const {
  std::string text = "on";
  for (const std::string& node : nodes) text += " " + node;
  for (const auto& [what, of_each] : amounts) {
    text += ", " + what;
    for (const auto& [name, amount] : of_each) text += " " + name + "=" + std::to_string(amount);
  }
  if (asked_nodes > 0) text += ", asks for " + std::to_string(asked_nodes) + " nodes";
  if (!choice.lacks.empty()) text += ", lacks: " + choice.lacks;
  if (!clipped.empty()) text += ", clipped: " + clipped;
  return text + (is_met ? ", met" : ", unmet");
}

std::string NamedPlan::to_string() const {
  std::string text;
  write(text, "bind", binds);
  write(text, "pipeline", pipelined);
  write(text, "evict", evictions);
  write(text, "evict nobody for", considered);
  write(text, "spare for", spared);
  write(text, "admit", admitted);
  write(text, "return", returned);
  write(text, "reserve for", reservations);
  write(text, "no more for", ended);
  write(text, "lock", relocked);
  for (const auto& [queue, has] : queue_nodes) {
    text += "  queue " + queue + " " + has.to_string() + "\n";
  }
  for (const auto& [job, why] : refusals) {
    text += "  refuse " + job + ": " + std::string(code(why.reason)) + ": " + why.message + "\n";
  }
  return text.empty() ? "  nothing\n" : text;
}

}  // namespace berth::support
