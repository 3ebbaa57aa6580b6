// Fair share: queues and users that have used less of the cluster lately come first. Rules:
// docs/design/fairshare.md.
//
//   FAIR-1  order of queues: priority, then the smaller decayed use for the weight
//   FAIR-2  admission: the same, with what is admitted
//   FAIR-3  order of jobs: the smaller decayed use of the namespace in its queue
//   FAIR-4  the reason of a job that waits says how far above its share its queue or namespace is
//
// Argument: look-ahead, how much longer what a queue has now is counted as used.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "berth/base/text.h"
#include "berth/engine/admissions.h"
#include "berth/engine/plugin.h"
#include "berth/engine/queue_tree.h"

namespace berth::plugins {
namespace {

using namespace engine;

// Of the cluster, in thousandths of a second, so that sums depend on no order.
using Use = std::int64_t;
constexpr double kUnits = 1000;
constexpr Use kUnknownUse = std::numeric_limits<Use>::min();
constexpr double kWorthSaying = 1.5;  // FAIR-4: times its share

double seconds(Duration time) { return std::chrono::duration<double>(time).count(); }
Use in_units(double used) { return std::llround(used * kUnits); }

// In steps that are coarse enough to stay the same for a while.
std::string times_text(double times) {
  const auto halves = std::llround(times < 10 ? times * 2 : std::round(times) * 2);
  return std::to_string(halves / 2) + (halves % 2 != 0 ? ".5" : "");
}

class FairSharePlugin final : public Plugin {
 public:
  explicit FairSharePlugin(Arguments& arguments)
      : ahead_(seconds(arguments.duration("look-ahead", std::chrono::hours(1), Duration(0),
                                          std::chrono::hours(24)))) {}

  void on_session_open(Session& session) override {
    session_ = &session;
    cluster_ = &session.cluster();
    session.attach<&FairSharePlugin::add_up>(points::opened, *this);
    session.attach<&FairSharePlugin::less_used_queue_first>(points::queue_order, *this);  // FAIR-1
    session.attach<&FairSharePlugin::moves>(points::queue_order_moves, *this);            // FAIR-1
    session.attach<&FairSharePlugin::less_used_admitted_first>(points::admission_order,
                                                               *this);                 // FAIR-2
    session.attach<&FairSharePlugin::less_used_user_first>(points::job_order, *this);  // FAIR-3
    session.attach<&FairSharePlugin::note_use>(points::turn_note, *this);              // FAIR-4
    session.attach<&FairSharePlugin::take>(points::allocated, *this);
    session.attach<&FairSharePlugin::give_back>(points::released, *this);
  }

 private:
  const QueueTree& tree() const { return session_->queues(); }
  const UsageTable& usage() const { return cluster_->usage(); }

  // --- FAIR-1, FAIR-2 ---------------------------------------------------------------------------

  void add_up() {
    const std::size_t dimensions = tree().dimensions();
    used_.assign(tree().size(), 0);
    is_active_.assign(tree().size(), 0);
    has_.assign(tree().size() * dimensions, 0);
    key_.assign(tree().size(), kUnknownUse);
    users_.assign(usage().slots(), kUnknownUse);
    notes_.clear();
    of_queues_.clear();
    for (std::size_t at = tree().size(); at-- > 1;) {
      const QueueTree::Member& member = tree().member(at);
      const Queue& queue = cluster_->queue(member.queue);
      used_[at] += in_units(usage().used(usage().find(queue.name), session_->now()));
      used_[member.parent] += used_[at];
      if (used_[at] > 0 || !queue.demand.is_zero()) is_active_[at] = 1;
      if (is_active_[at] != 0) is_active_[member.parent] = 1;
      for (std::size_t d = 0; d < dimensions; ++d) {
        std::int64_t& has = has_[at * dimensions + d];
        has = saturated_sum(has, queue.allocated[Dimension(d)]);
        std::int64_t& above = has_[member.parent * dimensions + d];
        above = saturated_sum(above, has);
      }
    }
  }

  // Where queues are below others, what one takes counts for all above it.
  bool moves() const { return !tree().is_flat(); }

  Order less_used_queue_first(const Queue& left, const Queue& right) const {
    return compare(left, right, [this](std::size_t at) { return key_of(at); });
  }

  Order less_used_admitted_first(const Queue& left, const Queue& right) const {
    const UnmetGuarantees& admitted = session_->admissions().unmet();
    return compare(left, right, [&](std::size_t at) {
      return with_share(at, [&](Dimension d) { return admitted.has(at, d); });
    });
  }

  template <class Key>
  Order compare(const Queue& left, const Queue& right, const Key& key) const {
    const auto [l, r] = tree().where_paths_part(left, right);
    if (l == r) return Order::equal;
    if (const Order order = priority_at(r) <=> priority_at(l); order != Order::equal) return order;
    return static_cast<__int128>(key(l)) * tree().member(r).weight <=>
           static_cast<__int128>(key(r)) * tree().member(l).weight;
  }

  std::int32_t priority_at(std::size_t at) const {
    const QueueId queue = tree().member(at).queue;
    return queue.is_valid() ? cluster_->queue(queue).priority : 0;
  }

  Use key_of(std::size_t at) const {
    if (key_[at] != kUnknownUse) return key_[at];
    const std::size_t dimensions = tree().dimensions();
    return key_[at] =
               with_share(at, [&](Dimension d) { return has_[at * dimensions + d.index()]; });
  }

  template <class Has>
  Use with_share(std::size_t at, const Has& has) const {
    double share = 0;
    for (std::size_t i = 0; i < tree().dimensions(); ++i) {
      const Dimension d(i);
      const std::int64_t total = cluster_->total_allocatable()[d];
      if (total <= 0) continue;
      share = std::max(share, static_cast<double>(has(d)) / static_cast<double>(total));
    }
    return used_[at] + in_units(share * ahead_);
  }

  void take(const Task& task) { count(task, +1); }
  void give_back(const Task& task) { count(task, -1); }

  void count(const Task& task, int sign) {
    if (!task.job.is_valid()) return;
    std::uint32_t at = tree().position_of(cluster_->job(task.job).queue);
    if (at == QueueTree::kNowhere) return;
    for (; at != 0; at = tree().member(at).parent) {
      key_[at] = kUnknownUse;
      for (const auto& [dimension, amount] : cluster_->shape(task.shape).requested) {
        has_[at * tree().dimensions() + dimension.index()] += sign * amount;
      }
    }
  }

  // --- FAIR-3 -----------------------------------------------------------------------------------

  // The same for all jobs of a session, so that their order does not change under way.
  Order less_used_user_first(const Job& left, const Job& right) const {
    return of_user(left) <=> of_user(right);
  }

  Use of_user(const Job& job) const {
    const UsageTable::Slot slot = usage().user_of(job.id);
    if (slot == UsageTable::kNone) return 0;
    if (users_[slot] != kUnknownUse) return users_[slot];
    const double used = usage().used(slot, session_->now());
    return users_[slot] = in_units(used + usage().account(slot).share * ahead_);
  }

  // --- FAIR-4 -----------------------------------------------------------------------------------

  void note_use(const Job& job, std::string* note) {
    const UsageTable::Slot slot = usage().user_of(job.id);
    const std::uint32_t at = tree().position_of(job.queue);
    if (slot == UsageTable::kNone || at == QueueTree::kNowhere) return;
    const auto [entry, is_new] = notes_.try_emplace(slot);
    if (is_new) entry->second = note_of(at, slot);
    *note = entry->second;
  }

  // The queue, or the one above it, or the user, whatever is the furthest above its share.
  std::string note_of(std::size_t at, UsageTable::Slot slot) {
    double most = times_of_user(slot);
    const UsageAccount& account = usage().account(slot);
    std::string what = "namespace " + account.name_space;
    std::string of = " of what queue " + account.queue + " used";
    for (; at != 0; at = tree().member(at).parent) {
      const double times = times_of_queue(at);
      if (times < most) continue;
      most = times;
      what = "queue " + cluster_->queue(tree().member(at).queue).name;
      of = "";
    }
    if (most < kWorthSaying) return {};
    return what + " has used " + times_text(most) + " times its share" + of +
           " (half of it is forgotten in " + format_duration(usage().half_life()) + ")";
  }

  // Of what it and those beside it have used.
  double times_of_queue(std::size_t at) const {
    const QueueTree::Member& parent = tree().member(tree().member(at).parent);
    double used = 0;
    double weight = 0;
    for (std::uint32_t i = 0; i < parent.child_count; ++i) {
      const std::size_t each = parent.first_child + i;
      if (is_active_[each] == 0) continue;
      used += static_cast<double>(used_[each]);
      weight += static_cast<double>(tree().member(each).weight);
    }
    if (used <= 0 || weight <= 0) return 0;
    return static_cast<double>(used_[at]) / used * weight /
           static_cast<double>(tree().member(at).weight);
  }

  // Of what all namespaces have used in its queue.
  double times_of_user(UsageTable::Slot slot) {
    const std::string& queue = usage().account(slot).queue;
    const auto [entry, is_new] = of_queues_.try_emplace(queue);
    Total& all = entry->second;
    if (is_new) {
      for (const auto& [name, each] : usage().names().find(queue)->second) {
        if (name.empty()) continue;
        all.used += usage().used(each, session_->now());
        ++all.users;
      }
    }
    return all.used <= 0 ? 0 : usage().used(slot, session_->now()) / all.used * all.users;
  }

  struct Total {
    double used = 0;
    int users = 0;
  };

  double ahead_;  // seconds
  Session* session_ = nullptr;
  const Cluster* cluster_ = nullptr;
  std::vector<Use> used_;                // with all below; by position
  std::vector<std::uint8_t> is_active_;  // it has used something, or asks for something
  std::vector<std::int64_t> has_;        // with all below; by position and dimension
  mutable std::vector<Use> key_;         // by position
  mutable std::vector<Use> users_;       // by slot
  std::map<UsageTable::Slot, std::string> notes_;
  std::map<std::string, Total> of_queues_;
};

}  // namespace

BERTH_PLUGIN(FairSharePlugin, "fairshare");

}  // namespace berth::plugins
