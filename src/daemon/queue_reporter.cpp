#include "daemon/queue_reporter.h"

#include <algorithm>

namespace berth::daemon {

namespace {

using views::QueueTable;

constexpr Duration kCalm = std::chrono::seconds(10);
constexpr Duration kTableCalm = std::chrono::seconds(1);

std::set<std::string> names_in(const WrittenQueueStatus& written) {
  std::set<std::string> names;
  for (const NamedAmounts* amounts :
       {&written.allocated, &written.deserved, &written.guarantee, &written.real_capability}) {
    for (const auto& [resource, amount] : *amounts) names.insert(resource);
  }
  return names;
}

// May its jobs be served? The reasons are for machines, the messages for people.
WrittenCondition readiness_of(const QueueTable::Row& row) {
  if (!row.fault.empty()) return {false, "Faulty", row.fault, {}};
  if (row.state != QueueState::open) {
    return {false, to_string(row.state), "no job is started in a queue that is not open", {}};
  }
  if (!row.closed_above.empty()) {
    return {
        false, "ParentNotOpen", "the queue \"" + row.closed_above + "\" above it is not open", {}};
  }
  if (row.has_children) return {true, "Open", "jobs go to the queues below it", {}};
  return {true, "Open", "", {}};
}

WrittenCondition scaling_of(const QueueTable& table, std::size_t row) {
  if (!table.is_divided) return {false, "NotDivided", "no plugin divides the cluster", {}};
  if (!table.rows[row].is_scaled) return {false, "InForce", "", {}};
  std::string in_force = table.scaled_text(row);
  if (in_force.empty()) in_force = "less than what the queues below it guarantee";
  return {true,
          "Overcommitted",
          "its guarantee and its neighbours' are more than there is; in force: " + in_force,
          {}};
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : "; ") + text;
  return all;
}

// Without a reason while everything is: a condition that every queue has is read by nobody.
WrittenCondition honouring_of(const QueueTable::Row& row) {
  if (row.notes.empty()) return {};
  return {false, "FieldsNotHonoured", joined(row.notes), {}};
}

WrittenQueueStatus status_of(const QueueTable& table, std::size_t at) {
  const QueueTable::Row& row = table.rows[at];
  WrittenQueueStatus status;
  status.has_state = true;
  std::int32_t* const counts[] = {&status.pending, &status.inqueue, &status.running,
                                  &status.unknown, &status.completed};
  for (std::size_t phase = 0; phase < row.groups.size(); ++phase) {
    *counts[phase] = row.groups[phase];
  }
  status.allocated = table.named(table.allocated, at);
  if (table.is_divided) {
    status.deserved = table.named(table.deserved, at);
    status.guarantee = table.named(table.guarantee, at);
    status.real_capability = table.named(table.real_capability, at);
  }
  status.ready = readiness_of(row);
  status.scaled = scaling_of(table, at);
  status.honoured = honouring_of(row);
  return status;
}

bool is_same(const WrittenCondition& left, const WrittenCondition& right) {
  return left.holds == right.holds && left.reason == right.reason;
}

}  // namespace

void QueueReporter::observe(const ClusterEvent& event, bool leads) {
  if (const auto* queue = std::get_if<QueueObject>(&event)) {
    const auto [entry, is_new] = known_.try_emplace(queue->name);
    Known& known = entry->second;
    if (leads && !is_new && known.uid == queue->uid) return;
    known = {queue->uid, queue->written, names_in(queue->written)};
    is_owed_ = true;
  } else if (const auto* gone = std::get_if<QueueDeleted>(&event)) {
    known_.erase(gone->name);
  }
}

void QueueReporter::report(const Plan& plan, const Cluster& cluster, TimePoint now) {
  if (refresh(plan, cluster, now)) {
    tell_changes();
    is_owed_ = true;
    write_statuses(now, true);
  }
  if (!is_owed_ || now - written_at_ < kCalm) return;
  write_statuses(now, false);
  is_owed_ = false;
  written_at_ = now;
}

bool QueueReporter::refresh(const Plan& plan, const Cluster& cluster, TimePoint now) {
  const bool is_as_before =
      stamp_ == cluster.stamp() && shares_ == plan.shares && evicts_ == plan.evicts;
  if (table_ != nullptr && (is_as_before || now - made_at_ < kTableCalm)) return false;
  table_ = std::make_shared<const QueueTable>(views::make_queue_table(cluster, plan, tree_));
  shares_ = plan.shares;
  evicts_ = plan.evicts;
  stamp_ = cluster.stamp();
  made_at_ = now;
  return true;
}

void QueueReporter::tell_changes() {
  ++round_;
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < table_->rows.size(); ++at) {
    const QueueTable::Row& row = table_->rows[at];
    Said& said = said_[row.name];
    said.round = round_;
    if (row.fault != said.fault) {
      lines.push_back("queue " + row.name +
                      (row.fault.empty() ? " is set up rightly again"
                                         : " is at fault, its jobs wait: " + row.fault));
      said.fault = row.fault;
    }
    if (row.is_scaled != said.is_scaled) {
      lines.push_back("queue " + row.name + ": " +
                      (row.is_scaled ? scaling_of(*table_, at).message
                                     : "its guarantee is in force in full again"));
      said.is_scaled = row.is_scaled;
    }
    if (row.notes.size() != said.notes) {
      lines.push_back("queue " + row.name + ": " +
                      (row.notes.empty() ? "all that is set up for it has its effect again"
                                         : joined(row.notes)));
      said.notes = row.notes.size();
    }
  }
  std::erase_if(said_, [this](const auto& entry) { return entry.second.round != round_; });
  tell_all(lines);
}

// When nodes are lost, hundreds of queues may change at once.
void QueueReporter::tell_all(const std::vector<std::string>& lines) {
  constexpr std::size_t kToldMax = 20;
  for (std::size_t i = 0; i < std::min(lines.size(), kToldMax); ++i) tell_(lines[i]);
  if (lines.size() > kToldMax) {
    tell_("... and " + std::to_string(lines.size() - kToldMax) + " more such lines on queues");
  }
}

void QueueReporter::write_statuses(TimePoint now, bool is_urgent) {
  for (std::size_t row = 0; row < table_->rows.size(); ++row) write_status(row, now, is_urgent);
}

void QueueReporter::write_status(std::size_t at, TimePoint now, bool is_urgent) {
  const QueueTable::Row& row = table_->rows[at];
  const auto found = known_.find(row.name);
  if (found == known_.end()) return;  // nobody made an object of it
  Known& known = found->second;
  const WrittenQueueStatus& before = known.written;
  WrittenCondition ready = readiness_of(row);
  const bool is_honoured_as_before = row.notes.empty() == before.honoured.reason.empty();
  if (is_urgent && is_same(ready, before.ready) && row.is_scaled == before.scaled.holds &&
      is_honoured_as_before) {
    return;
  }
  ports::QueueStatus status{row.name, row.uid, {}, status_of(*table_, at), {}};
  if (!before.has_state) status.state = row.state;
  WrittenQueueStatus& written = status.written;
  const auto since = [now](const WrittenCondition& now_so, const WrittenCondition& was) {
    return !was.reason.empty() && now_so.holds == was.holds ? was.since : now;
  };
  written.ready.since = since(written.ready, before.ready);
  written.scaled.since = since(written.scaled, before.scaled);
  if (!row.notes.empty()) written.honoured.since = since(written.honoured, before.honoured);
  if (written == before) return;
  known.written = written;
  known.resources.merge(names_in(written));
  status.resources.assign(known.resources.begin(), known.resources.end());
  sink_.write(status);
}

}  // namespace berth::daemon
