// Reservation: which job is a target, and which nodes are kept for it (S0, S2).
// Rules: docs/design/reservation.md; which nodes: lock_choice.h.
//
//   TARGET-1  a job that its user names (berth.dev/target: "true") comes first
//   TARGET-2  custom mode: jobs above request-line or wait-line
//   TARGET-3  automation: highest priority, then longest wait, after wait-duration
//   TARGET-4  new jobs and jobs given up lately are no candidates
//   TARGET-5  at most `targets` at a time
//   TARGET-6  a target is given up `give-up` after its election
//   TARGET-7  cluster lock takes over `timeout` after the first lock
//   TARGET-8  a target that starved by the configured standard may exceed its queue's share
//
// Arguments, with their defaults: lock (multi-node; or cluster, single-node, closest-fit), nodes
// (5; or a part, 20%), max-locked-nodes (1.0 of all), unbounded-after (0s: never), targets (1),
// timeout (0s: never), give-up (24h; 0s: never), retry-after (1h), wait-duration (0s),
// lock-interval (1s; least time between two locks of single-node), lock-order (idle; or ends),
// request-line, wait-line.

#include <algorithm>
#include <map>
#include <tuple>

#include "berth/base/text.h"
#include "berth/engine/plugin.h"
#include "berth/engine/reservations.h"
#include "berth/model/time_limit.h"
#include "plugins/reservation/lock_choice.h"

namespace berth::plugins {
namespace {

using namespace engine;

constexpr Duration kLongest = std::chrono::hours(8760);

LockScheme scheme_of(const std::string& word) {
  for (const LockScheme scheme :
       {LockScheme::cluster, LockScheme::single_node, LockScheme::closest_fit}) {
    if (word == to_string(scheme)) return scheme;
  }
  return LockScheme::multi_node;
}

// In thousandths, rounded down.
using Ratio = __int128;
Ratio ratio_of(std::int64_t amount, std::int64_t line) {
  return static_cast<__int128>(amount) * 1000 / line;
}

std::string in_decimal(Ratio thousandths) {
  const auto whole = static_cast<std::int64_t>(thousandths / 1000);
  const auto tenth = static_cast<std::int64_t>(thousandths % 1000 / 100);
  return std::to_string(whole) + "." + std::to_string(tenth);
}

class Reservation final : public Plugin {
 public:
  explicit Reservation(Arguments& arguments)
      : scheme_(scheme_of(arguments.word("lock", "multi-node",
                                         {"cluster", "multi-node", "single-node", "closest-fit"}))),
        nodes_(arguments.count("nodes", {5, false}, 1'000'000)),
        most_thousandths_(arguments.thousandths("max-locked-nodes", 1'000, 1, 1'000)),
        unbounded_after_(arguments.duration("unbounded-after", Duration(0), Duration(0), kLongest)),
        targets_(arguments.integer("targets", 1, 1, 1'000)),
        timeout_(arguments.duration("timeout", Duration(0), Duration(0), kLongest)),
        give_up_(arguments.duration("give-up", std::chrono::hours(24), Duration(0), kLongest)),
        retry_after_(
            arguments.duration("retry-after", std::chrono::hours(1), Duration(0), kLongest)),
        wait_duration_(arguments.duration("wait-duration", Duration(0), Duration(0), kLongest)),
        request_line_(arguments.amounts("request-line")),
        lock_interval_(
            arguments.duration("lock-interval", std::chrono::seconds(1), Duration(0), kLongest)),
        by_ends_(arguments.word("lock-order", "idle", {"idle", "ends"}) == "ends"),
        wait_line_(
            arguments.duration("wait-line", Duration(0), std::chrono::milliseconds(1), kLongest)) {}

  void on_session_open(Session& session) override {
    session_ = &session;
    cluster_ = &session.cluster();
    is_one_waiting_ = false;
    do_all_say_their_end_.reset();
    has_starved_.clear();
    session.attach<&Reservation::next_target>(points::target_job, *this);  // TARGET-1 to TARGET-5
    session.attach<&Reservation::could_be_kept_for>(points::electable, *this);  // LOCK-5
    session.attach<&Reservation::may_stay>(points::target_stays, *this);     // TARGET-5, TARGET-6
    session.attach<&Reservation::nodes_for>(points::reserved_nodes, *this);  // TARGET-7
    session.attach<&Reservation::has_starved>(points::may_exceed_share, *this);  // TARGET-8
    session.attach<&Reservation::report_terms>(points::reservation_terms,
                                               *this);                      // TARGET-6, TARGET-7
    session.attach<&Reservation::report_idle_lines>(points::notes, *this);  // TARGET-2
  }

 private:
  struct Claim {
    JobId job;
    Ratio above = 0;  // its line; of TARGET-2
    std::string why = {};
  };

  std::optional<Nomination> next_target(const std::vector<JobId>& candidates) {
    const auto& targets = cluster_->targets();
    const bool is_full = targets.size() >= static_cast<std::size_t>(targets_);
    if (const auto named = best_named(candidates)) {
      Nomination nomination{*named, "its user names it", {}};
      if (!is_full) return nomination;
      const auto other = std::find_if(targets.rbegin(), targets.rend(), [&](JobId id) {
        return !cluster_->job(id).is_named_target && !has_minimum(*session_, cluster_->job(id));
      });
      if (other == targets.rend()) return std::nullopt;
      nomination.displaces = *other;
      return nomination;
    }
    if (is_full) return std::nullopt;
    std::optional<Claim> best;
    for (const JobId id : candidates) {
      std::optional<Claim> claim = claim_of(id);
      if (claim && (!best || is_before(*claim, *best))) best = std::move(claim);
    }
    if (!best) return std::nullopt;
    return Nomination{best->job, std::move(best->why), {}};
  }

  std::optional<JobId> best_named(const std::vector<JobId>& candidates) const {
    std::optional<JobId> best;
    for (const JobId id : candidates) {
      if (!cluster_->job(id).is_named_target || is_resting(id)) continue;
      if (!best || is_before({id}, {*best})) best = id;
    }
    return best;
  }

  bool is_resting(JobId id) const {
    const Job& job = cluster_->job(id);
    return job.given_up_at && session_->now() - *job.given_up_at < retry_after_;
  }

  // Nothing, if the job is no candidate.
  std::optional<Claim> claim_of(JobId id) {
    const Job& job = cluster_->job(id);
    const Duration waited = session_->now() - waits_since(job);
    const bool is_new =
        waited <= Duration(0) || (job.is_whole && job.whole_since >= session_->now());
    if (is_new || is_resting(id)) return std::nullopt;
    if (!has_line()) {
      if (waited < wait_duration_) return std::nullopt;
      return Claim{id, 0, "it has the highest priority and has waited longest"};
    }
    return above_line(id);
  }

  bool has_line() const { return !request_line_.empty() || wait_line_ > Duration(0); }

  // Of one that ran and has lost members, or all of them: since then.
  static TimePoint waits_since(const Job& job) {
    const bool has_run = job.phase == GroupPhase::running || job.phase == GroupPhase::unknown;
    const TimePoint since = has_run ? std::max(job.first_seen, job.whole_since) : job.first_seen;
    return std::max(since, job.ran_until);
  }

  std::optional<Claim> above_line(JobId id) {
    const Duration waited = session_->now() - waits_since(cluster_->job(id));
    Claim claim{id};
    if (wait_line_ > Duration(0) && waited > wait_line_) {
      claim.above = ratio_of(waited.count(), wait_line_.count());
      claim.why = "its wait is " + in_decimal(claim.above) + " times the wait-line";
    }
    for (const auto& [resource, line] : request_line_) {
      const std::int64_t asked = request_of(id)[cluster_->dimensions().find(resource)];
      const Ratio above = ratio_of(asked, line);
      if (asked <= line || (!claim.why.empty() && above <= claim.above)) continue;
      claim.above = above;
      claim.why = "its request is " + in_decimal(above) + " times the request-line in " + resource;
    }
    if (claim.why.empty()) return std::nullopt;
    return claim;
  }

  // TARGET-8. Once a session: it stays so while the job is placed.
  bool has_starved(const Job& job) {
    const auto [entry, is_new] = has_starved_.try_emplace(job.id, false);
    if (!is_new) return entry->second;
    const Duration limit = has_line() ? wait_line_ : wait_duration_;
    const Duration waited = session_->now() - waits_since(job);
    entry->second =
        has_line() ? above_line(job.id).has_value() : limit > Duration(0) && waited >= limit;
    if (!entry->second && waited <= limit) {
      session_->answers_may_change_at(waits_since(job) + limit + Duration(1));
    }
    return entry->second;
  }

  // The request of its minimum. Kept while nothing changes, because very many jobs may wait.
  const Resources& request_of(JobId id) {
    if (requests_stamp_ != cluster_->stamp()) requests_.clear();
    requests_stamp_ = cluster_->stamp();
    const auto [entry, is_new] = requests_.try_emplace(id);
    if (!is_new) return entry->second;
    const Job& job = cluster_->job(id);
    entry->second = need_of(*session_, job).request;
    entry->second += job.allocated;
    entry->second += job.pipelined;
    return entry->second;
  }

  bool is_before(const Claim& left, const Claim& right) const {
    const Job& l = cluster_->job(left.job);
    const Job& r = cluster_->job(right.job);
    const TimePoint l_since = waits_since(l);
    const TimePoint r_since = waits_since(r);
    return std::tie(r.priority, right.above, l_since, l.created, l.uid, l.name) <
           std::tie(l.priority, left.above, r_since, r.created, r.uid, r.name);
  }

  Verdict may_stay(const Job& job) {
    const auto& targets = cluster_->targets();
    const auto before = std::find(targets.begin(), targets.end(), job.id) - targets.begin();
    if (before >= targets_) return reject(Reason::too_many_targets, before, targets_);
    if (has_minimum(*session_, job)) return pass();
    if (give_up_ == Duration(0) || session_->now() - job.election->since < give_up_) return pass();
    given_up_after_ = format_duration(give_up_);
    return reject(Reason::target_given_up, 0, 0, given_up_after_);
  }

  std::size_t most_locked() const {
    const std::size_t part =
        cluster_->node_count() * static_cast<std::size_t>(most_thousandths_) / 1000;
    return std::max<std::size_t>(1, part);
  }

  Verdict could_be_kept_for(const Job& job, const Need& need) {
    const bool has_no_bound = is_unbounded(job);
    const std::size_t most = has_no_bound ? cluster_->node_count() : most_locked();
    Verdict verdict = could_be_covered(*session_, most, job, need);
    if (!verdict && unbounded_after_ > Duration(0) && !has_no_bound) {
      verdict.detail =
          session_->keep("it may have more once it has waited for " +
                         format_duration(unbounded_after_) + " and all pods have time limits");
    }
    return verdict;
  }

  // The choice for a target in one state of the cluster, for one wish.
  struct Chosen {
    std::uint64_t stamp = 0;
    std::vector<NodeId> held;
    std::optional<TimePoint> first_lock;
    std::optional<std::size_t> most;
    bool was_unbounded = false;
    std::optional<LockWish> wish;
    LockChoice choice;
  };

  // LOCK-5
  bool is_unbounded(const Job& job) {
    if (unbounded_after_ == Duration(0)) return false;
    const TimePoint from = waits_since(job) + unbounded_after_;
    if (session_->now() < from) session_->answers_may_change_at(from);
    return session_->now() >= from && (job.election || do_all_say_their_end());
  }

  // Else many nodes would stand idle, for nobody knows how long.
  bool do_all_say_their_end() {
    if (do_all_say_their_end_) return *do_all_say_their_end_;
    do_all_say_their_end_ = true;
    for (std::size_t n = 0; n < cluster_->node_count() && *do_all_say_their_end_; ++n) {
      const auto& tasks = cluster_->node(NodeId(n)).tasks;
      *do_all_say_their_end_ = std::all_of(tasks.begin(), tasks.end(), [&](TaskId id) {
        const Task& task = cluster_->task(id);
        return !occupies_node(task.status) || task.is_of_node || task.runs_forever ||
               gone_by(*cluster_, task, session_->now()) != TimePoint::max();
      });
    }
    return *do_all_say_their_end_;
  }

  std::size_t most_for(const Job& job, const Need& need, Chosen& chosen) {
    const bool is_unbounded_now = is_unbounded(job);
    if (chosen.most && chosen.was_unbounded == is_unbounded_now) return *chosen.most;
    chosen.was_unbounded = is_unbounded_now;
    chosen.most = most_locked();
    if (is_unbounded_now) chosen.most = std::max(*chosen.most, fewest(*session_, job, need));
    return *chosen.most;
  }

  // LOCK-7. While a target is not covered, later targets hold no nodes. Otherwise two targets could
  // each hold what the other waits for.
  std::optional<std::vector<NodeId>> nodes_for(const Job& job, const Need& need) {
    if (is_one_waiting_) return std::vector<NodeId>();
    Chosen& chosen = chosen_of(job.id);
    const std::size_t all = cluster_->node_count();
    const std::size_t bound = most_for(job, need, chosen);  // LOCK-5
    const std::size_t by_others = cluster_->locks().for_targets() - chosen.held.size();
    if (by_others > 0 && bound > most_locked()) {
      is_one_waiting_ = true;
      return std::vector<NodeId>();
    }
    LockWish wish;
    wish.scheme = scheme_for(chosen.first_lock);
    wish.nodes = static_cast<std::size_t>(nodes_.number);
    if (nodes_.is_percent) {  // at least one
      wish.nodes = std::max<std::size_t>(1, all * static_cast<std::size_t>(nodes_.number) / 100);
    }
    wish.most = bound - std::min(bound, by_others);
    wish.by_ends = by_ends_ && (wish.scheme == LockScheme::multi_node ||
                                wish.scheme == LockScheme::closest_fit);
    wish.may_grow = wish.scheme != LockScheme::single_node || may_grow(chosen.held);
    if (chosen.wish != wish) {
      chosen.wish = wish;
      chosen.choice = choose_nodes(*session_, wish, job, need);
    }
    // LOCK-8. The nodes could be empty, and still the target could not start.
    if (!session_->ask(points::reservable, job, need, chosen.choice.nodes)) {
      return std::vector<NodeId>();
    }
    is_one_waiting_ = !chosen.choice.is_covered;
    return chosen.choice.nodes;
  }

  Chosen& chosen_of(JobId target) {
    std::erase_if(chosen_,
                  [&](const auto& each) { return each.second.stamp != cluster_->stamp(); });
    const auto [entry, is_new] = chosen_.try_emplace(target);
    Chosen& chosen = entry->second;
    if (!is_new) return chosen;
    chosen.stamp = cluster_->stamp();
    chosen.held = cluster_->locks().nodes_of(target);
    chosen.first_lock = first_lock(*cluster_, chosen.held);
    return chosen;
  }

  // Sessions follow each other as fast as events arrive; a choice by later knowledge needs time.
  bool may_grow(const std::vector<NodeId>& held) const {
    return std::none_of(held.begin(), held.end(), [&](NodeId node) {
      return session_->now() - cluster_->node(node).lock.since < lock_interval_;
    });
  }

  LockScheme scheme_for(const std::optional<TimePoint>& locked_since) const {
    const bool is_late =
        timeout_ > Duration(0) && locked_since && session_->now() - *locked_since >= timeout_;
    return is_late ? LockScheme::cluster : scheme_;
  }

  void report_terms(const Job& job, berth::Reservation* reservation) {
    reservation->scheme = scheme_for(reservation->locked_since);
    if (timeout_ > Duration(0) && reservation->locked_since) {
      reservation->times_out_at = *reservation->locked_since + timeout_;
    }
    if (give_up_ > Duration(0)) reservation->gives_up_at = job.election->since + give_up_;
  }

  // TARGET-2. A line in a resource that no node has selects no job.
  void report_idle_lines(std::vector<std::string>* notes) {
    if (request_line_.empty() || cluster_->node_count() == 0) return;
    std::vector<std::string> known;
    for (std::size_t d = 0; d < cluster_->dimensions().size(); ++d) {
      if (cluster_->total_allocatable()[Dimension(d)] <= 0) continue;
      known.push_back(cluster_->dimensions().name(Dimension(d)));
    }
    std::sort(known.begin(), known.end());
    for (const auto& [resource, line] : request_line_) {
      if (std::binary_search(known.begin(), known.end(), resource)) continue;
      notes->push_back("plugin reservation: request-line names \"" + resource +
                       "\", which no node has" + suggestion(resource, known));
    }
  }

  LockScheme scheme_;
  Arguments::Count nodes_;
  std::int64_t most_thousandths_;
  Duration unbounded_after_;
  std::int64_t targets_;
  Duration timeout_;
  Duration give_up_;
  Duration retry_after_;
  Duration wait_duration_;
  NamedAmounts request_line_;
  Duration lock_interval_;
  bool by_ends_;
  Duration wait_line_;
  std::string given_up_after_;
  std::map<JobId, Resources> requests_;  // of this stamp
  std::uint64_t requests_stamp_ = 0;
  std::map<JobId, Chosen> chosen_;
  std::map<JobId, bool> has_starved_;  // of this session
  std::optional<bool> do_all_say_their_end_;
  bool is_one_waiting_ = false;  // a target that is not covered was asked for in this session
  Session* session_ = nullptr;
  const Cluster* cluster_ = nullptr;
};

}  // namespace

BERTH_PLUGIN(Reservation, "reservation");

}  // namespace berth::plugins
