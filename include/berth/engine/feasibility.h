#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/engine/need.h"
#include "berth/engine/verdict.h"
#include "berth/model/cluster.h"

namespace berth::engine {

class Session;

// Which jobs can never start in the cluster as it is, if all others finish, and why. "Never" holds
// until the cluster, the queues or the job change. What such a job asks for counts nowhere. Rules
// FEASIBLE-1 to FEASIBLE-6 of docs/design/feasibility.md.
//
// What nodes have is allocatable less what came with them and is there for as long as they are;
// vetoes are soon over and do not count.
// Session thread only.
class Feasibility {
 public:
  // Once a session, when all plugins have attached. Looks again at what may have changed.
  void refresh(Session& session);

  // The verdict's texts live until the next refresh.
  Verdict of(JobId job) const;
  // Of a pod of this shape, by itself; `what` of a refusal by no node is empty.
  Verdict of_pod(ShapeId shape) const;
  bool is_possible(JobId job) const { return job.index() >= jobs_.size() || !is_refused(job); }
  // What the queue's jobs have and wait for, less what can never be placed.
  std::int64_t demand(const Cluster& cluster, const Queue& queue, Dimension d) const;
  // What all nodes have together.
  std::int64_t ceiling(Dimension d) const { return ceiling_[d]; }
  // Jobs of which of() is a refusal.
  const std::vector<JobId>& impossible() const { return impossible_; }

 private:
  // A verdict with texts of its own.
  struct Finding {
    Reason reason = Reason::none;
    std::int64_t have = 0;
    std::int64_t need = 0;
    std::string what;
    std::string detail;
    bool is_none() const { return reason == Reason::none; }
  };
  // What a verdict on nodes depends on.
  struct OnNodes {
    std::uint64_t spec = 0;
    std::uint64_t of_nodes = 0;
    bool operator==(const OnNodes&) const = default;
  };
  struct OfShape {
    OnNodes nodes;
    std::int64_t capacity = 0;  // pods of it that the nodes take at a time
    bool is_whole = false;      // all nodes were asked; else there are more
    Finding why;                // where capacity is 0; else of a whole count, what each pod needs
  };
  struct OfJob {
    std::uint64_t version = 0;
    OnNodes nodes;
    std::uint64_t queues = 0;
    Finding on_nodes;     // what stands against its minimum there
    Need need;            // what its minimum asks for at least
    Resources waiting;    // of its pods that wait
    Resources too_large;  // of those that no node takes
    Finding finding;
    Resources hopeless;  // what asks for nothing
  };

  bool is_refused(JobId job) const { return jobs_[job.index()].finding.reason != Reason::none; }
  void add_up(const Cluster& cluster);
  void judge_on_nodes(Session& session, const Job& job, OfJob& found);
  void judge_minimum(Session& session, const Job& job, std::vector<Need::Part> parts, OfJob& found);
  void conclude(Session& session, const Job& job, OfJob& found);
  Finding could_take(Session& session, const Job& job, std::vector<Need::Part>& parts,
                     std::int32_t count);
  static Verdict verdict_of(const Finding& found);
  Finding is_within_cluster(const Cluster& cluster, const Need& need) const;
  const OfShape& of_shape(Session& session, ShapeId shape, std::int64_t enough);
  static Finding why_nowhere(Session& session, ShapeId shape);

  std::uint64_t stamp_ = 0;
  OnNodes nodes_;
  std::uint64_t queues_ = 0;
  Resources ceiling_;  // what all nodes together have
  std::vector<OfShape> shapes_;
  std::vector<OfJob> jobs_;
  std::vector<JobId> impossible_;
  std::vector<Resources> hopeless_;  // by queue
};

}  // namespace berth::engine
