#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "berth/engine/need.h"
#include "berth/engine/verdict.h"
#include "berth/model/cluster.h"

namespace berth::engine {

class Session;
class TreeNodes;
class TreeRoom;
struct NearSet;

// The most pods of a shape that the nodes take together, by one kind of constraint and those before
// it, and the numbers of that in kube-scheduler's words.
struct MemberLimit {
  std::int64_t pods = 0;
  std::string why;
};

// Causes about all pods of a shape name one of them. A Verdict refers to `pod`.
template <class Text>
void name_pod(CauseOf<Text>& why, const std::string& pod) {
  const bool is_of_one_pod =
      why.reason == Reason::pod_faulty || why.reason == Reason::object_too_large ||
      why.reason == Reason::namespace_too_large || why.reason == Reason::claim_not_ready;
  if (why.reason == Reason::fits_no_node) why.what = pod;
  if (is_of_one_pod) why.detail = pod;
}

// Finds jobs that can never start in the present cluster, even if all others end, with the reason.
// The verdict holds until the cluster, the queues or the job change. The request of such a job
// counts nowhere. Rules FEASIBLE-1 to FEASIBLE-6 of docs/design/feasibility.md.
//
// A node offers its allocatable less its own permanent pods. Vetoes end soon and do not count.
//
// Session thread only.
class Feasibility {
 public:
  // Called once in a session, after all plugins have attached. Looks again at possible changes.
  void refresh(Session& session);

  // The texts of the verdict live until the next refresh.
  Verdict of(JobId job) const;
  // The verdict on one pod of this shape. If no node takes it, `what` of the refusal is empty.
  Verdict of_pod(ShapeId shape) const;
  bool is_possible(JobId job) const { return job.index() >= jobs_.size() || !is_refused(job); }
  // The use and the requests of the queue's jobs, without pods that can never be placed.
  std::int64_t demand(const Cluster& cluster, const Queue& queue, Dimension d) const;
  // The sum over all nodes.
  std::int64_t ceiling(Dimension d) const { return ceiling_[d]; }

 private:
  // The inputs of a verdict on nodes.
  struct OnNodes {
    std::uint64_t spec = 0;
    std::uint64_t of_nodes = 0;
    std::uint64_t volume_limits = 0;
    std::uint64_t topologies = 0;
    bool operator==(const OnNodes&) const = default;
  };
  struct OfShape {
    OnNodes nodes;
    std::uint64_t serial = 0;         // Shape::serial
    std::int64_t capacity = 0;        // pods of it that the nodes take at the same time
    bool is_whole = false;            // all nodes were counted; otherwise there may be more
    Cause why;                        // where capacity is 0
    std::uint64_t spreads = 0;        // as of_spreads_
    std::vector<MemberLimit> limits;  // if too few fit: as MemberBound has them
    // Room for it in domains, once all nodes are emptied: as far as somebody has asked.
    std::map<const TreeNodes*, std::shared_ptr<const TreeRoom>> emptied;
  };
  struct OfJob {
    std::uint64_t version = 0;
    OnNodes nodes;
    std::uint64_t queues = 0;
    std::string crowd;  // as Crowds::of()
    // Of its shapes with spreads: of_spreads_ then.
    std::vector<std::pair<ShapeId, std::uint64_t>> spreads;
    Cause on_nodes;       // the obstacle to its minimum there
    Need need;            // the least that its minimum needs
    Resources waiting;    // of its waiting pods
    Resources too_large;  // of pods that fit no node
    Cause finding;
    Resources hopeless;  // requests of pods that can never be placed
  };

  bool is_refused(JobId job) const { return jobs_[job.index()].finding.reason != Reason::none; }
  void add_up(const Cluster& cluster);
  void judge(Session& session, const Job& job, OfJob& found);
  void judge_on_nodes(Session& session, const Job& job, OfJob& found);
  void judge_minimum(Session& session, const Job& job, std::vector<Need::Part> parts, OfJob& found);
  void conclude(Session& session, const Job& job, OfJob& found);
  Cause could_take(Session& session, const Job& job, std::vector<Need::Part>& parts,
                   std::int32_t count);
  // TOPO-23. Could so many of its pods be as near each other as they must be?
  Cause could_be_near(Session& session, const Job& job, std::int64_t count);
  std::int64_t most_in_one_domain(Session& session, const NearSet& set);
  std::shared_ptr<const TreeRoom> emptied(Session& session, const TreeNodes& nodes, ShapeId shape);
  Cause is_within_cluster(const Cluster& cluster, const Job& job, const Need& need) const;
  const OfShape& of_shape(Session& session, ShapeId shape, std::int64_t enough);
  std::string limit_of(ShapeId shape, std::int64_t needed) const;
  void find_spreads(const Cluster& cluster);
  bool have_spreads_changed(const OfJob& found) const;
  static Cause why_nowhere(Session& session, ShapeId shape);

  std::uint64_t stamp_ = 0;
  OnNodes nodes_;
  std::uint64_t queues_ = 0;
  Resources ceiling_;  // the sum over all nodes
  std::vector<OfShape> shapes_;
  std::vector<OfJob> jobs_;
  std::vector<Resources> hopeless_;  // by queue
  // By term of role `spread`: the shapes that it counts.
  std::vector<std::vector<ShapeId>> spread_over_;
  // By shape: changes with what others add to the domains of its spreads. 0: it has none.
  std::vector<std::uint64_t> of_spreads_;
};

}  // namespace berth::engine
