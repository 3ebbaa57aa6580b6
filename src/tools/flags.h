#pragma once

#include <optional>
#include <string>

#include "tools/output.h"
#include "tools/planning.h"
#include "tools/server.h"

namespace CLI {
class App;
}

// Flags that several commands share.

namespace berth::tools {

// The rows of a table. Empty means the default.
struct RowFlags {
  std::string name_space;
  std::string queue;
  std::string sort;
};

void declare_cluster(CLI::App& command, PlanningFlags& flags);  // and the configuration
void declare_planning(CLI::App& command, PlanningFlags& flags);
void declare_output(CLI::App& command, std::optional<std::string>& output);
void declare_server(CLI::App& command, ServerFlags& flags);
void declare_queue(CLI::App& command, std::string& queue);
// `keys`: "name|queue|age"; the first is the default.
void declare_sort(CLI::App& command, std::string& sort, const std::string& keys);

// Names of Berth's schedulers, where they differ from the default configuration's.
void declare_schedulers(CLI::App& command, std::vector<std::string>& names);

// An Error unless it is empty or among the keys.
Status check_sort(const std::string& sort, const std::string& keys);

}  // namespace berth::tools
