#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/event.h"
#include "berth/model/plan.h"
#include "ports/status_sink.h"
#include "views/queue_table.h"

namespace berth::daemon {

// Tells of queues: to their statuses in the API, to the log, and, by a table, to whoever looks on.
// Statuses are written only when they differ, all together at most every ten seconds; at once if a
// queue becomes ready or ceases to be, its guarantee is scaled or no longer so, or something of its
// spec has no effect or has one again. Session thread.
class QueueReporter {
 public:
  using Tell = std::function<void(const std::string& line)>;

  QueueReporter(ports::StatusSink& sink, Tell tell) : sink_(sink), tell_(std::move(tell)) {}

  // Learns what the API says already, so that a restart writes nothing; while another leads, also
  // what that one writes.
  void observe(const ClusterEvent& event, bool leads);
  // After the plan was assumed: its shares are those of `cluster`.
  void report(const Plan& plan, const Cluster& cluster, TimePoint now);

  // As of the last report, at most a second old when something changes; null: there was none yet.
  const std::shared_ptr<const views::QueueTable>& table() const { return table_; }

 private:
  struct Known {
    std::string uid;
    WrittenQueueStatus written;
    std::set<std::string> resources;  // that its status may name
  };
  // Of a queue, what lines were told of it.
  struct Said {
    std::string fault;
    bool is_scaled = false;
    std::size_t notes = 0;  // how many: amounts in them change with all that comes and goes
    std::uint64_t round = 0;
  };

  // True when there is another table.
  bool refresh(const Plan& plan, const Cluster& cluster, TimePoint now);
  void tell_changes();
  void tell_all(const std::vector<std::string>& lines);
  // `is_urgent`: only those of which somebody must know at once.
  void write_statuses(TimePoint now, bool is_urgent);
  void write_status(std::size_t row, TimePoint now, bool is_urgent);

  ports::StatusSink& sink_;
  Tell tell_;
  engine::QueueTree tree_;
  std::shared_ptr<const views::QueueTable> table_;
  std::shared_ptr<const QueueShares> shares_;  // that it was made of
  std::uint64_t stamp_ = 0;                    // of the cluster that it was made of
  bool evicts_ = false;                        // of the plan that it was made of
  TimePoint made_at_;
  std::map<std::string, Known> known_;  // queues that are objects, by name
  std::map<std::string, Said> said_;    // by name
  std::uint64_t round_ = 0;
  bool is_owed_ = false;  // statuses may differ from what was written
  TimePoint written_at_;
};

}  // namespace berth::daemon
