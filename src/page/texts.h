#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "page/history.h"
#include "page/parts.h"

// The items of the state as JSON (docs/design/page.md, "The documents").

namespace berth::page {

// A string of JSON; bytes that are no UTF-8 are replaced.
void append_text(std::string& to, std::string_view text);

// `actions`: the names by which lists of times go.
std::string cluster_text(const Batch& batch, const std::vector<std::string>& actions,
                         const std::string& version);
std::string text_of(const DomainPart& domain);
std::string text_of(const NodePart& node);
std::string text_of(const JobPart& job);
std::string order_text(const std::vector<std::int64_t>& order);
std::string text_of(std::uint64_t number, const SessionRecord& session,
                    const std::vector<std::string>& actions);
std::string text_of(std::uint64_t number, const EvictionRecord& eviction);
// The amounts in use by the resources of the state, whatever those of the span are.
std::string text_of(const Span& span, const std::vector<std::string>& actions,
                    const std::vector<std::string>& resources);

}  // namespace berth::page
