#pragma once

#include <optional>
#include <string>

#include "ports/object_writer.h"

// Merge patches for locks and marks, made from the objects as read, because others write there, too
// (docs/design/api-client.md, API-23). None if there is nothing to write.

namespace berth::kubeapi {

std::optional<std::string> node_lock_patch(const std::string& uid, const ports::NodeLock& lock,
                                           const std::string& seen);
std::optional<std::string> job_marks_patch(const std::string& uid, const TargetMarks& marks,
                                           const std::string& seen);
// Either of them.
std::optional<std::string> patch_of(const ports::Write& write, const std::string& seen);

}  // namespace berth::kubeapi
