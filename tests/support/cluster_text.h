#pragma once

#include <functional>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "support/config_text.h"
#include "support/scene_line.h"
#include "support/world.h"

// Clusters as text: the lines of a scenario that describe objects. tests/scenarios/README.md has
// the format.

namespace berth::support {

// An event in a cluster. Events of one key keep their order; others may come in any order.
struct Change {
  std::string key;
  std::function<void(World&)> apply;
};

// True for a line that read_changes understands.
bool is_change(const SceneLine& line);
// queue, node, priorityclass, namespace, job, task, pod, finish, fail, terminate, delete, drop.
Result<std::vector<Change>> read_changes(SceneLine& line, TimePoint now);

// "j1" -> "default/j1"; "ns:j1" -> "ns/j1"
std::string full_name(const std::string& text);
// The names of pods of "j1/0..2" ("default/j1-0", ...) or of "p1".
Result<std::vector<std::string>> pod_names(const std::string& text);

}  // namespace berth::support
