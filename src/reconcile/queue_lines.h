#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "reconcile/event_log.h"
#include "views/queue_table.h"

namespace berth::reconcile {

// Lines in the log about queues: a fault, a scaled guarantee, a field without effect, and the end
// of each; other nodes of its own. Session thread.
class QueueLines {
 public:
  explicit QueueLines(EventLog& events) : events_(events) {}

  void log_changes(const views::QueueTable& table);

 private:
  using Nodes = std::vector<std::string>;
  struct Logged {
    std::string fault;
    bool is_scaled = false;
    std::size_t notes = 0;  // how many: amounts in them change with every pod
    Nodes nodes;
    std::uint64_t round = 0;
  };

  void forget_the_gone(std::vector<std::string>& lines);

  EventLog& events_;
  std::map<std::string, Logged> logged_;  // by name
  std::uint64_t round_ = 0;
};

}  // namespace berth::reconcile
