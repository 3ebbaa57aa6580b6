#pragma once

#include <optional>
#include <string>

#include "ports/status_sink.h"

// Merge patches for locks and marks, made from the objects as read, because others write there, too
// (docs/design/api-client.md, API-23). None if there is nothing to write.

namespace berth::kubeapi {

std::optional<std::string> node_lock_patch(const ports::NodeLock& lock, const std::string& seen);
std::optional<std::string> job_marks_patch(const ports::JobMarks& job, const std::string& seen);

}  // namespace berth::kubeapi
