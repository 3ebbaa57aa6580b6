#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/event.h"
#include "mirror/mirror.h"
#include "ports/status_sink.h"

namespace berth::daemon {

// Keeps the status of pod groups in the API as it is in the mirror, and tells users what became of
// their groups. Writes only what differs; at once when a phase or a reason changes, else
// at most every ten seconds. Session thread only.
class StatusReporter {
 public:
  struct Standing {
    // Why a job waits; both empty: it does not.
    std::string reason;
    std::string message;
    // Whether it is a target; none: as the API says.
    std::optional<WrittenCondition> targeted;
  };
  using StandingOf = std::function<Standing(JobId)>;

  explicit StatusReporter(ports::StatusSink& sink) : sink_(sink) {}

  // Learns what the API says already, so that a restart writes nothing; while another leads, also
  // what that one writes.
  void observe(const ClusterEvent& event, bool leads = true);
  // To be looked at with the next report().
  void owe(JobId id) { owed_.insert(id); }
  // `changed`: jobs of which tasks, phase, reason to wait or being a target may have changed.
  void report(const std::vector<JobId>& changed, const StandingOf& standing_of,
              const mirror::Mirror& mirror, TimePoint now);

 private:
  struct Known {
    ports::GroupStatus status;
    TimePoint at;
    bool is_ours = false;  // else its status is as the API says
  };

  bool report_job(const Job& job, const Standing& standing, TimePoint now);
  void tell(const Job& job, const ports::GroupStatus& status, const ports::GroupStatus* before);

  ports::StatusSink& sink_;
  std::map<std::string, Known> known_;               // by namespace/name
  std::map<std::string, std::string> told_singles_;  // by pod uid: the reason last told
  std::set<JobId> owed_;
};

}  // namespace berth::daemon
