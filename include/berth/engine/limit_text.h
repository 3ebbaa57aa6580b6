#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "berth/engine/queue_tree.h"
#include "berth/engine/unmet_guarantees.h"
#include "berth/model/cluster.h"
#include "berth/model/plan.h"

// Why a limit is what it is, for people: the details of verdicts. Empty where there is nothing to
// add. Called when something is refused; each costs no more than a look at the queues or targets.

namespace berth::engine {

class Admissions;   // admissions.h
struct TargetPart;  // admissions.h

// Whose guarantees room is kept for, the largest first: "8 kept for the guarantee of queue b".
// `position` 0: for anybody's.
std::string kept_for_text(const Cluster& cluster, const QueueTree& tree,
                          const UnmetGuarantees& unmet, std::size_t position, Dimension d);

// What bounds the share of the queue: its capability, the guarantees of others, its
// `deserved`, or its weight.
std::string share_text(const Cluster& cluster, const QueueTree& tree, const QueueShares& shares,
                       const UnmetGuarantees& unmet, std::size_t position, Dimension d);

// What bounds the real capability of the queue, its own or that of the queue above it.
std::string capability_text(const Cluster& cluster, const QueueTree& tree, std::size_t position,
                            Dimension d);

// "6 kept for target default/big"
std::string targets_text(const Cluster& cluster, Dimension d,
                         const std::vector<TargetPart>& targets);

// What is in queue at this position, of targets by name: "6 kept for target default/big; 4 kept for
// jobs that were admitted before".
std::string admitted_text(const Cluster& cluster, const Admissions& admissions, JobId job,
                          std::size_t position, Dimension d);

// "a; b", leaving out what is empty.
std::string joined(const std::string& left, const std::string& right);

}  // namespace berth::engine
