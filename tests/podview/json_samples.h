#pragma once

#include "podview/found.h"

namespace berth::podview::testing::json {

std::string pod_text(const Sample& pod);
std::string event(const std::string& type, const Sample& pod);
std::string bookmark(const std::string& version, bool ends_initial_events);
std::string error(int code, const std::string& reason);
std::string list(const std::string& version, const std::vector<Sample>& pods,
                 const std::string& continuation);
Texts events_of(std::string_view bytes);
Texts items_of(std::string_view body);

}  // namespace berth::podview::testing::json
