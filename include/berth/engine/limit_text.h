#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "berth/engine/queue_tree.h"
#include "berth/engine/unmet_guarantees.h"
#include "berth/model/cluster.h"
#include "berth/model/plan.h"

// Explains limits to people, as details of verdicts. Empty if there is nothing to add. Called only
// for refusals; each costs no more than a look at the queues or targets.

namespace berth::engine {

class Admissions;   // admissions.h
struct TargetPart;  // admissions.h

// The queues for whose guarantees room is kept, the largest first: "8 kept for the guarantee of
// queue b". `position` 0 selects all queues.
std::string kept_for_text(const Cluster& cluster, const QueueTree& tree,
                          const UnmetGuarantees& unmet, std::size_t position, Dimension d);

// The bound of the queue's share: its capability, the guarantees of others, its `deserved`, or its
// weight.
std::string share_text(const Cluster& cluster, const QueueTree& tree, const QueueShares& shares,
                       const UnmetGuarantees& unmet, std::size_t position, Dimension d);

// The bound of the queue's real capability, its own or that of the queue above it.
std::string capability_text(const Cluster& cluster, const QueueTree& tree, std::size_t position,
                            Dimension d);

// "target default/big", or "a target of another namespace", for the users of `reader`.
std::string target_text(const Job& reader, const Job& target);

// "6 kept for target default/big", for the users of `reader`.
std::string targets_text(const Cluster& cluster, JobId reader, Dimension d,
                         const std::vector<TargetPart>& targets);

// The admitted amounts at this position, with the targets, for the users of `job`: "6 kept for
// target default/big; 4 kept for jobs that were admitted before".
std::string admitted_text(const Cluster& cluster, const Admissions& admissions, JobId job,
                          std::size_t position, Dimension d);

// "a; b", without empty parts.
std::string joined(const std::string& left, const std::string& right);

}  // namespace berth::engine
