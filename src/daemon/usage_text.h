#pragma once

#include <string>
#include <string_view>

#include "berth/base/clock.h"
#include "berth/base/result.h"
#include "berth/model/usage.h"

namespace berth::daemon {

// The use of queues and namespaces, as it is kept under the key "fair-share" (LEARN-6): of those
// that have used the most, as many as fit. Empty if nothing was used.
std::string usage_text(const UsageTable& usage, TimePoint now);
// USAGE-5. An Error, and nothing is taken, if the text is not as above.
Status restore_usage(std::string_view text, UsageTable& usage, TimePoint now);

}  // namespace berth::daemon
