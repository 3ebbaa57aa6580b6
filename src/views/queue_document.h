#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/result.h"
#include "views/queue_table.h"

// The document of berthd's /queues and `berth queues -o json`; docs/queues.md describes it. Amounts
// are Kubernetes quantities; zero amounts are left out.

namespace berth::views {

// The amounts of a row, by the table's fields.
using RowAmounts = std::vector<std::pair<QueueTable::Amounts QueueTable::*, NamedAmounts>>;

// Gives a table, whose rows are there, its resources and amounts: those of each row.
void fill_amounts(const NamedAmounts& total, const std::vector<RowAmounts>& rows,
                  QueueTable& table);

// One JSON object, ending in a line feed.
std::string write_queue_table(const QueueTable& table);
// One of its rows, without a line feed.
std::string queue_text(const QueueTable& table, std::size_t row);
// Reads such a document; ids are lost. An Error has file:line:column.
Result<QueueTable> read_queue_table(std::string text, std::string_view file);

}  // namespace berth::views
