#pragma once

#include <cstddef>

#include "ports/object_writer.h"
#include "views/queue_table.h"

// The desired status of a Queue. Pure functions.

namespace berth::reconcile {

// Conditions of a row; what they are for is in docs/queues.md.
WrittenCondition readiness_of(const views::QueueTable::Row& row);
WrittenCondition scaling_of(const views::QueueTable& table, std::size_t row);
// Without a reason if all that is written in the spec has its effect.
WrittenCondition honouring_of(const views::QueueTable::Row& row);
// Without a reason if it asks for no nodes.
WrittenCondition reserving_of(const views::QueueTable::Row& row);

// `before` is what the API says; times of conditions that hold as before are kept.
WrittenQueueStatus desired_queue_status(const views::QueueTable& table, std::size_t row,
                                        const WrittenQueueStatus& before, TimePoint now);

// A user must see the difference at once (STATUS-4): a condition is another, or its nodes are.
bool is_urgent(const WrittenQueueStatus& wanted, const WrittenQueueStatus& before);

}  // namespace berth::reconcile
