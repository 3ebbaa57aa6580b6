#include "actions/domain_search.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "berth/engine/fit.h"
#include "engine/fit/relation_bound.h"
#include "engine/idle_room.h"
#include "engine/seeker.h"

namespace berth::actions {

using namespace engine;

namespace {

constexpr std::size_t kDepthMost = 3;

// The seeker's pods for which the nodes of each domain have idle room.
std::map<DomainId, ApartBound> room_by_domain(Session& session, const Job& job,
                                              const Seeker& seeker) {
  const Cluster& cluster = session.cluster();
  const Shape& shape = cluster.shape(seeker.shape);
  const std::vector<std::uint8_t>& passing = session.passing(seeker.shape);
  std::map<DomainId, ApartBound> room;
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    const DomainId domain = cluster.relations().domain(seeker.term, NodeId(n));
    if (passing[n] == 0 || !domain.is_valid() || !session.is_open_to(NodeId(n), job.id)) continue;
    const std::int32_t pods = room_for(IdleNow{cluster}, shape, NodeId(n));
    if (pods > 0) {
      room.try_emplace(domain, cluster, shape).first->second.add(NodeId(n), pods);
    }
  }
  return room;
}

// The best score that a node of each domain has for the leader, as best_idle_node would find it.
std::map<DomainId, std::int32_t> best_scores(Session& session, const Job& job,
                                             const Seeker& seeker) {
  const Cluster& cluster = session.cluster();
  const Shape& leader = cluster.shape(seeker.leader);
  std::map<DomainId, std::int32_t> best;
  for (const QueueId queue : queues_to_ask(cluster, job.id)) {
    const Ranking& ranking =
        session.memory().ranking_by_wishes(session, seeker.leader, job.id, queue);
    std::map<DomainId, std::int32_t> of_queue;
    for (std::size_t n = 0; n < cluster.node_count(); ++n) {
      const NodeId node(n);
      const DomainId domain = cluster.relations().domain(seeker.term, node);
      const std::int32_t score = ranking.score(node);
      if (score == kUnfit || !domain.is_valid() || best.count(domain) > 0) continue;
      const auto known = of_queue.find(domain);
      if (known != of_queue.end() && known->second >= score) continue;
      if (!check_vetoes(session, leader, node) || !fits_beside(session, leader, node)) continue;
      of_queue.insert_or_assign(domain, score);
    }
    best.merge(of_queue);
  }
  return best;
}

// As many of the seeker's pods as the minimum cannot do without.
std::int32_t needed_of(const Cluster& cluster, const Job& job, const Seeker& seeker,
                       const std::vector<TaskId>& waiting) {
  std::int32_t others = 0;
  for (const TaskId id : waiting) {
    const Task& task = cluster.task(id);
    if (task.status == TaskStatus::pending && task.shape != seeker.shape) ++others;
  }
  return std::max(1, job.min_available - job.placed_count() - others);
}

class Search {
 public:
  Search(Session& session, const Job& job, const std::vector<TaskId>& waiting, Statement& statement,
         const std::function<bool()>& attempt)
      : session_(session), job_(job), waiting_(waiting), statement_(statement), attempt_(attempt) {}

  bool run(std::size_t depth = 0) {
    std::vector<Start> starts = domains_to_start_in(session_, job_, waiting_);
    if (depth > 0 && starts.size() > kDomainsTriedWithin) starts.resize(kDomainsTriedWithin);
    const Statement::Checkpoint before = statement_.checkpoint();
    for (const Start& start : starts) {
      if (attempts_++ == kAttemptsMost) return false;
      session_.start_in(start);
      const bool may_start = attempt_();
      session_.start_in(std::nullopt);
      if (may_start) return true;
      statement_.roll_back(before);
      if (depth + 1 == kDepthMost || !is_another_after(start)) continue;
      if (place_first(start) && run(depth + 1)) return true;
      statement_.roll_back(before);
    }
    return false;
  }

 private:
  bool is_another_after(const Start& start) const {
    const Cluster& cluster = session_.cluster();
    return next_seeker(cluster, shapes_pending(cluster, waiting_), {start}).has_value();
  }

  // The others follow it, because they must.
  bool place_first(const Start& start) {
    const Cluster& cluster = session_.cluster();
    for (const TaskId id : waiting_) {
      const Task& task = cluster.task(id);
      const bool leads = is_wanted_near(cluster.shape(task.shape), start.term);
      if (task.status != TaskStatus::pending || !leads) continue;
      if (!session_.ask(points::allocatable, cluster.queue(job_.queue), task)) continue;
      session_.start_in(start);
      const NodeId node = session_.best_idle_node(task.shape, job_.id);
      session_.start_in(std::nullopt);
      if (node.is_valid()) return static_cast<bool>(statement_.allocate(id, node));
    }
    return false;
  }

  Session& session_;
  const Job& job_;
  const std::vector<TaskId>& waiting_;
  Statement& statement_;
  const std::function<bool()>& attempt_;
  int attempts_ = 0;
};

}  // namespace

std::vector<Start> domains_to_start_in(Session& session, const Job& job,
                                       const std::vector<TaskId>& waiting) {
  const Cluster& cluster = session.cluster();
  const std::optional<Seeker> seeker = next_seeker(cluster, shapes_pending(cluster, waiting));
  if (!seeker) return {};
  const std::int32_t needed = needed_of(cluster, job, *seeker, waiting);
  const std::map<DomainId, std::int32_t> best = best_scores(session, job, *seeker);
  const DomainTable& domains = cluster.relations().domains();
  const TopologyKeyId key = cluster.relations().term(seeker->term).key;
  std::vector<std::tuple<std::int64_t, std::string, DomainId>> ranked;  // score negated
  for (const auto& [domain, room] : room_by_domain(session, job, *seeker)) {
    const auto score = best.find(domain);
    if (room.pods() < needed || score == best.end()) continue;
    ranked.emplace_back(-std::int64_t{score->second}, domains.value(key, domain), domain);
  }
  std::sort(ranked.begin(), ranked.end());
  if (ranked.size() > kDomainsTried) ranked.resize(kDomainsTried);
  std::vector<Start> starts;
  for (const auto& [score, name, domain] : ranked) starts.push_back({seeker->term, domain});
  return starts;
}

bool search_domains(Session& session, const Job& job, const std::vector<TaskId>& waiting,
                    Statement& statement, const std::function<bool()>& attempt) {
  return Search(session, job, waiting, statement, attempt).run();
}

}  // namespace berth::actions
