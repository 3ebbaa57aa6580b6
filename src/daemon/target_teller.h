#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "berth/model/cluster.h"
#include "berth/model/plan.h"
#include "berth/model/written_status.h"
#include "daemon/reservation_reporter.h"
#include "ports/status_sink.h"

namespace berth::daemon {

// Tells users what became of targets: events when one is elected, when nodes are locked for it and
// when it is released, the same as lines in the log, and its condition. What the API says already
// is not told again after a restart. Session thread only.
class TargetTeller {
 public:
  using Tell = std::function<void(const std::string& line)>;

  TargetTeller(ports::StatusSink& sink, Tell tell) : sink_(sink), tell_(std::move(tell)) {}

  // When the plan was assumed. `api`: what it says.
  void report(const Plan& plan, const Cluster& cluster, const ReservationReporter& api);
  // None: there is nothing to say but what the API says.
  std::optional<WrittenCondition> condition_of(const Job& job) const;
  // Another leads.
  void stop_leading();

 private:
  // Of a target, by its uid.
  struct Told {
    std::optional<TimePoint> elected_at;
    std::set<std::string> nodes;
  };
  struct Said {
    JobId job;
    WrittenCondition condition;
  };

  void tell_locks(const Reservation& reservation, const Cluster& cluster, Told& told);
  void tell_end(const EndedReservation& ended, const Cluster& cluster);
  void tell(const Job& job, const char* reason, const std::string& message, bool is_warning);

  ports::StatusSink& sink_;
  Tell tell_;
  std::map<std::string, Told> told_;
  std::map<std::string, Said> said_;  // by uid, also of those that ended, as long as they exist
};

}  // namespace berth::daemon
