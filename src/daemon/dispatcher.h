#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "berth/model/plan.h"
#include "mirror/mirror.h"
#include "ports/evictor.h"
#include "ports/status_sink.h"

namespace berth::daemon {

// Turns plans into calls on the ports, and into lines for people: nominations, evictions, and the
// status of every group, written only where it changed. Session thread only; the ports return at
// once.
class Dispatcher {
 public:
  using Tell = std::function<void(const std::string& line)>;

  Dispatcher(ports::StatusSink& status, ports::Evictor& evictor, Tell tell);

  // After the plan was assumed and the mirror settled: ids are still those of the plan.
  void carry_out(const Plan& plan, const mirror::Mirror& mirror);
  void report_phases(const std::vector<JobId>& changed, const mirror::Mirror& mirror);

 private:
  // The last word on a job that waits. Ids are used again for other jobs.
  struct Said {
    Refusal refusal;
    std::string job;
    std::string job_uid;
    std::string task;
    std::string message;
    std::uint64_t round = 0;
  };

  void report_waiting(const Plan& plan, const mirror::Mirror& mirror);
  void report_no_longer_waiting(const Cluster& cluster);
  void report_placed(const Plan& plan, const mirror::Mirror& mirror);
  void write(JobId id, const Job& job, const std::string& reason, const std::string& message);

  ports::StatusSink& status_;
  ports::Evictor& evictor_;
  Tell tell_;
  std::uint64_t round_ = 0;
  std::map<JobId, Said> said_;  // of jobs that wait
  std::set<JobId> written_;     // since carry_out() began
};

// The pod's namespace and name, from a task's "namespace/name".
std::pair<std::string, std::string> split_name(const std::string& full_name);

}  // namespace berth::daemon
