#include "views/queue_table.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "berth/engine/open_nodes.h"
#include "berth/model/amount_text.h"

namespace berth::views {

namespace {

// The tree of queues, in the form of shares.
QueueShares shape_of(const engine::QueueTree& tree) {
  QueueShares shares;
  shares.rows.reserve(tree.size());
  shares.dimensions = tree.dimensions();
  for (QueueShares::Amounts* amounts :
       {&shares.deserved, &shares.guarantee, &shares.kept, &shares.real_capability}) {
    amounts->assign(tree.size() * tree.dimensions(), 0);
  }
  for (std::size_t d = 0; d < tree.dimensions(); ++d) {
    shares.real_capability[d] = tree.total(Dimension(d));
  }
  for (std::size_t at = 0; at < tree.size(); ++at) {
    const engine::QueueTree::Member& member = tree.member(at);
    shares.rows.push_back({member.queue, member.parent, false, member.fault});
  }
  return shares;
}

// "a, b and c"
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

std::string readable(const std::string& resource, std::int64_t amount) {
  return readable_amount(resource, amount, Rounding::down);
}

// Makes a table from a cluster and its shares. Parents come before their children.
class TableBuilder {
 public:
  TableBuilder(const Cluster& cluster, const Plan& plan, const QueueShares& shares)
      : cluster_(cluster), plan_(plan), shares_(shares) {
    table_.is_divided = plan.shares != nullptr;
    for (std::size_t d = 0; d < cluster.dimensions().size(); ++d) {
      table_.resources.push_back(cluster.dimensions().name(Dimension(d)));
    }
  }

  QueueTable make() && {
    list_rows();
    table_.clear_amounts();
    for (std::size_t d = 0; d < table_.resources.size(); ++d) {
      const Dimension dimension(d);
      if (dimension == kUnknown) continue;
      table_.total[d] = shares_.at(shares_.real_capability, 0, dimension);
      fill(dimension);
      if (table_.is_divided) find_pieces(dimension);
    }
    count_jobs();
    add_reservations();
    for (std::size_t row = 0; row < table_.rows.size(); ++row) add_notes(row);
    table_.idle = idle_room(cluster_);
    return std::move(table_);
  }

 private:
  void list_rows() {
    std::vector<std::vector<std::uint32_t>> children(shares_.rows.size());
    for (std::uint32_t at = 1; at < shares_.rows.size(); ++at) {
      children[shares_.rows[at].parent].push_back(at);
    }
    std::vector<std::uint32_t> row_of(shares_.rows.size(), QueueTable::kNoParent);
    std::vector<std::uint32_t> to_list{0};
    while (!to_list.empty()) {
      const std::uint32_t at = to_list.back();
      to_list.pop_back();
      to_list.insert(to_list.end(), children[at].rbegin(), children[at].rend());
      const QueueId id = shares_.rows[at].queue;
      if (!id.is_valid() || !cluster_.queue(id).exists) continue;
      row_of[at] = static_cast<std::uint32_t>(table_.rows.size());
      share_of_row_.push_back(at);
      const std::uint32_t parent =
          at == 0 ? QueueTable::kNoParent : row_of[shares_.rows[at].parent];
      add_row(at, parent);
      table_.rows.back().has_children = !children[at].empty();
    }
  }

  void add_row(std::uint32_t at, std::uint32_t parent) {
    const Queue& queue = cluster_.queue(shares_.rows[at].queue);
    QueueTable::Row row;
    row.queue = queue.id;
    row.name = queue.name;
    row.uid = queue.uid;
    row.parent = parent;
    row.state = queue.state;
    row.fault = shares_.rows[at].fault;
    row.namespaces = queue.namespaces.text();
    row.is_scaled = shares_.rows[at].is_scaled;
    row.is_reclaimable = queue.is_reclaimable;
    row.is_fifo = queue.is_fifo;
    row.weight = queue.weight;
    row.priority = queue.priority;
    if (parent != QueueTable::kNoParent) {
      const QueueTable::Row& above = table_.rows[parent];
      row.depth = above.depth + 1;
      row.closed_above = above.state == QueueState::open ? above.closed_above : above.name;
    }
    table_.rows.push_back(std::move(row));
  }

  void fill(Dimension d) {
    const std::size_t width = table_.resources.size();
    for (std::size_t row = table_.rows.size(); row-- > 0;) {
      const Queue& queue = cluster_.queue(table_.rows[row].queue);
      const std::size_t at = row * width + d.index();
      const std::uint32_t share = share_of_row_[row];
      table_.written[at] = engine::QueueTree::written_guarantee(queue, d, table_.total[d.index()]);
      table_.guarantee[at] =
          table_.is_divided ? shares_.at(shares_.guarantee, share, d) : table_.written[at];
      table_.deserved[at] = shares_.at(shares_.deserved, share, d);
      table_.real_capability[at] = shares_.at(shares_.real_capability, share, d);
      // Children come after their parent, so theirs have been added.
      const std::uint32_t parent = table_.rows[row].parent;
      for (const auto& [amounts, own] : {std::pair(&table_.allocated, queue.allocated[d]),
                                         std::pair(&table_.demand, queue.demand[d])}) {
        std::int64_t& sum = (*amounts)[at];
        sum = saturated_sum(sum, own);
        if (parent == QueueTable::kNoParent) continue;
        std::int64_t& above = (*amounts)[parent * width + d.index()];
        above = saturated_sum(above, sum);
      }
    }
  }

  // A queue's due is the rest of its own guarantee, or the sum of its children's dues if that is
  // more (engine::UnmetGuarantees).
  void find_pieces(Dimension d) {
    const std::size_t width = table_.resources.size();
    std::int64_t all = 0;
    std::vector<std::int64_t> below(table_.rows.size(), 0);
    for (std::size_t row = table_.rows.size(); row-- > 0;) {
      const std::size_t at = row * width + d.index();
      const std::uint32_t share = share_of_row_[row];
      // The root's guarantee is the whole cluster. It is kept for its children only up to their
      // guarantees.
      const std::int64_t kept = share == 0 ? 0 : shares_.at(shares_.kept, share, d);
      table_.due[at] = std::max({std::int64_t{0}, kept - table_.allocated[at], below[row]});
      all = std::max(all, table_.due[at]);
      if (const std::uint32_t parent = table_.rows[row].parent; parent != QueueTable::kNoParent) {
        below[parent] = saturated_sum(below[parent], table_.due[at]);
      }
    }
    if (all == 0) return;
    const std::int64_t open = engine::largest_piece(cluster_, d, QueueId());
    for (std::size_t row = 0; row < table_.rows.size(); ++row) {
      const std::size_t at = row * width + d.index();
      const QueueId queue = table_.rows[row].queue;
      const bool has_nodes = !cluster_.queues_with_nodes(queue).empty();
      const std::int64_t most = has_nodes ? engine::largest_piece(cluster_, d, queue) : open;
      table_.piece[at] = std::min(table_.due[at], most);
    }
  }

  // Resources in its spec that no node has, by name.
  std::vector<std::string> unknown_resources(const Queue& queue) const {
    std::set<std::string> names;
    const auto note = [&](Dimension d) {
      const bool is_unknown = cluster_.node_count() > 0 && cluster_.total_allocatable()[d] <= 0;
      if (is_unknown) names.insert(cluster_.dimensions().name(d));
    };
    for (std::size_t d = 0; d < queue.guarantee.extent(); ++d) {
      if (queue.guarantee[Dimension(d)] > 0) note(Dimension(d));
    }
    for (const Dimension d : queue.guarantee_share_of) note(d);
    for (const auto& [dimension, amount] : queue.capability.entries()) note(dimension);
    for (const auto& [dimension, amount] : queue.deserved.entries()) note(dimension);
    return {names.begin(), names.end()};
  }

  void add_notes(std::size_t at) {
    QueueTable::Row& row = table_.rows[at];
    const Queue& queue = cluster_.queue(row.queue);
    if (!queue.not_honoured.empty()) {
      row.notes.push_back(listed(queue.not_honoured) +
                          (queue.not_honoured.size() == 1 ? " is" : " are") + " not honoured");
    }
    if (const auto unknown = unknown_resources(queue); !unknown.empty()) {
      row.notes.push_back("no node has " + listed(unknown));
    }
    if (queue.guarantees_hard) add_note_on_evictions(row);
    std::string capped;
    for (const auto& [resource, wanted] : table_.named(table_.written, at)) {
      const auto found = std::find(table_.resources.begin(), table_.resources.end(), resource);
      const Dimension d(static_cast<std::size_t>(found - table_.resources.begin()));
      for (const auto& [dimension, limit] : queue.capability.entries()) {
        // An amount above the capability is a fault, which is reported elsewhere.
        if (dimension != d || wanted <= limit || queue.guarantee[d] > limit) continue;
        capped += (capped.empty() ? "" : ", ") + readable(resource, wanted) + " " + resource +
                  ", more than its capability of " + readable(resource, limit);
      }
    }
    if (!capped.empty()) row.notes.push_back("its percentage gives " + capped);
  }

  // Shuffle makes room for amounts anywhere, reclaim on the nodes of the queue.
  void add_note_on_evictions(QueueTable::Row& row) const {
    if (!row.reservation) {
      if (plan_.evicts) return;
      row.notes.emplace_back(
          "guarantee.policy Guaranteed has no effect: no action evicts; add shuffle");
    } else if (!plan_.reclaims) {
      row.notes.emplace_back(std::string("guarantee.policy Guaranteed has no effect ") +
                             (plan_.evicts ? "on its nodes " : "") + "without the action reclaim");
    }
  }

  std::vector<std::uint32_t> rows_by_queue() const {
    std::vector<std::uint32_t> rows(cluster_.queue_slots(), QueueTable::kNoParent);
    for (std::uint32_t row = 0; row < table_.rows.size(); ++row) {
      rows[table_.rows[row].queue.index()] = row;
    }
    return rows;
  }

  void add_reservations() {
    if (plan_.queue_reservations.empty()) return;
    const std::vector<std::uint32_t> row_of_queue = rows_by_queue();
    for (const QueueReservation& each : plan_.queue_reservations) {
      const std::uint32_t at = row_of_queue[each.queue.index()];
      if (at == QueueTable::kNoParent) continue;
      table_.rows[at].reservation = make_reserved_nodes(cluster_, plan_, each);
    }
  }

  void count_jobs() {
    const std::vector<std::uint32_t> row_of_queue = rows_by_queue();
    for (std::size_t j = 0; j < cluster_.job_slots(); ++j) {
      const Job& job = cluster_.job(JobId(j));
      if (!job.exists || !job.queue.is_valid()) continue;
      const std::uint32_t at = row_of_queue[job.queue.index()];
      if (at == QueueTable::kNoParent) continue;
      QueueTable::Row& row = table_.rows[at];
      ++row.jobs[static_cast<std::size_t>(job.phase)];
      if (!job.is_single) ++row.groups[static_cast<std::size_t>(job.phase)];
    }
  }

  const Cluster& cluster_;
  const Plan& plan_;
  const QueueShares& shares_;
  QueueTable table_;
  std::vector<std::uint32_t> share_of_row_;
};

}  // namespace

void QueueTable::clear_amounts() {
  total.assign(resources.size(), 0);
  for (Amounts* amounts :
       {&written, &guarantee, &deserved, &allocated, &demand, &real_capability, &due, &piece}) {
    amounts->assign(rows.size() * resources.size(), 0);
  }
}

NamedAmounts QueueTable::named(const Amounts& amounts, std::size_t row) const {
  NamedAmounts named;
  for (std::size_t r = 0; r < resources.size(); ++r) {
    if (const std::int64_t amount = at(amounts, row, r); amount != 0) named[resources[r]] = amount;
  }
  return named;
}

std::int64_t QueueTable::lent(std::size_t row, std::size_t resource) const {
  if (!is_divided) return 0;
  return beyond_share(at(allocated, row, resource), at(deserved, row, resource));
}

NamedAmounts QueueTable::lent(std::size_t row) const {
  NamedAmounts named;
  for (std::size_t r = 0; r < resources.size(); ++r) {
    if (const std::int64_t amount = lent(row, r); amount != 0) named[resources[r]] = amount;
  }
  return named;
}

bool QueueTable::is_overused(std::size_t row) const { return !lent(row).empty(); }

// "3 of 4 cpu, 6Gi of 8Gi memory": only resources with less than all.
std::string QueueTable::less_text(const Amounts& part, const Amounts& all, std::size_t row) const {
  std::string text;
  for (const auto& [resource, whole] : named(all, row)) {
    const auto found = std::find(resources.begin(), resources.end(), resource);
    const std::int64_t amount = at(part, row, static_cast<std::size_t>(found - resources.begin()));
    if (amount >= whole) continue;
    text += (text.empty() ? "" : ", ") + readable(resource, amount) + " of " +
            readable(resource, whole) + " " + resource;
  }
  return text;
}

std::string QueueTable::scaled_text(std::size_t row) const {
  return less_text(guarantee, written, row);
}

std::string QueueTable::piece_text(std::size_t row) const { return less_text(piece, due, row); }

namespace {

// Children come after their parent.
void fill_used(const UsageTable& usage, TimePoint now, QueueTable& table) {
  std::vector<double> used(table.rows.size(), 0);
  for (std::size_t row = table.rows.size(); row-- > 0;) {
    used[row] += usage.used(usage.find(table.rows[row].name), now);
    table.rows[row].used = std::llround(used[row]);
    if (table.rows[row].parent != QueueTable::kNoParent) used[table.rows[row].parent] += used[row];
  }
}

}  // namespace

QueueTable make_queue_table(const Cluster& cluster, const Plan& plan, engine::QueueTree& tree,
                            std::optional<TimePoint> now) {
  if (plan.shares == nullptr) tree.refresh(cluster);
  QueueTable table = plan.shares != nullptr ? TableBuilder(cluster, plan, *plan.shares).make()
                                            : TableBuilder(cluster, plan, shape_of(tree)).make();
  if (now) fill_used(cluster.usage(), *now, table);
  return table;
}

}  // namespace berth::views
