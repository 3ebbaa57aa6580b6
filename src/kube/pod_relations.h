#pragma once

#include <string>

#include "berth/model/objects.h"
#include "document/cursor.h"

namespace berth::kube {

// Reads from a pod's spec what it requires of other pods, and what it prefers. `name_space` and
// `labels` are the pod's own. A selector that kube-scheduler cannot parse is a complaint. Lists
// whose order has no effect are sorted, so that pods of one template have equal relations.
Relations read_relations(const document::Cursor& spec, const std::string& name_space,
                         const Labels& labels);

}  // namespace berth::kube
