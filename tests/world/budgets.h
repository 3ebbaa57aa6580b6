#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "embedded/api_server.h"
#include "world/agenda.h"
#include "world/jobs.h"

namespace berth::world {

// As the disruption controller: says how many pods of a job may be evicted now, some time after its
// pods have changed. Its budgets have the names of their jobs.
class Budgets {
 public:
  Budgets(Agenda& agenda, embedded::ApiServer& server, const std::map<std::string, Job>& jobs)
      : agenda_(agenda), server_(server), jobs_(jobs) {}

  // At most so many pods of the job may be away.
  void protect(const Job& job, std::int32_t away_most);
  void remove(const Job& job);
  // A pod of this job has changed.
  void look_soon(const std::string& job);

 private:
  void look(const std::string& job);

  Agenda& agenda_;
  embedded::ApiServer& server_;
  const std::map<std::string, Job>& jobs_;
  std::map<std::string, std::int32_t> away_most_;  // by job
  std::set<std::string> looks_;                    // at these jobs, soon
};

}  // namespace berth::world
