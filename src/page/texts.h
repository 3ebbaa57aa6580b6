#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "page/history.h"
#include "page/parts.h"
#include "views/reservation_table.h"

// The items of the state as JSON (docs/design/page.md, "The documents"), with marks about names
// (names.h).

namespace berth::page {

// `actions`: the names by which lists of times go.
std::string cluster_text(const Batch& batch, const std::vector<std::string>& actions,
                         const std::string& version);
std::string text_of(const DomainPart& domain);
std::string text_of(const NodePart& node);
std::string text_of(const JobPart& job);
std::string text_of(const views::ReservationTable::Row& reservation);
std::string order_text(const std::vector<std::int64_t>& order);
std::string text_of(std::uint64_t number, const SessionRecord& session,
                    const std::vector<std::string>& actions);
std::string text_of(std::uint64_t number, const EvictionRecord& eviction);
// The amounts in use by the resources of the state, whatever those of the span are.
std::string text_of(const Span& span, const std::vector<std::string>& actions,
                    const std::vector<std::string>& resources);

}  // namespace berth::page
